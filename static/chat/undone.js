// What tools have changed, and the person has taken back or done again, here or in another tab.

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
export function learnUndone(conversation, theirs) {
  for (const { undo } of theirs.flatMap(({ tools }) => tools)) {
    if (undo?.change_id !== undefined) markUndone(conversation, undo.change_id, undo.undone === true);
  }
}
