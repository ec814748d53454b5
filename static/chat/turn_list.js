// The turns with their payloads and actions, and the effects of stream events on the page. Loaded with the first turn, since
// many visits have none.

import { api, newId } from "../api.js";
import { markUndone } from "./tab_sync.js";
import { earlierButton } from "./tray_parts.js";
import { lazy, load } from "../element.js";
import { declarePayloadTypes, dispatch, hasOwnCard, isDeclared, isProposal, pageContext, payloadHandler, registryVersion, toolName } from "./registry.js";
import { runAction } from "./turn_parts.js";
import { TurnListView } from "./turn_view.js";
import { t } from "../locale.js";
import { openProposals } from "./stored_turns.js";
import { plainText } from "./answer_view.js";

/**
 * @typedef {object} Tray  the surroundings of the turns
 * @property {Conversation} conversation @property {HTMLElement} log @property {HTMLElement} sheet  the tray itself
 * @property {DOMStringMap} page  the page and its object
 * @property {Drafts} drafts @property {StickyLog} sticky
 * @property {() => void} onChange  something visible has changed @property {() => void} draw  now
 * @property {(error: any, again: () => void) => void} loadFailed @property {(sentence: string) => void} onFault
 * @property {(words: string) => void} say  announces to screen readers @property {() => void} news
 * @property {(text: string, type: string) => void} send
 */

/** No proposal was answered and no change undone yet. */
const NO_ANSWERS = { byPayload: new Map(), byChange: new Map() };

export class TurnList {
  /** @type {ProposalAnswers | undefined} */
  #answers;
  #presenter;
  #turns;
  #earlier;
  /** Receipts of actions that ran without a click; loaded with the first one. @type {ActionReceipts | undefined} */
  #receipts;
  /** @type {Promise<ActionReceipts> | undefined} */
  #fetching;
  /** Loaded with the first payload that its handler does not draw. @type {PayloadCards | undefined} */
  #cards;
  #fetchingCards = false;

  /** @param {Tray} tray */
  constructor(tray) {
    this.tray = tray;
    const { conversation, log, sheet, onChange } = tray;
    this.#presenter = new PayloadPresenter(sheet, onChange);
    this.#earlier = earlierButton(() => this.#withOlderMessages((older) => older.earlier()));
    this.#turns = new TurnListView(log, this.#handlers());
    document.addEventListener("payload-settled", (/** @type {any} */ { detail }) => this.#answers?.forget(detail.id));
    // The page has undone or redone the change of a tool.
    document.addEventListener("tool-undone", (/** @type {any} */ { detail }) => markUndone(conversation, detail.undo, detail.undone));
  }

  /** @param {{running: boolean, connection: string}} now @param {HTMLElement} greeting  shown while there are no turns */
  draw(now, greeting) {
    const { byPayload: answerStates, byChange: undoFailures } = this.#answers ?? NO_ANSWERS;
    const { turns, earlier } = this.tray.conversation;
    if (!this.#fetching && turns.some(hasAutomaticAction)) this.#withReceipts(this.tray.onChange);
    if (!this.#fetchingCards && turns.some(({ payload, unreadable }) => unreadable || (payload && !hasOwnCard(payload)))) this.#fetchCards();
    this.#turns.draw(turns, { ...now, cards: this.#cards, receipts: this.#receipts?.draw, undoFailures, answerStates, registryVersion: registryVersion() }, { greeting, earlier: earlier ? this.#earlier : null });
  }

  /** @param {TurnView} turn  after the event @param {any} event */
  handleEvent(turn, event) {
    const { say, news, conversation } = this.tray;
    handleEvent(turn, event, { say, news, show: (payload) => this.#presenter.show(payload), conversation });
    // In turns that are only followed here (after a reload, in another tab) the actions have run already, or are offered.
    const started = conversation.startedHere.get(turn.key);
    if (event.type === "complete" && hasAutomaticAction(turn) && started) this.#withReceipts((receipts) => receipts.run(turn, { writes: started.typed }));
  }

  /** @param {(receipts: ActionReceipts) => void} use  called when they are loaded */
  #withReceipts(use) {
    this.#fetching ??= lazy(t("The request could not be started."), () => load(() => import("./action_receipts.js")))
      .then(({ ActionReceipts }) => (this.#receipts = new ActionReceipts(this.tray)));
    this.#fetching.then(use);
  }

  async #fetchCards() {
    this.#fetchingCards = true;
    const { PayloadCards } = await lazy(t("The proposal could not be loaded."), () => load(() => import("./proposal_card.js")));
    const { answer, showPayload } = this.#handlers();
    this.#cards = new PayloadCards({ answer, show: showPayload, say: this.tray.say });
    this.tray.onChange();
  }

  /** @param {(answers: ProposalAnswers) => void} use  called when they are loaded */
  async #withAnswers(use) {
    const { conversation, onChange } = this.tray;
    const { ProposalAnswers } = await lazy(t("The change could not be started."), () => load(() => import("./answer_proposal.js")));
    this.#answers ??= new ProposalAnswers({ onChange, onUndoTool: (...how) => markUndone(conversation, ...how) });
    use(this.#answers);
  }

  /** Show the pending proposal of the opened conversation. */
  showPending() {
    const { turns } = this.tray.conversation;
    this.#presenter.loadDeclarations(turns.flatMap((turn) => turn.payload?.type ?? []));
    const pending = turns.findLast((turn) => turn.payload?.status === "pending");
    if (pending) this.#presenter.show(pending.payload);
  }

  /** Load the module for earlier messages and versions, which few users need. @param {(older: OlderMessages) => void} use */
  #withOlderMessages(use) {
    lazy(t("The messages could not be loaded."), () => load(() => import("./older_messages.js"))).then(({ OlderMessages }) => use(new OlderMessages(this.tray)));
  }

  /** @param {TurnView} turn @param {string} text */
  async #edit(turn, text) {
    const { conversation, drafts, loadFailed } = this.tray;
    try {
      if (!(await conversation.edit(turn, text))) drafts.restoreText(text);
    } catch (error) {
      loadFailed(error, () => this.#edit(turn, text));
    }
  }

  /** @returns {TurnHandlers} */
  #handlers() {
    const { conversation, page, sticky, send, onFault } = this.tray;
    return {
      cancel: () => conversation.stop(),
      retry: (turn) => conversation.retry(turn),
      edit: (turn, text) => {
        sticky.toEnd();
        this.#edit(turn, text);
      },
      showVersion: (id, earlier) => this.#withOlderMessages((older) => older.version(id, earlier)),
      onRated: (turn, feedback) => conversation.rate(turn.messageId, feedback),
      hasDiagnostics: "diagnostics" in page,
      sendValue: (text) => send(text, "value_selected"),
      runAction: (entry, control) => runAction(entry, control, { context: () => pageContext(page), conversation, newId, onFault }),
      showPayload: (payload) => this.#presenter.show(payload, { focus: true }),
      answer: (...how) => this.#withAnswers((answers) => answers.answer(...how)),
      undoOrRedoTool: (...how) => this.#withAnswers((answers) => answers.undoOrRedoTool(...how)),
      undoOrRedo: (...how) => this.#withAnswers((answers) => answers.undoOrRedo(...how)),
    };
  }
}

/** @param {TurnView} turn @returns {boolean} whether one of its actions runs without a click */
function hasAutomaticAction({ suggestedActions }) {
  return suggestedActions.some(({ run }) => run);
}

// the others are settled
const OPEN_STATES = ["pending", "shown"];

/** Shows payloads through their handlers: in the page, or in the floating panel, which is loaded on demand. */
class PayloadPresenter {
  /** Id of the payload to show when its type is declared. */
  #wanted = "";
  /** @type {Promise<any> | null} */
  #panel = null;

  /** @param {HTMLElement} tray @param {() => void} onDeclared  types may look different */
  constructor(tray, onDeclared) {
    this.tray = tray;
    this.onDeclared = onDeclared;
    document.addEventListener("payload-settled", (/** @type {any} */ { detail }) => {
      if (detail.id === this.#wanted) this.#wanted = "";
    });
  }

  /** @param {Payload} payload @param {{focus?: boolean}} [options]  focus: opened by the user */
  async show(payload, { focus = false } = {}) {
    const handler = payloadHandler(payload.type);
    if (!handler?.render) this.loadDeclarations([payload.type]);
    if (!handler?.render || !OPEN_STATES.includes(payload.status)) return;
    const answer = (/** @type {"apply" | "dismiss"} */ way) => this.#loadPanel().then((panel) => panel.answer(payload, way));
    const callbacks = { apply: () => answer("apply"), dismiss: () => answer("dismiss") };
    const content = handler.render(payload, callbacks);
    if (!(content instanceof Node)) return;
    this.#wanted = payload.id;
    const focused = document.activeElement;
    const [panel] = await Promise.all([this.#loadPanel(), this.loadDeclarations([payload.type])]);
    if (this.#wanted === payload.id) panel.open(payload, content, { ...callbacks, focus: focus && document.activeElement === focused });
  }

  /** Load the declarations of types that are not known yet, because they belong to other tabs of the page. @param {string[]} types */
  async loadDeclarations(types) {
    if (types.every(isDeclared)) return;
    // Without them, defaults are used.
    const answer = await api.get("/api/chat/payload-types/").catch(() => null);
    if (!answer) return;
    // Types that do not exist any more are not requested again.
    declarePayloadTypes([...types.map((name) => ({ name })), ...answer.payload_types]);
    this.onDeclared();
  }

  #loadPanel() {
    this.#panel ??= lazy(t("The panel could not be loaded."), () => load(() => import("./payload_panel.js"))).then(({ PayloadPanel }) => new PayloadPanel(this.tray));
    return this.#panel;
  }
}

// characters of an answer that are announced
const ANNOUNCED_LENGTH = 500;

/**
 * @param {TurnView} turn  after the event
 * @param {any} event
 * @param {{say: (words: string) => void, news: () => void, show: (payload: any) => void, conversation: Conversation}} context
 */
export function handleEvent(turn, event, context) {
  switch (event.type) {
    case "payload_progress":
      payloadHandler(event.payload_type)?.onProgress?.(event);
      break;
    case "tool_start":
      context.say(toolName(event.tool).title);
      break;
    case "tool_complete":
      dispatch("tool-done", { tool: event.tool, failed: event.is_error === true, undo: event.undo ?? null, startedHere: context.conversation.startedHere.has(turn.key) });
      break;
    case "complete":
      context.news();
      completed(turn, context);
      break;
    case "cancelled":
      context.say(t("Stopped"));
      dispatch("payload-dropped", { turn_id: turn.turnId });
      break;
    case "error":
      context.news();
      dispatch("payload-dropped", { turn_id: turn.turnId });
      break;
  }
}

/** @param {TurnView} turn @param {{say: (words: string) => void, show: (payload: any) => void, conversation: any}} context */
function completed(turn, { say, show, conversation }) {
  const { payload } = turn;
  // Markup is removed from the text before it is cut.
  const announced = plainText(turn.text.slice(0, ANNOUNCED_LENGTH * 8)).slice(0, ANNOUNCED_LENGTH);
  if (!payload) {
    dispatch("payload-dropped", { turn_id: turn.turnId });
    say(announced || t("The assistant is done"));
    return;
  }
  updateOlderProposals(payload, conversation);
  show(payload);
  // Removes a streamed proposal if the result is of another kind.
  dispatch("payload-dropped", { turn_id: turn.turnId });
  const waiting = payloadHandler(payload.type)?.announce?.(payload) ?? payload.summary;
  say(isProposal(payload) ? `${announced} ${waiting}` : announced);
}

/** A new proposal may have replaced pending ones; the server knows which. @param {any} payload @param {any} conversation */
async function updateOlderProposals(payload, conversation) {
  const waits = (/** @type {string} */ id) => openProposals(conversation.turns).some((open) => open.id === id);
  for (const { id } of openProposals(conversation.turns)) {
    if (id === payload.id) continue;
    // the next load will update it
    const now = await api.get(`/api/chat/payloads/${id}/`).catch(() => null);
    if (now && waits(id)) conversation.updatePayload(id, { status: now.status, outcome: now.outcome });
  }
}
