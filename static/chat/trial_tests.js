// The stored tests below "Try it": storing a conversation as a test, and running all tests of the page with both configurations.

import { api } from "../api.js";
import { el } from "../element.js";
import { t, tn } from "../locale.js";
import { plainText } from "./answer_view.js";
import { declareTools } from "./registry.js";
import { TrialSide } from "./trial_side.js";
import { ExchangeView, runExchange } from "./trial_view.js";

const MAX_TITLE_LENGTH = 120;
const MAX_SHOWN = 160; // characters of an answer in the list
// The budget of the day is used up, or no further answer can succeed.
const FATAL = new Set(["budget_exhausted", "provider_auth"]);

/** @typedef {{id: number, title: string, where: string, place: string, messages: string[], edit_url: string}} StoredTest */

export class StoredTests {
  isRunning = false;
  #isStopped = false;
  /** @type {TrialSide[]} */
  #sides = [];
  /** @type {StoredTest[]} */
  #tests = [];
  /** @type {{where: string, messages: string[]} | null} */
  #toStore = null;
  #page = "";

  /**
   * @param {HTMLElement} node
   * @param {{address: string, form: HTMLFormElement, names: () => ("saved" | "draft")[], onBusy: (busy: boolean) => void}} options  names: of the configurations that answer
   */
  constructor(node, options) {
    this.node = node;
    this.options = options;
    const part = (/** @type {string} */ name) => /** @type {any} */ (node.querySelector(`[data-tests="${name}"]`));
    [this.storeForm, this.title, this.error] = [part("form"), part("title"), part("error")];
    [this.runButton, this.stopButton, this.progress] = [part("run"), part("stop"), part("progress")];
    [this.status, this.list, this.heading] = [part("status"), part("list"), part("heading")];
    this.runButton.addEventListener("click", () => this.runAll());
    this.stopButton.addEventListener("click", () => this.stop());
    part("save").addEventListener("click", () => this.#store());
    part("cancel").addEventListener("click", () => this.closeForm());
    this.title.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || event.isComposing) return;
      event.preventDefault();
      this.#store();
    });
    options.form.elements.namedItem("where")?.addEventListener("change", () => this.load());
    this.load();
  }

  /** Show the tests of the selected page. The response has the names of all tools in the language of the admin, too. */
  async load() {
    if (this.isRunning) return;
    const page = this.#page = String(new FormData(this.options.form).get("where") ?? "").split("/", 1)[0];
    const found = await api.get(`${this.node.dataset.address}?page=${encodeURIComponent(page)}`).catch(() => null);
    if (page !== this.#page || this.isRunning) return;
    this.#tests = found?.tests ?? [];
    declareTools(found?.tools ?? []);
    this.heading.textContent = t("Stored tests of {page}", { page: found?.page ?? page });
    this.#say(found === null ? t("The stored tests could not be loaded.") : this.#tests.length ? "" : t("None yet. Store a conversation as a test to repeat it after each change."));
    this.runButton.hidden = this.#tests.length === 0;
    this.list.replaceChildren(...this.#tests.map((test) => new TestResult(test).node));
  }

  /** @param {{where: string, messages: string[]}} conversation */
  openForm(conversation) {
    this.#toStore = { where: conversation.where, messages: [...conversation.messages] };
    this.title.value = conversation.messages[0].replaceAll(/\s+/g, " ").trim().slice(0, MAX_TITLE_LENGTH);
    this.error.textContent = "";
    this.storeForm.hidden = false;
    this.title.focus();
    this.title.select();
  }

  closeForm() {
    this.storeForm.hidden = true;
    this.#toStore = null;
  }

  async #store() {
    const body = this.#toStore;
    if (!body) return;
    try {
      await api.post(this.node.dataset.address, { ...body, title: this.title.value });
    } catch (error) {
      this.error.textContent = error.message;
      return;
    }
    this.closeForm();
    await this.load();
    this.#say(t("The test is stored."));
  }

  /** Run one test after the other, each with both configurations at a time. */
  async runAll() {
    if (this.isRunning) return;
    this.#busy(true);
    const names = this.options.names();
    const results = this.#tests.map((test) => new TestResult(test));
    this.list.replaceChildren(...results.map(({ node }) => node));
    this.progress.max = results.length;
    let fault = "";
    for (const [at, result] of results.entries()) {
      this.progress.value = at;
      this.#say(summary(results, at));
      fault = await this.#run(result, { names, onStatus: (words) => this.#say(words || summary(results, at)) });
      if (fault || this.#isStopped) break;
    }
    this.#busy(false);
    const done = results.filter(({ verdict }) => verdict !== "" && verdict !== "stopped").length;
    this.#say([this.#isStopped ? t("Stopped") : fault, summary(results, done)].filter(Boolean).join(". "));
  }

  async stop() {
    this.#isStopped = true;
    this.#say(t("Stopping"));
    await Promise.all(this.#sides.map((side) => side.stop()));
  }

  /**
   * @param {TestResult} result @param {{names: ("saved" | "draft")[], onStatus: (words: string) => void}} options
   * @returns {Promise<string>} why no further test can run, or ""
   */
  async #run(result, { names, onStatus }) {
    const { messages, where } = result.test;
    const { address, form } = this.options;
    this.#sides = names.map((name) => new TrialSide({ name, address, form }));
    result.begin(names);
    /** @type {(boolean | null)[]} */
    const equal = [];
    for (const message of messages) {
      const view = new ExchangeView(message, { sides: names, onCancel: () => this.stop() });
      result.add(view);
      try {
        const turns = await runExchange({ message, where }, { sides: this.#sides, view, onStatus });
        equal.push(view.finish());
        result.show(turns);
        if (this.#isStopped) return result.end("stopped");
        const failed = turns.find((turn) => turn?.phase !== "complete");
        if (failed !== undefined) {
          result.end("failed");
          return FATAL.has(failed?.error?.code ?? "") ? failed.error.message : "";
        }
      } catch (error) {
        view.fail(names.at(-1), error);
        result.end(this.#isStopped ? "stopped" : "failed");
        return error.status === undefined ? error.message : "";
      }
    }
    return result.end(names.length < 2 ? "done" : equal.every(Boolean) ? "equal" : "different");
  }

  /** @param {boolean} busy */
  #busy(busy) {
    const hadFocus = document.activeElement === (busy ? this.runButton : this.stopButton);
    this.isRunning = busy;
    if (busy) this.#isStopped = false;
    this.runButton.hidden = busy;
    this.stopButton.hidden = this.progress.hidden = !busy;
    this.options.onBusy(busy);
    if (hadFocus) (busy ? this.stopButton : this.runButton).focus();
  }

  /** @param {string} words */
  #say(words) {
    this.status.textContent = words;
  }
}

const VERDICTS = { equal: t("Equal"), different: t("Different"), done: t("Done"), failed: t("Failed"), stopped: t("Stopped") };

/** A test with its last result. */
class TestResult {
  /** @type {"" | keyof typeof VERDICTS} */
  verdict = "";
  /** @type {Map<string, HTMLElement>} */
  #answers = new Map();
  /** @type {Map<string, {in: number, out: number}>} */
  #tokens = new Map();
  /** @type {string[]} */
  #names = [];

  /** @param {StoredTest} test */
  constructor(test) {
    this.test = test;
    this.mark = el("span", { class: "verdict", hidden: true });
    this.answers = el("div", { class: "exchange__sides" });
    this.exchanges = el("div", { class: "try__log" });
    this.details = el("details", { hidden: true }, el("summary", {}, t("Answers in full")), this.exchanges);
    const count = tn("{count} message", "{count} messages", test.messages.length);
    this.node = el("li", { class: "testresult" },
      el("div", { class: "testresult__head" }, el("a", { href: test.edit_url }, test.title), el("span", { class: "quiet" }, [test.place, count].join(", ")), this.mark),
      this.answers, this.details);
  }

  /** @param {string[]} names  of the configurations */
  begin(names) {
    this.#names = names;
    this.mark.textContent = t("Running");
    this.mark.hidden = false;
    this.details.hidden = false;
  }

  /** @param {ExchangeView} view */
  add(view) {
    this.exchanges.append(view.node);
  }

  /** Show the last answers and the tokens so far. @param {(import("./trial_side.js").TrialTurn | null)[]} turns */
  show(turns) {
    turns.forEach((turn, at) => {
      const name = this.#names[at];
      const { in: before, out } = this.#tokens.get(name) ?? { in: 0, out: 0 };
      const tokens = { in: before + (turn?.usage?.input_tokens ?? 0), out: out + (turn?.usage?.output_tokens ?? 0) };
      this.#tokens.set(name, tokens);
      const words = turn?.error?.message ?? plainText(turn?.text ?? "");
      const title = { saved: t("Saved"), draft: t("Draft") }[name];
      this.#answers.set(name, el("div", { class: "exchange__side" }, el("b", {}, title),
        el("p", { dir: "auto" }, words.length > MAX_SHOWN ? `${words.slice(0, MAX_SHOWN)}…` : words),
        // Those of a stopped or failed answer are below it.
        turn?.usage ? el("p", { class: "quiet" }, t("{in} tokens in, {out} out", tokens)) : null));
    });
    this.answers.replaceChildren(...this.#answers.values());
  }

  /** @param {keyof typeof VERDICTS} verdict @returns {string} "", since the next test can run */
  end(verdict) {
    this.verdict = verdict;
    this.mark.textContent = VERDICTS[verdict];
    this.mark.className = verdict === "equal" || verdict === "done" ? "verdict" : "verdict is-different";
    return "";
  }
}

/** @param {TestResult[]} results @param {number} done */
function summary(results, done) {
  const count = (/** @type {string} */ verdict) => results.filter((result) => result.verdict === verdict).length;
  const parts = [
    [count("equal"), t("equal")], [count("different"), t("different")], [count("failed"), t("failed")],
  ].flatMap(([number, words]) => (number ? [`${number} ${words}`] : []));
  return [t("{done} of {all} tests done", { done, all: results.length }), ...parts].join(", ");
}
