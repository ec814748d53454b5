// Converts stored messages to turns; finds the parent of a message that is retried or edited; loads versions.

import { newTurn, toolsFromHistory } from "./state.js";

const UNANSWERED = Object.freeze({ code: "unanswered", message: "", retryable: true, retryAfter: null });

/**
 * @param {any[]} messages  in order; a user's message is followed by its answer, if it has one
 * @param {string|null} runningTurnId  its turn is returned as running and empty; its content comes from the stream
 * @param {string} conversationId
 * @returns {TurnView[]}
 */
export function turnsFromMessages(messages, runningTurnId, conversationId) {
  /** @type {TurnView[]} */
  const turns = [];
  for (const message of messages) {
    if (message.role === "user") {
      turns.push(questionTurn(message, conversationId));
      continue;
    }
    const last = turns.at(-1);
    const isAnswer = last !== undefined && last.messageId === "";
    const turn = isAnswer ? last : questionTurn({ id: message.id, text: "", turn_id: message.turn_id }, conversationId);
    if (!isAnswer) turns.push(turn);
    if (message.turn_id === null || message.turn_id !== runningTurnId) addAnswer(turn, message);
  }
  // The running turn is the last one. A retried message still has the id of the turn that answered it first.
  const last = turns.at(-1);
  if (runningTurnId && last) Object.assign(last, { phase: "running", turnId: runningTurnId });
  else if (last?.phase === "complete" && !last.messageId) Object.assign(last, { phase: "error", error: UNANSWERED });
  return turns;
}

/**
 * Reuse the keys of turns that are loaded again, so that the page preserves open details and typed text.
 * @param {TurnView[]} turns @param {TurnView[]} before @returns {TurnView[]}
 */
export function withKeysFrom(turns, before) {
  const keys = new Map(before.filter(({ turnId }) => turnId).map(({ turnId, key }) => [turnId, key]));
  return turns.map((turn) => ({ ...turn, key: keys.get(turn.turnId) ?? turn.key }));
}

/** @param {TurnView} turn @returns {boolean} whether it has ended without an answer */
export function isUnanswered(turn) {
  return turn.error?.code === UNANSWERED.code;
}

/** @param {any} message @param {string} conversationId @returns {TurnView} */
function questionTurn(message, conversationId) {
  const isContinued = message.interaction_type === "action_executed";
  const turn = newTurn({ files: message.files, key: message.id, userText: message.text ?? "", at: message.created_at ?? "", isContinued, parentId: message.parent_id });
  const versions = message.role === "user" ? { questionId: message.id, questionVersions: message.beside ?? [] } : {};
  return { ...turn, ...versions, turnId: message.turn_id ?? "", conversationId, phase: "complete", ...failure(message) };
}

/** @param {TurnView} turn @param {any} message */
function addAnswer(turn, message) {
  const payload = message.custom_payload ?? null;
  Object.assign(turn, {
    messageId: message.id,
    answerVersions: message.beside ?? [],
    turnId: message.turn_id ?? turn.turnId,
    at: message.created_at ?? turn.at,
    text: message.text ?? "",
    tools: toolsFromHistory(message.tool_history ?? []),
    payload: payload && payload.type !== "tool_history" ? payload : null,
    suggestedValues: message.suggested_values ?? [],
    suggestedActions: message.suggested_actions ?? [],
    links: message.links ?? {},
    warning: message.warning ?? "",
    unreadable: message.unreadable ?? "",
    feedback: message.feedback ?? null,
    phase: "complete",
    error: null,
    ...failure(message),
  });
}

/** @param {any} message @returns {Partial<TurnView>} how its turn failed, if it did */
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

/**
 * @typedef {object} Branch  the branch that is shown, if it is not the current one of the conversation
 * @property {string} last  its last message, "" for the current branch
 * @property {any[]} open   pending proposals of the current branch
 */
/** @type {Branch} */
export const LATEST_BRANCH = Object.freeze({ last: "", open: [] });

/** @param {TurnView[]} turns @param {TurnView} turn @returns {TurnView[]} the turns before it */
export function turnsBefore(turns, turn) {
  return turns.slice(0, turns.findIndex((entry) => entry.key === turn.key));
}

/** @param {TurnView[]} turns @returns {string | null | undefined} parent id of the next message; undefined: unknown */
export function lastMessageId(turns) {
  return turns.length ? turns.at(-1).messageId || undefined : null;
}

/** @param {Scope} scope @param {TurnView} turn @returns {{parent_message_id?: string | null}} request field with its parent */
export function parentField({ conversationId }, { parentId }) {
  return conversationId && parentId !== undefined ? { parent_message_id: parentId } : {};
}

/**
 * @param {TurnView[]} turns @param {TurnView[]} stored  the same turns from the server
 * @returns {TurnView[]} with the versions of questions and answers
 */
export function withVersions(turns, stored) {
  return turns.map((turn) => {
    const { questionId, questionVersions, messageId, answerVersions } = stored.find(({ turnId }) => turnId && turnId === turn.turnId) ?? turn;
    return { ...turn, questionId, questionVersions, messageId: messageId || turn.messageId, answerVersions };
  });
}

/** @param {TurnView[]} turns @returns {any[]} pending proposals */
export function openProposals(turns) {
  return turns.flatMap(({ payload }) => (payload?.status === "pending" ? [payload] : []));
}

/**
 * Return the turn with a known parent. The stream does not send the id of a failed answer: it is loaded.
 * @param {Conversation} conversation @param {TurnView} turn @returns {Promise<TurnView | null>} null if it does not exist any more
 */
export async function withParent(conversation, turn) {
  const { conversationId } = conversation.scope;
  // A turn that never reached the server is appended to the last message.
  if (!conversationId || turn.parentId !== undefined || !turn.turnId) return turn;
  await conversation.open(conversationId);
  return conversation.turns.findLast(({ turnId, userText }) => turnId === turn.turnId && userText === turn.userText) ?? null;
}

/** Load the versions of the turns, which the stream does not send. @param {Conversation} conversation */
export async function refreshVersions(conversation) {
  const { conversationId } = conversation.scope;
  // the next load will have them
  const answer = await conversation.server.messages(conversationId).catch(() => null);
  if (!answer || conversation.branch.last || conversation.scope.conversationId !== conversationId) return;
  conversation.turns = withVersions(conversation.turns, turnsFromMessages(answer.messages, null, conversationId));
  conversation.onChange();
}
