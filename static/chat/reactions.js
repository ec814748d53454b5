// What the page does about a turn's events: payloads go to their handlers, written rows to the grid, words to listeners.

import { api } from "../api.js";
import { t } from "../locale.js";
import { openProposals } from "./reading.js";
import { plainText } from "./answer.js";
import { isProposal, waitingLine } from "./proposal_lines.js";
import { payloadHandler, tell, toolLabel } from "./registry.js";
import { toolName, WRITING_TOOLS } from "./tool_lines.js";

const HEARD = 500; // characters of an answer that are read out by themselves

/**
 * @param {TurnView} turn  with the event in it
 * @param {any} event
 * @param {{say: (words: string) => void, news: () => void, show: (payload: any) => void, objectId: string, conversation: Conversation}} around
 */
export function react(turn, event, around) {
  switch (event.type) {
    case "payload_progress":
      payloadHandler(event.payload_type)?.onProgress?.(event);
      break;
    case "tool_start":
      around.say(toolLabel(event.tool) || toolName(event.tool).title);
      break;
    case "tool_complete":
      if (!event.is_error && WRITING_TOOLS.has(event.tool)) {
        tell("table-changed", { table_id: Number(around.objectId) || null });
      }
      break;
    case "complete":
      around.news();
      completed(turn, around);
      break;
    case "cancelled":
      around.say(t("Stopped"));
      tell("payload-dropped", { turn_id: turn.turnId });
      break;
    case "error":
      around.news();
      tell("payload-dropped", { turn_id: turn.turnId });
      break;
  }
}

/** @param {TurnView} turn @param {{say: (words: string) => void, show: (payload: any) => void, conversation: any}} around */
function completed(turn, { say, show, conversation }) {
  const { payload } = turn;
  const heard = plainText(turn.text).slice(0, HEARD);
  if (!payload) {
    tell("payload-dropped", { turn_id: turn.turnId });
    say(heard || t("The assistant is done"));
    return;
  }
  askAboutOlder(payload, conversation);
  show(payload);
  say(isProposal(payload) ? `${heard} ${waitingLine(payload)}` : heard);
}

/** A new proposal may have replaced those that waited; the server knows which. @param {any} payload @param {any} conversation */
async function askAboutOlder(payload, conversation) {
  const waits = (/** @type {string} */ id) => openProposals(conversation.turns).some((open) => open.id === id);
  for (const { id } of openProposals(conversation.turns)) {
    if (id === payload.id) continue;
    const now = await api.get(`/api/chat/payloads/${id}/`).catch(() => null); // the next load will tell
    if (now && waits(id)) conversation.settle(id, { status: now.status, outcome: now.outcome });
  }
}
