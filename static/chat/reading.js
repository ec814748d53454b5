// Reads more of a conversation's record: what was said before, other branches, and what stands beside each message.

import { LATEST, openProposals, withVersions } from "./branches.js";
import { turnsFromMessages } from "./record.js";

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
