// Turns out of stored messages: what `GET conversations/{id}/messages/` answers, as the views that a stream builds.

import { newTurn, toolsFromHistory } from "./state.js";

const LOST = Object.freeze({ code: "unanswered", message: "", retryable: true, retryAfter: null });

/**
 * @param {any[]} messages  in order; a user's message is followed by its answer, if it has one
 * @param {string|null} runningTurnId  its turn is given as running, with nothing in it yet: the stream tells the rest
 * @param {string} conversationId
 * @returns {TurnView[]}
 */
export function turnsFromMessages(messages, runningTurnId, conversationId) {
  /** @type {TurnView[]} */
  const turns = [];
  for (const message of messages) {
    if (message.role === "user") {
      turns.push(asked(message, conversationId));
      continue;
    }
    const last = turns.at(-1);
    const belongs = last !== undefined && last.messageId === "";
    const turn = belongs ? last : asked({ id: message.id, text: "", turn_id: message.turn_id }, conversationId);
    if (!belongs) turns.push(turn);
    if (message.turn_id === null || message.turn_id !== runningTurnId) answer(turn, message);
  }
  // It is the last one. A message that is answered again still names the turn that answered it first.
  const last = turns.at(-1);
  if (runningTurnId && last) Object.assign(last, { phase: "running", turnId: runningTurnId });
  else if (last?.phase === "complete" && !last.messageId) Object.assign(last, { phase: "error", error: LOST });
  return turns;
}

/**
 * Turns that are read anew keep their keys, and with those whatever the page holds of them: open lids, half-written words.
 * @param {TurnView[]} turns @param {TurnView[]} before @returns {TurnView[]}
 */
export function keepingKeys(turns, before) {
  const keys = new Map(before.filter(({ turnId }) => turnId).map(({ turnId, key }) => [turnId, key]));
  return turns.map((turn) => ({ ...turn, key: keys.get(turn.turnId) ?? turn.key }));
}

/** @param {TurnView} turn @returns {boolean} whether its turn has ended and left no answer */
export function wasLost(turn) {
  return turn.error?.code === LOST.code;
}

/** @param {any} message @param {string} conversationId @returns {TurnView} */
function asked(message, conversationId) {
  const goesOn = message.interaction_type === "action_executed";
  const turn = newTurn({ key: message.id, userText: message.text ?? "", at: message.created_at ?? "", goesOn, followsId: message.parent_id });
  const place = message.role === "user" ? { askedId: message.id, askedBeside: message.beside ?? [] } : {};
  return { ...turn, ...place, turnId: message.turn_id ?? "", conversationId, phase: "complete", ...failure(message) };
}

/** @param {TurnView} turn @param {any} message */
function answer(turn, message) {
  const payload = message.custom_payload ?? null;
  Object.assign(turn, {
    messageId: message.id,
    answerBeside: message.beside ?? [],
    turnId: message.turn_id ?? turn.turnId,
    at: message.created_at ?? turn.at,
    text: message.text ?? "",
    tools: toolsFromHistory(message.tool_history ?? []),
    payload: payload && payload.type !== "tool_history" ? payload : null,
    suggestedValues: message.suggested_values ?? [],
    suggestedActions: message.suggested_actions ?? [],
    warning: message.warning ?? "",
    unreadable: message.unreadable ?? "",
    feedback: message.feedback ?? null,
    phase: "complete",
    error: null,
    ...failure(message),
  });
}

/** @param {any} message @returns {Partial<TurnView>} how its turn ended, where that was not well */
function failure(message) {
  if (message.state === "cancelled") return { phase: "cancelled" };
  if (message.state !== "error" && !message.error) return {};
  const error = message.error ?? {};
  return {
    phase: "error",
    error: {
      code: error.code ?? "internal", message: error.message ?? "", retryable: error.retryable !== false, retryAfter: null,
    },
  };
}
