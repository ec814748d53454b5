// What was said, and what came of it: the turns, their payloads, what the person can do with them, what the page does about a
// turn's events. Fetched with the first turn, for many visits see none.

import { api, newId } from "../api.js";
import { runAction } from "./actions.js";
import { markUndone } from "./tab_sync.js";
import { earlierButton } from "./tray_parts.js";
import { late, load } from "../element.js";
import { declarePayloadTypes, isDeclared, pageContext, payloadHandler, registryVersion, tell, toolLabel } from "./registry.js";
import { TurnList } from "./turn_view.js";
import { t } from "../locale.js";
import { openProposals } from "./stored_turns.js";
import { plainText } from "./answer_view.js";
import { isProposal, waitingLine } from "./payload_card.js";
import { WRITING_TOOLS, toolName } from "./tool_card.js";

/**
 * @typedef {object} Tray  what the turns stand in
 * @property {Conversation} conversation @property {HTMLElement} log @property {HTMLElement} sheet  the tray itself
 * @property {DOMStringMap} page  what the page is, and is about
 * @property {Composed} composed @property {StickyLog} sticky
 * @property {() => void} onChange  something looks different @property {() => void} draw  at once
 * @property {(error: any, again: () => void) => void} loadFailed @property {(sentence: string) => void} onFault
 * @property {(words: string) => void} say  for those who listen @property {() => void} news
 * @property {(text: string, type: string) => void} send
 */

/** Nothing has been answered or turned back from its card yet. */
const UNTOUCHED = { byPayload: new Map(), byChange: new Map() };

export class Said {
  /** @type {Settlements | undefined} */
  #settlements;
  #shown;
  #turns;
  #earlier;
  /** Of actions that ran at once; what shows them comes with the first. @type {ActionReceipts | undefined} */
  #receipts;
  /** @type {Promise<ActionReceipts> | undefined} */
  #fetching;

  /** @param {Tray} tray */
  constructor(tray) {
    this.tray = tray;
    const { conversation, log, sheet, onChange } = tray;
    this.#shown = new Shown(sheet, onChange);
    this.#earlier = earlierButton(() => this.#lookBack((back) => back.earlier()));
    this.#turns = new TurnList(log, this.#acts());
    document.addEventListener("payload-settled", (/** @type {any} */ { detail }) => this.#settlements?.forget(detail.id));
    document.addEventListener("change-turned-back", (/** @type {any} */ { detail }) => markUndone(conversation, detail.change, detail.verb === "undo"));
  }

  /** @param {{running: boolean, connection: string}} now @param {HTMLElement} greeting  while nothing was said */
  draw(now, greeting) {
    const { byPayload: settling, byChange: taken } = this.#settlements ?? UNTOUCHED;
    const { turns, earlier } = this.tray.conversation;
    if (!this.#fetching && turns.some(runsAtOnce)) this.#withReceipts(this.tray.onChange);
    this.#turns.draw(turns, { ...now, receipts: this.#receipts?.draw, taken, settling, looks: registryVersion() }, { greeting, earlier: earlier ? this.#earlier : null });
  }

  /** @param {TurnView} turn  with the event in it @param {any} event */
  react(turn, event) {
    const { say, news, page, conversation } = this.tray;
    react(turn, event, { say, news, show: (payload) => this.#shown.show(payload), objectId: page.objectId ?? "", conversation });
    // A turn that is only followed here (after a reload, in another tab) has run, or is offered.
    const begun = conversation.begunHere.get(turn.key);
    if (event.type === "complete" && runsAtOnce(turn) && begun) this.#withReceipts((receipts) => receipts.run(turn, { writes: begun.typed }));
  }

  /** @param {(receipts: ActionReceipts) => void} use  once they are there */
  #withReceipts(use) {
    this.#fetching ??= late(t("The request could not be started."), () => load(() => import("./action_receipts.js")))
      .then(({ ActionReceipts }) => (this.#receipts = new ActionReceipts(this.tray)));
    this.#fetching.then(use);
  }

  /** @param {(settlements: Settlements) => void} use  once they are there, with the first button that needs them */
  async #settle(use) {
    const { conversation, onChange } = this.tray;
    const { Settlements } = await late(t("The change could not be started."), () => load(() => import("./answer_proposal.js")));
    this.#settlements ??= new Settlements({ onChange, onTurnedBack: (...how) => markUndone(conversation, ...how) });
    use(this.#settlements);
  }

  /** Another conversation is open: what waits in it for an answer is shown. */
  takeUp() {
    const { turns } = this.tray.conversation;
    this.#shown.learn(turns.flatMap((turn) => turn.payload?.type ?? []));
    const pending = turns.findLast((turn) => turn.payload?.status === "pending");
    if (pending) this.#shown.show(pending.payload);
  }

  /** Earlier messages and other versions are fetched by those few who look for them. @param {(back: LookingBack) => void} use */
  #lookBack(use) {
    late(t("The messages could not be loaded."), () => load(() => import("./older_messages.js"))).then(({ LookingBack }) => use(new LookingBack(this.tray)));
  }

  /** @param {TurnView} turn @param {string} text */
  async #inOtherWords(turn, text) {
    const { conversation, composed, loadFailed } = this.tray;
    try {
      if (!(await conversation.edit(turn, text))) composed.giveBack(text);
    } catch (error) {
      loadFailed(error, () => this.#inOtherWords(turn, text));
    }
  }

  /** @returns {TurnActs} */
  #acts() {
    const { conversation, page, sticky, send, onFault } = this.tray;
    return {
      cancel: () => conversation.stop(),
      again: (turn) => conversation.again(turn),
      edit: (turn, text) => {
        sticky.toEnd();
        this.#inOtherWords(turn, text);
      },
      showVersion: (id, earlier) => this.#lookBack((back) => back.version(id, earlier)),
      rated: (turn, feedback) => conversation.rate(turn.messageId, feedback),
      diagnoses: "diagnostics" in page,
      sendValue: (text) => send(text, "value_selected"),
      runAction: (entry, face) => runAction(entry, face, { context: () => pageContext(page), conversation, newId, onFault }),
      showPayload: (payload) => this.#shown.show(payload, { focus: true }),
      answer: (...how) => this.#settle((settlements) => settlements.answer(...how)),
      turnBackTool: (...how) => this.#settle((settlements) => settlements.turnBackTool(...how)),
      turnBack: (...how) => this.#settle((settlements) => settlements.turnBack(...how)),
    };
  }
}

/** @param {TurnView} turn @returns {boolean} whether it has an action that runs without a click */
function runsAtOnce({ suggestedActions }) {
  return suggestedActions.some(({ run }) => run);
}

const OPEN_STATES = ["pending", "shown"]; // the others are settled

/** Payloads where their handlers show them: in the page, or in the floating panel, which comes with the first that needs it. */
class Shown {
  /** What is to be shown once it is known how. */
  #wanted = "";
  /** @type {Promise<any> | null} */
  #panel = null;

  /** @param {HTMLElement} tray @param {() => void} onLearned  types look otherwise than before */
  constructor(tray, onLearned) {
    this.tray = tray;
    this.onLearned = onLearned;
    document.addEventListener("payload-settled", (/** @type {any} */ { detail }) => {
      if (detail.id === this.#wanted) this.#wanted = "";
    });
  }

  /** @param {Payload} payload @param {{focus?: boolean}} [options]  focus: the person asked for it */
  async show(payload, { focus = false } = {}) {
    const handler = payloadHandler(payload.type);
    if (!handler || !OPEN_STATES.includes(payload.status)) return;
    const answer = (/** @type {"apply" | "dismiss"} */ way) => this.#fetched().then((panel) => panel.answer(payload, way));
    const callbacks = { apply: () => answer("apply"), dismiss: () => answer("dismiss") };
    const content = handler.render(payload, callbacks);
    if (!(content instanceof Node)) return;
    this.#wanted = payload.id;
    const held = document.activeElement;
    const [panel] = await Promise.all([this.#fetched(), this.learn([payload.type])]);
    if (this.#wanted === payload.id) panel.open(payload, content, { ...callbacks, focus: focus && document.activeElement === held });
  }

  /** Asks how these types are to look, where that is not known: those of other tabs. @param {string[]} types */
  async learn(types) {
    if (types.every((type) => isDeclared(type) || !payloadHandler(type))) return;
    // Without an answer they are shown under plain words.
    const answer = await api.get("/api/chat/payload-types/").catch(() => null);
    if (!answer) return;
    declarePayloadTypes(answer.payload_types);
    this.onLearned();
  }

  #fetched() {
    this.#panel ??= late(t("The panel could not be loaded."), () => load(() => import("./payload_panel.js"))).then(({ PayloadPanel }) => new PayloadPanel(this.tray));
    return this.#panel;
  }
}

const HEARD = 500; // characters of an answer that are read out by themselves

/**
 * @param {TurnView} turn  with the event in it
 * @param {any} event
 * @param {{say: (words: string) => void, news: () => void, show: (payload: any) => void, objectId: string, conversation: Conversation}} around
 */
export function react(turn, event, around) {
  switch (event.type) {
    case "payload_progress":
      payloadHandler(event.payload_type)?.onProgress?.(event);
      break;
    case "tool_start":
      around.say(toolLabel(event.tool) || toolName(event.tool).title);
      break;
    case "tool_complete":
      if (!event.is_error && WRITING_TOOLS.has(event.tool)) {
        tell("table-changed", { table_id: Number(around.objectId) || null });
      }
      // The page's Undo takes it back too, however the turn ends.
      if (event.undo && around.conversation.begunHere.has(turn.key)) {
        tell("tool-wrote", { table_id: event.undo.table_id, change_id: event.undo.change_id });
      }
      break;
    case "complete":
      around.news();
      completed(turn, around);
      break;
    case "cancelled":
      around.say(t("Stopped"));
      tell("payload-dropped", { turn_id: turn.turnId });
      break;
    case "error":
      around.news();
      tell("payload-dropped", { turn_id: turn.turnId });
      break;
  }
}

/** @param {TurnView} turn @param {{say: (words: string) => void, show: (payload: any) => void, conversation: any}} around */
function completed(turn, { say, show, conversation }) {
  const { payload } = turn;
  // Marks take room as well, but hardly more than that.
  const heard = plainText(turn.text.slice(0, HEARD * 8)).slice(0, HEARD);
  if (!payload) {
    tell("payload-dropped", { turn_id: turn.turnId });
    say(heard || t("The assistant is done"));
    return;
  }
  askAboutOlder(payload, conversation);
  show(payload);
  // What arrived on the way and is of another kind than what came of it.
  tell("payload-dropped", { turn_id: turn.turnId });
  say(isProposal(payload) ? `${heard} ${waitingLine(payload)}` : heard);
}

/** A new proposal may have replaced those that waited; the server knows which. @param {any} payload @param {any} conversation */
async function askAboutOlder(payload, conversation) {
  const waits = (/** @type {string} */ id) => openProposals(conversation.turns).some((open) => open.id === id);
  for (const { id } of openProposals(conversation.turns)) {
    if (id === payload.id) continue;
    const now = await api.get(`/api/chat/payloads/${id}/`).catch(() => null); // the next load will tell
    if (now && waits(id)) conversation.settle(id, { status: now.status, outcome: now.outcome });
  }
}
