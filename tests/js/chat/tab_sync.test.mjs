// Changes of the open conversation by other tabs, and hidden tabs.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ApiError } from "../../../static/api.js";
import { Conversation } from "../../../static/chat/conversation.js";
import { TabSync } from "../../../static/chat/tab_sync.js";
import { settled } from "../held_requests.mjs";

const user = (id, turnId) => ({ id, role: "user", text: `ask ${id}`, turn_id: turnId });
const answer = (id, turnId, more = {}) => ({ id, role: "assistant", text: "Done", turn_id: turnId, state: "complete", ...more });
const proposal = (status) => ({ custom_payload: { id: "p1", type: "data_proposal", data: {}, status, outcome: null } });
const ONE = [user("m1", "t1"), answer("m2", "t1", proposal("pending"))];
const TWO = [...ONE, user("m3", "t2"), answer("m4", "t2")];

/** A tab with the conversation c1 open; `server` is the stored state, `calls` what the tab did. */
async function tab({ open = "c1", messages = ONE, typed = "", initialLoad = Promise.resolve(), hasRequested = true } = {}) {
  const server = { messages, running: null, latest: "c1", payload: { status: "pending", outcome: null }, title: "Jobs", gone: false };
  const calls = { read: 0, attached: [], left: 0, socket: [], settled: [], reviews: [], others: [], titles: [], deleted: 0, timers: [] };
  const stream = (what) => {
    calls.attached.push(what.turnId ?? "new");
    return { done: new Promise(() => {}), disconnect: () => { calls.left += 1; } };
  };
  const conversation = new Conversation({
    scope: { page: "table_view", objectId: "5", conversationId: "" }, newId: () => "id", context: () => ({}),
    store: { getItem: () => null, setItem() {}, removeItem() {} },
    server: {
      start: stream, attach: stream, cancel: async () => {},
      messages: async () => { calls.read += 1; return { messages: server.messages, running_turn_id: server.running }; },
    },
    onChange() {}, onEvent() {}, onNamed() {}, onSignedOut() {},
  });
  if (open) await conversation.open(open);
  calls.read = 0;
  const tabSync = new TabSync({
    conversation,
    socket: { start: () => calls.socket.push("start"), stop: () => calls.socket.push("stop") },
    idle: async () => {}, hasRequested: () => hasRequested, initialLoad: () => initialLoad,
    untouched: () => !conversation.scope.conversationId && conversation.turns.length === 0 && !typed,
    latest: async () => server.latest,
    payload: async () => server.payload,
    details: async () => {
      if (server.gone) throw new ApiError(404, {});
      return { title: server.title };
    },
    later: (ms, run) => {
      const timer = { ms, run };
      calls.timers.push(timer);
      return () => calls.timers.splice(0, calls.timers.length, ...calls.timers.filter((one) => one !== timer));
    },
    onSettled: (settled) => { calls.settled.push(settled); conversation.updatePayload(settled.id, settled); },
    onReview: (review) => calls.reviews.push(review),
    onTurns: (id) => calls.others.push(id),
    onTitle: (title) => calls.titles.push(title),
    onDeleted: () => { calls.deleted += 1; },
  });
  return { conversation, tabSync, server, calls };
}
const turn = (type, turnId, conversationId = "c1") => ({ type, turn_id: turnId, conversation_id: conversationId });
const SETTLED = { type: "payload_status", payload_id: "p1", conversation_id: "c1" };
const CHANGED = { type: "conversation_changed", conversation_id: "c1" };

test("a turn started by another tab in this conversation is followed", async () => {
  const { tabSync, calls } = await tab();
  await tabSync.receive(turn("turn_started", "t2"));
  assert.deepEqual(calls.others, ["c1"]);
});

test("a turn of another conversation is ignored", async () => {
  const { tabSync, calls } = await tab();
  await tabSync.receive(turn("turn_started", "t9", "c9"));
  await tabSync.receive(turn("turn_ended", "t9", "c9"));
  assert.deepEqual([calls.others, calls.read], [[], 0]);
});

test("a new conversation is not replaced by an older one announced by the socket before", async () => {
  const { conversation, tabSync, calls } = await tab({ open: "c2" });
  const received = tabSync.receive({ type: "here", latest: "c1" });
  await conversation.open("");
  await received;
  assert.deepEqual(calls.others, []);
});

test("a new conversation is not replaced by the previous one when its turn changes", async () => {
  const { conversation, tabSync, calls } = await tab();
  const received = tabSync.receive(turn("turn_started", "t2"));
  await conversation.open("");
  await received;
  assert.deepEqual(calls.others, []);
});

test("events of own turns are ignored", async () => {
  const { conversation, tabSync, calls } = await tab();
  conversation.send("More");
  await tabSync.receive(turn("turn_started", "t2"));
  assert.deepEqual(calls.others, []);
});

test("a turn started elsewhere at the end of an own turn is found after it", async () => {
  const { conversation, tabSync, server, calls } = await tab();
  conversation.send("More");
  await tabSync.receive(turn("turn_started", "t2"));
  calls.timers[0].run();
  assert.deepEqual([calls.timers.length, calls.others], [2, []]);
  await conversation.open("c1");
  server.messages = TWO;
  calls.timers[1].run();
  await tabSync.catchUp();
  assert.equal(calls.others[0], "c1");
});

test("an empty tab opens a conversation started on its page", async () => {
  const { tabSync, calls } = await tab({ open: "" });
  await tabSync.receive(turn("turn_started", "t1", "c1"));
  assert.deepEqual(calls.others, ["c1"]);
});

for (const [name, options, conversationId] of [
  ["of another page", { open: "" }, "c7"],
  ["while the user is typing", { open: "", typed: "I would" }, "c1"],
]) {
  test(`a conversation ${name} is not opened`, async () => {
    const { tabSync, calls } = await tab(options);
    await tabSync.receive(turn("turn_started", "t1", conversationId));
    assert.deepEqual(calls.others, []);
  });
}

test("a turn that ended elsewhere is read again", async () => {
  const { tabSync, server, calls } = await tab();
  server.messages = TWO;
  await tabSync.receive(turn("turn_ended", "t2"));
  assert.deepEqual(calls.others, ["c1"]);
});

test("a turn that ended here is not read again", async () => {
  const { tabSync, calls } = await tab();
  await tabSync.receive(turn("turn_ended", "t1"));
  assert.equal(calls.read, 0);
});

test("a turn read without an answer is read again when it ends", async () => {
  const { tabSync, server, calls } = await tab({ messages: [user("m1", "t1")] });
  server.messages = ONE;
  await tabSync.receive(turn("turn_ended", "t1"));
  assert.deepEqual(calls.others, ["c1"]);
});

test("a proposal decided in another tab is decided here", async () => {
  const { tabSync, server, calls } = await tab();
  server.payload = { status: "applied", outcome: { change: 4 } };
  await tabSync.receive(SETTLED);
  await tabSync.receive(SETTLED);
  assert.deepEqual(calls.settled, [{ id: "p1", status: "applied", outcome: { change: 4 } }]);
});

test("a decision of the user is not replaced by an older state read meanwhile", async () => {
  const { conversation, tabSync, calls } = await tab();
  const answers = [];
  tabSync.options.payload = () => new Promise((resolve) => answers.push(resolve));
  conversation.updatePayload("p1", { status: "applied" });
  const news = tabSync.receive(SETTLED);
  await settled();
  conversation.updatePayload("p1", { status: "undone" });
  answers[0]({ status: "applied", outcome: null });
  await settled();
  answers[1]({ status: "undone", outcome: null });
  await news;
  assert.deepEqual([calls.settled, conversation.turns[0].payload.status], [[], "undone"]);
});

test("a state read before the user applied does not reopen the proposal", async () => {
  const { conversation, tabSync, server, calls } = await tab();
  server.messages = [user("m1", "t1"), answer("m2", "t1", proposal("failed"))];
  const reading = tabSync.catchUp();
  server.messages = [user("m1", "t1"), answer("m2", "t1", proposal("applied"))];
  conversation.updatePayload("p1", { status: "applied" });
  await reading;
  assert.deepEqual([calls.settled, calls.read], [[], 2]);
});

test("a write of a tool after its turn was stopped is shown", async () => {
  const { tabSync, server, calls } = await tab({ messages: [user("m1", "t1"), answer("m2", "t1", { state: "cancelled" })] });
  const late = { tool_name: "create_row", input: {}, output: "made", is_error: false };
  server.messages = [user("m1", "t1"), answer("m2", "t1", { state: "cancelled", tool_history: [late] })];
  await tabSync.receive(CHANGED);
  assert.deepEqual([calls.titles, calls.others], [["Jobs"], ["c1"]]);
});

/** @param {boolean} [undone]  the state of the first change @returns {any[]} an answer with writes of two tools */
function written(undone) {
  const write = (change, more = {}) => ({
    tool_name: "create_row", input: {}, output: "made", is_error: false, undo: { table_id: 5, change_id: change, ...more },
  });
  return [user("m1", "t1"), answer("m2", "t1", { tool_history: [write(8, undone === undefined ? {} : { undone }), write(9)] })];
}

test("an undo and a redo in another tab are shown on the card", async () => {
  const { conversation, tabSync, server, calls } = await tab({ messages: written() });
  const shown = () => conversation.turns[0].tools.map(({ undo }) => undo.undone ?? false);
  const setVisible = [shown()];
  for (const undone of [true, false]) {
    server.messages = written(undone);
    await tabSync.receive(CHANGED);
    setVisible.push(shown());
  }
  assert.deepEqual(setVisible, [[false, false], [true, false], [false, false]]);
  assert.deepEqual(calls.others, []);
});

test("a conversation deleted elsewhere is closed", async () => {
  const { tabSync, server, calls } = await tab();
  server.gone = true;
  await tabSync.receive(CHANGED);
  assert.equal(calls.deleted, 1);
});

test("a reconnected socket catches up", async () => {
  const { tabSync, server, calls } = await tab();
  server.messages = TWO;
  await tabSync.receive({ type: "here", latest: "c1" });
  assert.deepEqual(calls.others, ["c1"]);
});

test("an empty tab opens a conversation started while the socket was closed", async () => {
  const { tabSync, calls } = await tab({ open: "" });
  await tabSync.receive({ type: "here", latest: "c1" });
  assert.deepEqual(calls.others, ["c1"]);
});

test("a new conversation is not replaced by the previous one when the socket reconnects", async () => {
  const { tabSync, conversation, calls } = await tab();
  await tabSync.receive({ type: "here", latest: "c1" });
  await conversation.open("");
  await tabSync.receive({ type: "here", latest: "c1" });
  assert.deepEqual(calls.others, []);
});

test("the first message of the socket is handled after the latest conversation is loaded", async () => {
  let found = () => {};
  const { tabSync, conversation, calls } = await tab({ open: "", initialLoad: new Promise((resolve) => { found = resolve; }) });
  const received = tabSync.receive({ type: "here", latest: "c1" });
  await conversation.open("c1");
  found();
  await received;
  assert.deepEqual(calls.others, []);
});

test("requests to read during a read are handled once after it", async () => {
  const { tabSync, calls } = await tab();
  await Promise.all([tabSync.catchUp(), tabSync.catchUp(), tabSync.catchUp()]);
  assert.equal(calls.read, 2);
});

test("a hidden tab closes its connections and reopens them when visible", async () => {
  const { tabSync, server, calls } = await tab({ open: "" });
  Object.assign(server, { messages: [user("m1", "t1")], running: "t1" });
  await tabSync.options.conversation.open("c1");
  tabSync.setVisible(false);
  assert.deepEqual([calls.left, calls.socket], [0, []]);
  calls.timers[0].run();
  assert.deepEqual([calls.left, calls.socket], [1, ["stop"]]);
  tabSync.setVisible(true);
  assert.deepEqual([calls.attached, calls.socket], [["t1", "t1"], ["stop", "start"]]);
});

test("a short tab switch closes no connection", async () => {
  const { tabSync, server, calls } = await tab({ open: "" });
  Object.assign(server, { messages: [user("m1", "t1")], running: "t1" });
  await tabSync.options.conversation.open("c1");
  tabSync.setVisible(false);
  tabSync.setVisible(true);
  assert.deepEqual([calls.timers, calls.left, calls.attached], [[], 0, ["t1"]]);
});

test("state read after the socket opened is not read again, and state read before is", async () => {
  for (const [hasRequested, read] of [[false, 0], [true, 1]]) {
    const { tabSync, calls } = await tab({ hasRequested });
    await tabSync.receive({ type: "here", latest: "c1" });
    assert.equal(calls.read, read);
    await tabSync.listening;
  }
});

test("callers that wait for the socket continue before the first message is handled", async () => {
  let open = () => {};
  const { tabSync } = await tab({ hasRequested: false, initialLoad: new Promise((resolve) => { open = resolve; }) });
  const received = tabSync.receive({ type: "here", latest: "c1" });
  await tabSync.listening;
  open();
  await received;
});

test("review changes are reported, and read again after a missed event", async () => {
  const { tabSync, calls } = await tab();
  const changed = { type: "review_changed", payload_id: "p1", conversation_id: "c1", revision: "3" };
  await tabSync.receive(changed);
  assert.deepEqual(calls.reviews, [changed]);
  await tabSync.catchUp();
  assert.deepEqual(calls.reviews, [changed, {}]);
});
