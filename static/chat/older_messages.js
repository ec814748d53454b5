// Loads earlier messages of a conversation, and other versions of a message.

import { LATEST_BRANCH, openProposals, turnsFromMessages } from "./stored_turns.js";

export class OlderMessages {
  /** @param {Pick<Tray, "conversation" | "log" | "draw" | "loadFailed">} tray */
  constructor({ conversation, log, draw, loadFailed }) {
    Object.assign(this, { conversation, log, draw, loadFailed });
  }

  /** The scroll position stays the same; the focus stays in the log when the button is removed. */
  async earlier() {
    await readEarlier(this.conversation).catch((error) => this.loadFailed(error, () => this.earlier()));
    const below = this.log.scrollHeight - this.log.scrollTop;
    const hadFocus = this.log.contains(document.activeElement);
    this.draw();
    if (hadFocus && document.activeElement === document.body) this.log.focus({ preventScroll: true });
    this.log.scrollTop = this.log.scrollHeight - below;
  }

  /** @param {string} id @param {boolean} back */
  async version(id, back) {
    try {
      await showBranch(this.conversation, id);
    } catch (error) {
      this.loadFailed(error, () => this.version(id, back));
      return;
    }
    this.draw();
    focusVersion(this.log, id, back);
  }
}

/**
 * Focus the version buttons again, unless the focus was moved elsewhere.
 * @param {HTMLElement} log @param {string} id @param {boolean} back
 */
function focusVersion(log, id, back) {
  const { activeElement } = document;
  if (activeElement && activeElement !== document.body && !log.contains(activeElement)) return;
  const [before, after] = log.querySelectorAll(`[data-version="${CSS.escape(id)}"] button`);
  const wanted = /** @type {HTMLButtonElement[]} */ (back ? [before, after] : [after, before]);
  wanted.find((button) => button && !button.disabled)?.focus();
}

/** Load the messages before the first one. @param {Conversation} conversation @returns {Promise<void>} */
export async function readEarlier(conversation) {
  const { earlier, scope: { conversationId } } = conversation;
  const answer = await conversation.server.messages(conversationId, earlier);
  if (conversation.earlier !== earlier || conversation.scope.conversationId !== conversationId) return;
  conversation.turns = [...turnsFromMessages(answer.messages, null, conversationId), ...conversation.turns];
  conversation.earlier = answer.earlier ?? "";
}

/**
 * Show the branch of a message; the next message is appended to it.
 * @param {Conversation} conversation @param {string} messageId @returns {Promise<void>}
 */
export async function showBranch(conversation, messageId) {
  const { conversationId } = conversation.scope;
  if (conversation.running) return;
  const isCurrent = conversation.invalidateLoads();
  const answer = await conversation.server.messages(conversationId, "", messageId);
  if (!isCurrent()) return;
  if (answer.running_turn_id) {
    // Another tab has started a turn: show the current branch.
    await conversation.open(conversationId);
    return;
  }
  const last = answer.messages.at(-1)?.id ?? "";
  const open = [...conversation.branch.open, ...openProposals(conversation.turns)];
  conversation.turns = turnsFromMessages(answer.messages, null, conversationId);
  conversation.earlier = answer.earlier ?? "";
  conversation.branch = last === answer.tip ? LATEST_BRANCH : { last, open };
  conversation.onChange();
}
