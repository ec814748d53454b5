// The state of a turn, reduced from stream events. No DOM.

/**
 * @typedef {object} ToolView
 * @property {string} useId @property {string} name @property {any} input
 * @property {"running"|"done"|"failed"|"stopped"} state
 * @property {string} stage @property {string} message @property {number|null} progress
 * @property {any} data  data of the tool's progress report, such as {done, total}
 * @property {number|null} index @property {number|null} durationMs @property {string} output
 * @property {Record<string, any> & {undone?: boolean}|null} undo  names its change for the handler of the tool
 *
 * @typedef {object} TurnView
 * @property {string} key       the client_turn_id, or the message id of a stored turn
 * @property {string} turnId    "" until the server has sent it
 * @property {string} conversationId @property {string} messageId
 * @property {string} questionId  the user's stored message, "" while unknown
 * @property {string[]} questionVersions @property {string[]} answerVersions  ids of all versions of the question and of the
 *   answer (`messageId`), oldest first; empty if there is only one
 * @property {{id: string, name: string}[]} files  of the question
 * @property {string} userText @property {string} at  ISO time, "" if unknown
 * @property {string | null | undefined} parentId  the previous message; null: none, undefined: unknown
 * @property {boolean} isContinued   a next step of the assistant or the report of an action, not typed by the user
 * @property {"running"|"complete"|"error"|"cancelled"} phase
 * @property {string} status @property {string} text @property {ToolView[]} tools
 * @property {{payloadType: string, count: number}|null} incoming  a proposal that is being streamed
 * @property {any} payload @property {any[]} suggestedValues @property {any[]} suggestedActions @property {any} links
 * @property {string} warning @property {string} unreadable  the raw text of a proposal that could not be parsed
 * @property {{code: string, message: string, retryable: boolean, retryAfter: number|null}|null} error
 * @property {{rating: "up" | "down", reason: string} | null} feedback  the user's rating
 * @property {number} lastSeq
 */

/** @param {{files?: {id: string, name: string}[], key: string, userText: string, at?: string, isContinued?: boolean, parentId?: string | null}} start @returns {TurnView} */
export function newTurn({ files = [], key, userText, at = "", isContinued = false, parentId }) {
  return {
    files, key, userText, at, isContinued, parentId, turnId: "", conversationId: "", messageId: "", questionId: "", questionVersions: [], answerVersions: [],
    phase: "running", status: "", text: "", tools: [],
    incoming: null, payload: null, suggestedValues: [], suggestedActions: [], links: {}, warning: "", unreadable: "", error: null,
    feedback: null, lastSeq: 0,
  };
}

/** @type {Record<string, (turn: TurnView, event: any) => Partial<TurnView>>} */
const changes = {
  status: (turn, event) => ({
    status: String(event.message ?? ""),
    // A new model call: the proposal is complete, or is being repaired.
    incoming: null,
    turnId: event.turn_id ?? turn.turnId,
    conversationId: event.conversation_id ?? turn.conversationId,
  }),
  text_delta: (turn, event) => ({ text: turn.text + String(event.text ?? ""), status: "" }),
  tool_start: (turn, event) => ({ tools: [...turn.tools, toolFrom(event)], status: "" }),
  tool_progress: (turn, event) => ({
    tools: withTool(turn, event, {
      stage: event.stage ?? "", message: event.message ?? "", progress: event.progress ?? null, data: event.data ?? null,
    }),
  }),
  tool_complete: (turn, event) => ({
    tools: withTool(turn, event, {
      state: event.is_error ? "failed" : "done", index: event.index ?? null, durationMs: event.duration_ms ?? null, undo: event.undo ?? null,
    }),
  }),
  payload_progress: (turn, event) => ({
    incoming: { payloadType: String(event.payload_type ?? ""), count: Number(event.count ?? 0) },
  }),
  complete: (turn, event) => completed(turn, event.payload ?? {}),
  error: (turn, event) => ({
    ...ended(turn), phase: "error", messageId: event.message_id ?? turn.messageId,
    error: {
      code: String(event.code ?? "internal"), message: String(event.message ?? ""),
      retryable: event.retryable !== false, retryAfter: event.retry_after ?? null,
    },
  }),
  cancelled: (turn, event) => ({ ...ended(turn), phase: "cancelled", messageId: event.message_id ?? turn.messageId }),
};

/**
 * @param {TurnView} turn @param {{seq?: number, event: Record<string, any>}} numbered
 * @returns {TurnView} the same object if the event changes nothing (unknown type, seen before, or after the end)
 */
export function reduce(turn, { seq = 0, event }) {
  if (turn.phase !== "running" || (seq > 0 && seq <= turn.lastSeq)) return turn;
  const change = Object.hasOwn(changes, event.type) ? changes[event.type] : null;
  if (!change) return seq > 0 ? { ...turn, lastSeq: seq } : turn;
  return { ...turn, ...change(turn, event), lastSeq: Math.max(turn.lastSeq, seq) };
}

/**
 * Mark a turn as refused, or as impossible to follow.
 * @param {TurnView} turn @param {{code: string, message: string, body: any, retryable?: boolean}} error @returns {TurnView}
 */
export function failed(turn, { code, message, body, retryable = true }) {
  return { ...turn, phase: "error", status: "", error: { code, message, retryable, retryAfter: body.retry_after ?? null } };
}

/** @param {{type: string}} event */
export function isFinal(event) {
  return event.type === "complete" || event.type === "error" || event.type === "cancelled";
}

/** @param {any} event @returns {ToolView} */
function toolFrom(event) {
  return {
    useId: String(event.tool_use_id ?? ""), name: String(event.tool ?? ""), input: event.input ?? {}, state: "running",
    stage: "", message: "", progress: null, data: null, index: null, durationMs: null, output: "", undo: null,
  };
}

/** @param {TurnView} turn @param {any} event @param {Partial<ToolView>} change */
function withTool(turn, event, change) {
  return turn.tools.map((tool) => (tool.useId === event.tool_use_id ? { ...tool, ...change } : tool));
}

/** @param {TurnView} turn @returns {Partial<TurnView>} */
function ended(turn) {
  return {
    status: "", incoming: null,
    tools: turn.tools.map((tool) => (tool.state === "running" ? { ...tool, state: "stopped" } : tool)),
  };
}

/** @param {TurnView} turn @param {any} payload  `complete.payload` @returns {Partial<TurnView>} */
function completed(turn, payload) {
  const custom = payload.custom_payload ?? null;
  return {
    ...ended(turn),
    phase: "complete",
    text: String(payload.message ?? turn.text),
    tools: payload.tool_history ? toolsFromHistory(payload.tool_history, turn.tools) : ended(turn).tools,
    payload: custom && custom.type !== "tool_history" ? custom : null,
    suggestedValues: payload.suggested_values ?? [],
    suggestedActions: payload.suggested_actions ?? [],
    links: payload.links ?? {},
    warning: String(payload.warning ?? ""),
    unreadable: String(payload.unreadable ?? ""),
    conversationId: payload.conversation_id ?? turn.conversationId,
    messageId: payload.message_id ?? turn.messageId,
    turnId: payload.turn_id ?? turn.turnId,
  };
}

/**
 * @param {any[]} history  from the server, in order of index
 * @param {ToolView[]} [seen]  state of the same tools from the stream
 * @returns {ToolView[]}
 */
export function toolsFromHistory(history, seen = []) {
  return history.map((entry, index) => {
    const before = seen.find((tool) => tool.index === index);
    return {
      ...toolFrom({ tool_use_id: before?.useId ?? `#${index}`, tool: entry.tool_name, input: entry.input }),
      state: entry.is_error ? "failed" : "done",
      index,
      durationMs: entry.duration_ms ?? before?.durationMs ?? null,
      output: typeof entry.output === "string" ? entry.output : JSON.stringify(entry.output ?? "", null, 2),
      // The user may have undone it while the turn was running.
      undo: entry.undo ? { ...entry.undo, ...before?.undo } : null,
    };
  });
}
