// One side of a trial: the conversation with the saved configuration or with the draft. No DOM besides the form that is sent.

import { ApiError, newId } from "../api.js";
import { t } from "../locale.js";
import { cancelTurn, pause } from "./server_api.js";
import { newTurn, reduce } from "./state.js";
import { followStarted } from "./stream.js";

/** @typedef {TurnView & {usage?: {input_tokens: number, output_tokens: number, cache_read_tokens: number}}} TrialTurn */

export class TrialSide {
  #conversationId = "";
  #waiting = new AbortController();
  /** @type {TrialTurn | null} */
  #turn = null;
  /** Whether the current answer was stopped. */
  isStopping = false;

  /** @param {{name: "saved" | "draft", address: string, form: HTMLFormElement}} options */
  constructor({ name, address, form }) {
    this.name = name;
    this.address = address;
    this.form = form;
  }

  /**
   * Send the form with a message. While too many messages were sent within a minute, wait.
   * @param {Record<string, string>} fields  in place of those of the form, with `message`
   * @param {{onTurn: (turn: TrialTurn) => void, onStatus: (words: string) => void}} listener
   * @returns {{begun: Promise<void>, done: Promise<TrialTurn>}} `begun`: the server has accepted the message; both reject with
   *   ApiError when it refuses the message
   */
  send(fields, { onTurn, onStatus }) {
    this.isStopping = false;
    this.#waiting = new AbortController();
    this.#turn = newTurn({ key: newId(), userText: fields.message });
    const body = new FormData(this.form);
    const sent = { ...fields, client_turn_id: this.#turn.key, conversation_id: this.#conversationId, side: this.name };
    for (const [name, value] of Object.entries(sent)) body.set(name, value);
    let done = Promise.resolve(this.#turn);
    const begun = /** @type {Promise<void>} */ (new Promise((resolve, reject) => {
      const onEvent = (numbered) => {
        this.#onEvent(numbered);
        onTurn(this.#turn);
        resolve();
      };
      done = this.#follow(body, { onEvent, onStatus }).then((turn) => {
        onTurn(turn);
        return turn;
      });
      done.then(() => resolve(), reject);
    }));
    return { begun, done };
  }

  /** Stop the answer; its stream reports the end. */
  async stop() {
    this.isStopping = true;
    this.#waiting.abort();
    if (this.#turn?.turnId) await cancelTurn(this.#turn.turnId);
  }

  /** @param {{seq: number, event: Record<string, any>}} numbered */
  #onEvent(numbered) {
    const { usage } = numbered.event.payload ?? {};
    const isNew = this.#turn.turnId === "";
    this.#turn = { ...reduce(this.#turn, numbered), ...(usage && { usage }) };
    this.#conversationId ||= this.#turn.conversationId;
    if (isNew && this.isStopping) cancelTurn(this.#turn.turnId);
  }

  /** @param {FormData} body @param {{onEvent: (numbered: any) => void, onStatus: (words: string) => void}} listener */
  async #follow(body, { onEvent, onStatus }) {
    const onConnection = (/** @type {string} */ state) => onStatus(state === "broken" ? t("Reconnecting") : "");
    for (;;) {
      try {
        await followStarted((signal) => this.#post(body, signal), { pause, onEvent, onConnection }).done;
        return this.#turn;
      } catch (error) {
        const isStarted = this.#turn.turnId !== "";
        if (this.isStopping && !isStarted) {
          this.#turn = { ...this.#turn, phase: "cancelled", status: "" };
          return this.#turn;
        }
        const seconds = error instanceof ApiError && error.status === 429 && !isStarted ? Number(error.body.retry_after ?? 0) : 0;
        if (!seconds) throw error;
        onStatus(t("Limit reached. Continues in {seconds} s.", { seconds }));
        await pause(seconds, this.#waiting.signal);
        onStatus("");
      }
    }
  }

  /** @param {FormData} body @param {AbortSignal} signal */
  #post(body, signal) {
    if (this.isStopping) throw new ApiError(499, {}); // stopped before the server was reached
    return fetch(this.address, { method: "POST", headers: { Accept: "text/event-stream" }, body, credentials: "same-origin", signal });
  }
}

/** @param {TrialTurn} turn @returns {string} all that can differ between two answers, as text */
export function answerText({ text, tools, payload, suggestedValues, suggestedActions, error, phase }) {
  const lines = (/** @type {string} */ title, /** @type {any[]} */ entries) => (entries.length ? [`${title}: ${entries.join(", ")}`] : []);
  return [
    text.replaceAll(/\[\[tool:\d{1,4}\]\]/g, "").replaceAll(/\n{3,}/g, "\n\n").trim(),
    error ? error.message : "",
    phase === "cancelled" ? t("Stopped") : "",
    ...tools.map(({ name, input }) => `${name} ${JSON.stringify(input)}`),
    payload ? `${payload.type}\n${JSON.stringify(payload.data, null, 2)}` : "",
    ...lines(t("Suggested answers"), suggestedValues.map(({ label }) => label)),
    ...lines(t("Suggested actions"), suggestedActions.map(({ label }) => label)),
  ].filter(Boolean).join("\n\n");
}
