// The "Try it" section of the admin: a conversation with the unsaved form and, beside it, with the saved configuration.

import { ApiError } from "../api.js";
import { el } from "../element.js";
import { t } from "../locale.js";
import { localizeNumbers } from "./configuration/localized_numbers.js";
import { TrialSide } from "./trial_side.js";
import { ExchangeView, runExchange } from "./trial_view.js";
import { StoredTests } from "./trial_tests.js";
import { errorLines } from "./turn_view.js";

class TryIt {
  /** @type {TrialSide[]} */
  #sides = [];
  /** The user's messages so far. @type {string[]} */
  #messages = [];
  /** The fields that belong to the conversation; another value starts a new one. */
  #scope = "";
  #isRunning = false;

  /** @param {HTMLElement} section */
  constructor(section) {
    document.documentElement.dataset.sprite ??= section.dataset.sprite;
    this.section = section;
    this.form = /** @type {HTMLFormElement} */ (document.getElementById(section.dataset.form));
    const part = (/** @type {string} */ name) => /** @type {any} */ (section.querySelector(`[data-try="${name}"]`));
    [this.sendButton, this.stopButton, this.newButton] = [part("send"), part("stop"), part("new")];
    [this.compare, this.status, this.refused, this.log] = [part("compare"), part("status"), part("refused"), part("log")];
    this.message = /** @type {HTMLTextAreaElement} */ (section.querySelector('[name="message"]'));
    this.sendButton.addEventListener("click", () => this.send());
    this.stopButton.addEventListener("click", () => this.stop());
    this.newButton.addEventListener("click", () => {
      this.#restart();
      this.message.focus();
    });
    this.message.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !(event.ctrlKey || event.metaKey) || event.isComposing) return;
      event.preventDefault();
      this.send();
    });
    this.tests = new StoredTests(part("tests"), {
      address: section.dataset.address, form: this.form, names: () => this.#names(), onBusy: (busy) => (this.sendButton.disabled = busy),
    });
    this.storeButton = part("store");
    this.storeButton.addEventListener("click", () => this.tests.openForm({ where: String(new FormData(this.form).get("where")), messages: this.#messages }));
    section.hidden = false;
  }

  async send() {
    if (this.#isRunning || this.tests.isRunning) return;
    this.refused.replaceChildren();
    const message = this.message.value;
    if (message.trim() === "") {
      this.#refuse({ code: "malformed", message: t("Enter a message first.") });
      this.message.focus();
      return;
    }
    const fields = new FormData(this.form);
    const scope = JSON.stringify([...["where", "person", "object"].map((name) => fields.get(name) ?? ""), this.#names()]);
    if (scope !== this.#scope) this.#restart();
    this.#scope = scope;
    this.#busy(true);
    const view = new ExchangeView(message, { sides: this.#names(), onCancel: () => this.stop() });
    this.log.append(view.node);
    try {
      await runExchange({ message }, { sides: this.#sides, view });
      view.finish();
      this.#messages.push(message);
      this.message.value = "";
    } catch (error) {
      view.node.remove();
      const { code, message: words } = error instanceof ApiError ? error : { code: "unreachable", message: t("The server cannot be reached.") };
      this.#refuse({ code, message: words }, error instanceof ApiError ? error.errors : []);
    } finally {
      this.#busy(false);
    }
  }

  async stop() {
    this.status.textContent = t("Stopping");
    await Promise.all(this.#sides.map((side) => side.stop()));
  }

  /** @returns {("saved" | "draft")[]} the configurations that answer, in the order of their panes */
  #names() {
    if (!this.compare) return ["saved"];
    return this.compare.checked ? ["saved", "draft"] : ["draft"];
  }

  #restart() {
    const { address } = this.section.dataset;
    this.#sides = this.#names().map((name) => new TrialSide({ name, address, form: this.form }));
    this.#messages = [];
    this.log.replaceChildren();
    this.refused.replaceChildren();
    this.#scope = "";
    this.newButton.hidden = true;
    this.storeButton.hidden = true;
    this.tests.closeForm();
  }

  /** @param {{code: string, message: string}} error @param {{path?: string, detail: string}[]} [faults] */
  #refuse(error, faults = []) {
    const { title, detail } = errorLines(error);
    const more = faults.map((fault) => fault.detail).filter((words) => !error.message.includes(words));
    this.refused.replaceChildren(
      el("div", { class: "errornote", role: "alert" }, el("p", {}, [title, detail].filter(Boolean).join(". ")),
        more.length ? el("ul", {}, ...more.map((words) => el("li", {}, words))) : null));
  }

  /** @param {boolean} busy */
  #busy(busy) {
    const hadFocus = document.activeElement === this.stopButton || document.activeElement === this.sendButton;
    this.#isRunning = busy;
    this.sendButton.disabled = busy;
    this.stopButton.hidden = !busy;
    this.status.textContent = busy ? t("Answering") : "";
    this.newButton.hidden = this.storeButton.hidden = busy || this.#messages.length === 0;
    this.tests.runButton.disabled = busy;
    if (hadFocus && !busy) this.message.focus();
  }
}

localizeNumbers();
const section = /** @type {HTMLElement | null} */ (document.getElementById("try-it"));
if (section) new TryIt(section);
