// A turn that the server refuses to begin or to go on with.

import { t } from "../locale.js";
import { failed } from "./state.js";

/** @typedef {import("../api.js").ApiError} ApiError */

const GOES_ON = t("You are signed out. The answer goes on without you and is here when you are back.");

/**
 * What becomes of a turn that the server refuses to begin or to go on with: nothing that was said is lost.
 * @param {Conversation} conversation @param {TurnView} turn
 * @param {{error: ApiError, body: any, put: (turn: TurnView) => void, keep: () => void}} how
 *   body: what it was begun with; put: so it looks now; keep: it waits for another that runs
 */
export function refused(conversation, turn, { error: known, body, put, keep }) {
  if (known.status === 401 && turn.turnId) {
    put(failed(turn, { code: known.code, message: GOES_ON, body: {}, retryable: false }));
    conversation.onSignedOut("");
  } else if (known.status === 401) {
    conversation.turns = conversation.turns.filter((entry) => entry.key !== turn.key);
    conversation.onSignedOut(turn.userText);
  } else if (known.code === "conversation_elsewhere") {
    // What it was about has moved to a page of its own; here a new one begins.
    conversation.open("").then(() => conversation.send(turn.userText));
  } else if (turn.turnId || (known.status === 409 && known.body.turn_id)) {
    // The server knows better what has become of it; a message that met a running turn waits for that one.
    if (!turn.turnId) keep();
    conversation.open(conversation.scope.conversationId).catch(() => put(failed(turn, known)));
  } else {
    put(failed(turn, known));
  }
}
