// Where a message stands when it is asked again, or said in other words: beside the one before, on a branch of its own. Reads
// more of the record: what was said before, other branches, what stands beside each message.

import { turnsFromMessages } from "./record.js";

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
  const answer = await conversation.door.messages(conversationId, earlier);
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
  const answer = await conversation.door.messages(conversationId, "", messageId);
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
  const answer = await conversation.door.messages(conversationId).catch(() => null); // the next reading will do
  if (!answer || conversation.aside.last || conversation.scope.conversationId !== conversationId) return;
  conversation.turns = withVersions(conversation.turns, turnsFromMessages(answer.messages, null, conversationId));
  conversation.onChange();
}
