// What was said, and what came of it: the turns, their payloads, what the person can do with them. Fetched with the first
// turn, for many visits see none.

import { newId } from "../api.js";
import { runAction } from "./actions.js";
import { markUndone } from "./catch_up.js";
import { LookingBack } from "./looking_back.js";
import { earlierButton } from "./parts.js";
import { PayloadPanel } from "./payload_panel.js";
import { react } from "./reactions.js";
import { pageContext, registryVersion } from "./registry.js";
import { Settlements } from "./settle.js";
import { TurnList } from "./turn_view.js";
// Whoever shows turns follows one next.
import "./stream.js";

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

export class Said {
  #settlements;
  #panel;
  #turns;
  #earlier;
  #back;

  /** @param {Tray} tray */
  constructor(tray) {
    this.tray = tray;
    const { conversation, log, sheet, composed, onChange, draw, loadFailed } = tray;
    this.#settlements = new Settlements({ onChange, onTurnedBack: (...how) => markUndone(conversation, ...how) });
    this.#panel = new PayloadPanel(sheet, onChange);
    this.#back = new LookingBack({ conversation, log, composed, draw, failed: loadFailed });
    this.#earlier = earlierButton(() => this.#back.earlier());
    this.#turns = new TurnList(log, this.#acts());
    document.addEventListener("payload-settled", (/** @type {any} */ { detail }) => this.#settlements.forget(detail.id));
  }

  /** @param {{running: boolean, connection: string}} now @param {HTMLElement} greeting  while nothing was said */
  draw(now, greeting) {
    const { byPayload: settling, byChange: taken } = this.#settlements;
    const { turns, earlier } = this.tray.conversation;
    this.#turns.draw(turns, { ...now, taken, settling, looks: registryVersion() }, { greeting, earlier: earlier ? this.#earlier : null });
  }

  /** @param {TurnView} turn  with the event in it @param {any} event */
  react(turn, event) {
    const { say, news, page, conversation } = this.tray;
    react(turn, event, { say, news, show: (payload) => this.#panel.show(payload), objectId: page.objectId ?? "", conversation });
  }

  /** Another conversation is open: what waits in it for an answer is shown. */
  takeUp() {
    const { turns } = this.tray.conversation;
    this.#panel.learn(turns.flatMap((turn) => turn.payload?.type ?? []));
    const pending = turns.findLast((turn) => turn.payload?.status === "pending");
    if (pending) this.#panel.show(pending.payload);
  }

  /** @returns {TurnActs} */
  #acts() {
    const { conversation, page, sticky, send, onFault } = this.tray;
    const settlements = this.#settlements;
    return {
      cancel: () => conversation.stop(),
      again: (turn) => conversation.again(turn),
      edit: (turn, text) => {
        sticky.toEnd();
        this.#back.inOtherWords(turn, text);
      },
      showVersion: (id, back) => this.#back.version(id, back),
      rated: (turn, feedback) => conversation.rate(turn.messageId, feedback),
      diagnoses: "diagnostics" in page,
      sendValue: (text) => send(text, "value_selected"),
      runAction: (entry, face) => runAction(entry, face, { context: () => pageContext(page), conversation, newId, onFault }),
      showPayload: (payload) => this.#panel.show(payload, { focus: true }),
      answer: (payload, way) => settlements.answer(payload, way),
      turnBackTool: (tool, way, onConflict) => settlements.turnBackTool(tool, way, onConflict),
      turnBack: (payload, way, onConflict) => settlements.turnBack(payload, way, onConflict),
    };
  }
}
