// Stored messages as turns; where a message stands when it is asked again, or said in other words: beside the one before, on
// a branch of its own. Reads more of the record: what was said before, other branches, what stands beside each message.

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
    links: message.links ?? {},
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

/**
 * @typedef {object} Aside  a branch that is looked at while the conversation goes on with another
 * @property {string} last  its last message, "" where it is that one itself
 * @property {any[]} open   proposals of the other that still wait for an answer
 */
/** @type {Aside} */
export const LATEST = Object.freeze({ last: "", open: [] });

/** @param {TurnView[]} turns @param {TurnView} turn @returns {TurnView[]} those that stay */
export function turnsBefore(turns, turn) {
  return turns.slice(0, turns.findIndex((entry) => entry.key === turn.key));
}

/** @param {TurnView[]} turns @returns {string | null | undefined} the message that the next one follows, as far as it is known here */
export function followedBy(turns) {
  return turns.length ? turns.at(-1).messageId || undefined : null;
}

/** @param {Scope} scope @param {TurnView} turn @returns {{parent_message_id?: string | null}} its place in the server's words */
export function placeOf({ conversationId }, { followsId }) {
  return conversationId && followsId !== undefined ? { parent_message_id: followsId } : {};
}

/**
 * @param {TurnView[]} turns @param {TurnView[]} recorded  the same as the record has them
 * @returns {TurnView[]} with all that stand in the place of each question and each answer
 */
export function withVersions(turns, recorded) {
  return turns.map((turn) => {
    const { askedId, askedBeside, messageId, answerBeside } = recorded.find(({ turnId }) => turnId && turnId === turn.turnId) ?? turn;
    return { ...turn, askedId, askedBeside, messageId: messageId || turn.messageId, answerBeside };
  });
}

/** @param {TurnView[]} turns @returns {any[]} proposals that still wait for an answer */
export function openProposals(turns) {
  return turns.flatMap(({ payload }) => (payload?.status === "pending" ? [payload] : []));
}

/**
 * The turn with its place known. The id of an answer that failed is never told: the record has it.
 * @param {Conversation} conversation @param {TurnView} turn @returns {Promise<TurnView | null>} null when it is gone
 */
export async function withPlace(conversation, turn) {
  const { conversationId } = conversation.scope;
  // One that never reached the server follows whatever is the last there.
  if (!conversationId || turn.followsId !== undefined || !turn.turnId) return turn;
  await conversation.open(conversationId);
  return conversation.turns.findLast(({ turnId, userText }) => turnId === turn.turnId && userText === turn.userText) ?? null;
}

/** Reads the messages before those that are there. @param {Conversation} conversation @returns {Promise<void>} */
export async function readEarlier(conversation) {
  const { earlier, scope: { conversationId } } = conversation;
  const answer = await conversation.server.messages(conversationId, earlier);
  if (conversation.earlier !== earlier || conversation.scope.conversationId !== conversationId) return;
  conversation.turns = [...turnsFromMessages(answer.messages, null, conversationId), ...conversation.turns];
  conversation.earlier = answer.earlier ?? "";
}

/**
 * Looks at the branch through a message; what is said next goes on from there.
 * @param {Conversation} conversation @param {string} messageId @returns {Promise<void>}
 */
export async function showBranch(conversation, messageId) {
  const { conversationId } = conversation.scope;
  if (conversation.running) return;
  const wanted = conversation.goOn();
  const answer = await conversation.server.messages(conversationId, "", messageId);
  if (!wanted()) return;
  if (answer.running_turn_id) {
    // Another tab has begun a turn: that is where the conversation is now.
    await conversation.open(conversationId);
    return;
  }
  const last = answer.messages.at(-1)?.id ?? "";
  const open = [...conversation.aside.open, ...openProposals(conversation.turns)];
  conversation.turns = turnsFromMessages(answer.messages, null, conversationId);
  conversation.earlier = answer.earlier ?? "";
  conversation.aside = last === answer.tip ? LATEST : { last, open };
  conversation.onChange();
}

/** What stands beside a message is told by the record alone. @param {Conversation} conversation */
export async function learnVersions(conversation) {
  const { conversationId } = conversation.scope;
  const answer = await conversation.server.messages(conversationId).catch(() => null); // the next reading will do
  if (!answer || conversation.aside.last || conversation.scope.conversationId !== conversationId) return;
  conversation.turns = withVersions(conversation.turns, turnsFromMessages(answer.messages, null, conversationId));
  conversation.onChange();
}
