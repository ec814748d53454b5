// What other tabs have said, settled and taken back while this page was out of sight.

import { turnsFromMessages, wasLost } from "./record.js";

/** @typedef {{id: string, status: string, outcome: any}} Settled */

/**
 * @param {TurnView[]} ours @param {TurnView[]} theirs  as this page has them, and as the server has them now
 * @param {boolean} [more]  whether theirs are the last of more
 * @returns {Settled[] | null} the proposals settled meanwhile; null when the turns themselves are others
 */
export function settledMeanwhile(ours, theirs, more = false) {
  const all = ours.filter((turn) => turn.turnId || turn.askedId || turn.messageId); // not those that never went out
  const sent = more ? all.slice(-theirs.length) : all;
  if (sent.length !== theirs.length || sent.some((turn, at) => isOther(turn, theirs[at]))) return null;
  return theirs.flatMap(({ payload }, at) => {
    const before = sent[at].payload;
    const same = !payload || !before || payload.id !== before.id || payload.status === before.status;
    return same ? [] : [{ id: payload.id, status: payload.status, outcome: payload.outcome }];
  });
}

/** Another turn, one whose answer is there after all, or whose tools have done more than was seen here. @param {TurnView} ours @param {TurnView} theirs */
function isOther(ours, theirs) {
  const done = (/** @type {TurnView} */ turn) => turn.tools.filter((tool) => tool.index !== null).length;
  if (ours.turnId !== theirs.turnId || wasLost(ours) !== wasLost(theirs)) return true;
  return theirs.phase !== "running" && done(ours) !== done(theirs);
}

/** Takes over what the person thinks of the answers. @param {Conversation} conversation @param {TurnView[]} theirs */
function rate(conversation, theirs) {
  for (const { messageId, feedback } of theirs) {
    const ours = conversation.turns.find((turn) => turn.messageId === messageId);
    const same = ours?.feedback?.rating === feedback?.rating && ours?.feedback?.reason === feedback?.reason;
    if (messageId && ours && !same) conversation.rate(messageId, feedback);
  }
}

/**
 * @param {Conversation} conversation
 * @param {{onSettled: (settled: Settled) => void, onOthers: (conversationId: string) => void}} listener
 */
export async function catchUp(conversation, { onSettled, onOthers }) {
  const { turns, scope: { conversationId } } = conversation;
  if (!conversationId || conversation.running) return;
  const answer = await conversation.door.messages(conversationId, "", conversation.aside.last).catch(() => null); // the next time will do
  if (!answer || conversation.running || conversation.scope.conversationId !== conversationId) return;
  // Something has been done here while the answer was on its way, which it may know nothing of: another branch is looked
  // at, a proposal was applied, an answer rated.
  if (conversation.turns !== turns) return catchUp(conversation, { onSettled, onOthers });
  const theirs = turnsFromMessages(answer.messages, answer.running_turn_id, conversationId);
  const settled = settledMeanwhile(turns, theirs, Boolean(answer.earlier));
  if (settled === null || answer.running_turn_id) onOthers(conversationId);
  else settled.forEach(onSettled);
  if (settled === null) return;
  rate(conversation, theirs);
  learnUndone(conversation, theirs);
}

/**
 * Says on the card of a change how it stands now.
 * @param {Conversation} conversation @param {number} changeId @param {boolean} undone
 */
export function markUndone(conversation, changeId, undone) {
  const isIt = (/** @type {ToolView} */ { undo }) => undo?.change_id === changeId && (undo.undone === true) !== undone;
  const mark = (/** @type {ToolView} */ tool) => (isIt(tool) ? { ...tool, undo: { ...tool.undo, undone } } : tool);
  if (!conversation.turns.some(({ tools }) => tools.some(isIt))) return;
  conversation.turns = conversation.turns.map((turn) => (turn.tools.some(isIt) ? { ...turn, tools: turn.tools.map(mark) } : turn));
  conversation.onChange();
}

/** Takes over how changes stand in the record. @param {Conversation} conversation @param {TurnView[]} theirs */
function learnUndone(conversation, theirs) {
  for (const { undo } of theirs.flatMap(({ tools }) => tools)) {
    if (undo?.change_id !== undefined) markUndone(conversation, undo.change_id, undo.undone === true);
  }
}
