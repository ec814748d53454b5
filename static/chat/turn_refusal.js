// Handles a turn that the server refuses to start or to continue.

import { t } from "../locale.js";
import { failed } from "./state.js";

/** @typedef {import("../api.js").ApiError} ApiError */

const CONTINUES = t("You are signed out. The answer continues and will be here when you sign in again.");

/**
 * Handle the refusal without losing the user's message.
 * @param {Conversation} conversation @param {TurnView} turn
 * @param {{error: ApiError, body: any, put: (turn: TurnView) => void, requeue: () => void}} how
 *   body: body of the request; put: replaces the turn; requeue: queues it behind the running turn
 */
export function refused(conversation, turn, { error: known, body, put, requeue }) {
  if (known.status === 401 && turn.turnId) {
    put(failed(turn, { code: known.code, message: CONTINUES, body: {}, retryable: false }));
    conversation.onSignedOut("");
  } else if (known.status === 401) {
    conversation.turns = conversation.turns.filter((entry) => entry.key !== turn.key);
    conversation.onSignedOut(turn.userText);
  } else if (known.code === "conversation_elsewhere") {
    // Its object has moved to another page: start a new conversation here.
    conversation.open("").then(() => conversation.send(turn.userText));
  } else if (turn.turnId || (known.status === 409 && known.body.turn_id)) {
    // The server knows the state of the turn; a message that met a running turn is queued.
    if (!turn.turnId) requeue();
    conversation.open(conversation.scope.conversationId).catch(() => put(failed(turn, known)));
  } else {
    put(failed(turn, known));
  }
}
