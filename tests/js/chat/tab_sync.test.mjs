// What other tabs do to the open conversation, as this one hears of it; and a tab that nobody sees.

import assert from "node:assert/strict";
import { test } from "node:test";

import { ApiError } from "../../../static/api.js";
import { Conversation } from "../../../static/chat/conversation.js";
import { TabSync } from "../../../static/chat/tab_sync.js";
import { settled } from "../held.mjs";

const user = (id, turnId) => ({ id, role: "user", text: `ask ${id}`, turn_id: turnId });
const answer = (id, turnId, more = {}) => ({ id, role: "assistant", text: "Done", turn_id: turnId, state: "complete", ...more });
const proposal = (status) => ({ custom_payload: { id: "p1", type: "data_proposal", data: {}, status, outcome: null } });
const ONE = [user("m1", "t1"), answer("m2", "t1", proposal("pending"))];
const TWO = [...ONE, user("m3", "t2"), answer("m4", "t2")];

/** A tab with the conversation c1 open; `server` is what the server has, `told` what the tab did. */
async function tab({ open = "c1", messages = ONE, typed = "", initialLoad = Promise.resolve(), hasRequested = true } = {}) {
  const server = { messages, running: null, latest: "c1", payload: { status: "pending", outcome: null }, title: "Jobs", gone: false };
  const told = { read: 0, attached: [], left: 0, socket: [], settled: [], reviews: [], others: [], titles: [], gone: 0, timers: [] };
  const stream = (what) => {
    told.attached.push(what.turnId ?? "new");
    return { done: new Promise(() => {}), disconnect: () => { told.left += 1; } };
  };
  const conversation = new Conversation({
    scope: { page: "table_view", objectId: "5", conversationId: "" }, newId: () => "id", context: () => ({}),
    store: { getItem: () => null, setItem() {}, removeItem() {} },
    server: {
      start: stream, attach: stream, cancel: async () => {},
      messages: async () => { told.read += 1; return { messages: server.messages, running_turn_id: server.running }; },
    },
    onChange() {}, onEvent() {}, onNamed() {}, onSignedOut() {},
  });
  if (open) await conversation.open(open);
  told.read = 0;
  const tabSync = new TabSync({
    conversation,
    socket: { start: () => told.socket.push("start"), stop: () => told.socket.push("stop") },
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
      told.timers.push(timer);
      return () => told.timers.splice(0, told.timers.length, ...told.timers.filter((one) => one !== timer));
    },
    onSettled: (settled) => { told.settled.push(settled); conversation.updatePayload(settled.id, settled); },
    onReview: (review) => told.reviews.push(review),
    onTurns: (id) => told.others.push(id),
    onTitle: (title) => told.titles.push(title),
    onDeleted: () => { told.gone += 1; },
  });
  return { conversation, tabSync, server, told };
}
const turn = (type, turnId, conversationId = "c1") => ({ type, turn_id: turnId, conversation_id: conversationId });
const SETTLED = { type: "payload_status", payload_id: "p1", conversation_id: "c1" };
const CHANGED = { type: "conversation_changed", conversation_id: "c1" };

test("a turn that another tab starts in this conversation is taken up", async () => {
  const { tabSync, told } = await tab();
  await tabSync.receive(turn("turn_started", "t2"));
  assert.deepEqual(told.others, ["c1"]);
});

test("a turn of another conversation is none of ours", async () => {
  const { tabSync, told } = await tab();
  await tabSync.receive(turn("turn_started", "t9", "c9"));
  await tabSync.receive(turn("turn_ended", "t9", "c9"));
  assert.deepEqual([told.others, told.read], [[], 0]);
});

test("whoever leaves a conversation for a new one is not taken to an older one that the socket told of before", async () => {
  const { conversation, tabSync, told } = await tab({ open: "c2" });
  const heard = tabSync.receive({ type: "here", latest: "c1" });
  await conversation.open("");
  await heard;
  assert.deepEqual(told.others, []);
});

test("whoever leaves a conversation for a new one is not taken back to it by news of its turn", async () => {
  const { conversation, tabSync, told } = await tab();
  const heard = tabSync.receive(turn("turn_started", "t2"));
  await conversation.open("");
  await heard;
  assert.deepEqual(told.others, []);
});

test("what this tab started itself is no news to it", async () => {
  const { conversation, tabSync, told } = await tab();
  conversation.send("More");
  await tabSync.receive(turn("turn_started", "t2"));
  assert.deepEqual(told.others, []);
});

test("a turn that begins elsewhere while one still ends here is found once that has ended", async () => {
  const { conversation, tabSync, server, told } = await tab();
  conversation.send("More");
  await tabSync.receive(turn("turn_started", "t2"));
  told.timers[0].run();
  assert.deepEqual([told.timers.length, told.others], [2, []]);
  await conversation.open("c1");
  server.messages = TWO;
  told.timers[1].run();
  await tabSync.catchUp();
  assert.equal(told.others[0], "c1");
});

test("a tab where nothing was said yet shows the conversation that begins on its page", async () => {
  const { tabSync, told } = await tab({ open: "" });
  await tabSync.receive(turn("turn_started", "t1", "c1"));
  assert.deepEqual(told.others, ["c1"]);
});

for (const [name, options, conversationId] of [
  ["of another page", { open: "" }, "c7"],
  ["while somebody is writing here", { open: "", typed: "I would" }, "c1"],
]) {
  test(`a conversation ${name} is left where it is`, async () => {
    const { tabSync, told } = await tab(options);
    await tabSync.receive(turn("turn_started", "t1", conversationId));
    assert.deepEqual(told.others, []);
  });
}

test("a turn that ended elsewhere is read again", async () => {
  const { tabSync, server, told } = await tab();
  server.messages = TWO;
  await tabSync.receive(turn("turn_ended", "t2"));
  assert.deepEqual(told.others, ["c1"]);
});

test("a turn whose end was seen here is not read again", async () => {
  const { tabSync, told } = await tab();
  await tabSync.receive(turn("turn_ended", "t1"));
  assert.equal(told.read, 0);
});

test("a turn whose answer was not there when it was read is read again when it ends", async () => {
  const { tabSync, server, told } = await tab({ messages: [user("m1", "t1")] });
  server.messages = ONE;
  await tabSync.receive(turn("turn_ended", "t1"));
  assert.deepEqual(told.others, ["c1"]);
});

test("a proposal that is settled in another tab is settled here", async () => {
  const { tabSync, server, told } = await tab();
  server.payload = { status: "applied", outcome: { change: 4 } };
  await tabSync.receive(SETTLED);
  await tabSync.receive(SETTLED);
  assert.deepEqual(told.settled, [{ id: "p1", status: "applied", outcome: { change: 4 } }]);
});

test("an answer that the person gives while an older one is read is not pushed aside by that", async () => {
  const { conversation, tabSync, told } = await tab();
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
  assert.deepEqual([told.settled, conversation.turns[0].payload.status], [[], "undone"]);
});

test("what was read before the person applied does not bring the proposal back", async () => {
  const { conversation, tabSync, server, told } = await tab();
  server.messages = [user("m1", "t1"), answer("m2", "t1", proposal("failed"))];
  const reading = tabSync.catchUp();
  server.messages = [user("m1", "t1"), answer("m2", "t1", proposal("applied"))];
  conversation.updatePayload("p1", { status: "applied" });
  await reading;
  assert.deepEqual([told.settled, told.read], [[], 2]);
});

test("what a tool did after its turn was stopped is shown", async () => {
  const { tabSync, server, told } = await tab({ messages: [user("m1", "t1"), answer("m2", "t1", { state: "cancelled" })] });
  const late = { tool_name: "create_row", input: {}, output: "made", is_error: false };
  server.messages = [user("m1", "t1"), answer("m2", "t1", { state: "cancelled", tool_history: [late] })];
  await tabSync.receive(CHANGED);
  assert.deepEqual([told.titles, told.others], [["Jobs"], ["c1"]]);
});

/** @param {boolean} [undone] @returns {any[]} an answer that two tools have written, and how the first one's change stands */
function written(undone) {
  const made = (change, more = {}) => ({
    tool_name: "create_row", input: {}, output: "made", is_error: false, undo: { table_id: 5, change_id: change, ...more },
  });
  return [user("m1", "t1"), answer("m2", "t1", { tool_history: [made(8, undone === undefined ? {} : { undone }), made(9)] })];
}

test("what is taken back in another tab, and done again, shows on its card here", async () => {
  const { conversation, tabSync, server, told } = await tab({ messages: written() });
  const shown = () => conversation.turns[0].tools.map(({ undo }) => undo.undone ?? false);
  const setVisible = [shown()];
  for (const undone of [true, false]) {
    server.messages = written(undone);
    await tabSync.receive(CHANGED);
    setVisible.push(shown());
  }
  assert.deepEqual(setVisible, [[false, false], [true, false], [false, false]]);
  assert.deepEqual(told.others, []);
});

test("a conversation that is deleted elsewhere is closed", async () => {
  const { tabSync, server, told } = await tab();
  server.gone = true;
  await tabSync.receive(CHANGED);
  assert.equal(told.gone, 1);
});

test("a socket that is back after a break catches up", async () => {
  const { tabSync, server, told } = await tab();
  server.messages = TWO;
  await tabSync.receive({ type: "here", latest: "c1" });
  assert.deepEqual(told.others, ["c1"]);
});

test("a conversation that began while the socket could not hear is shown where nothing was said yet", async () => {
  const { tabSync, told } = await tab({ open: "" });
  await tabSync.receive({ type: "here", latest: "c1" });
  assert.deepEqual(told.others, ["c1"]);
});

test("whoever has left a conversation for a new one is not taken back to it by a socket that is back", async () => {
  const { tabSync, conversation, told } = await tab();
  await tabSync.receive({ type: "here", latest: "c1" });
  await conversation.open("");
  await tabSync.receive({ type: "here", latest: "c1" });
  assert.deepEqual(told.others, []);
});

test("the socket's first word is heard after the latest conversation was looked for", async () => {
  let found = () => {};
  const { tabSync, conversation, told } = await tab({ open: "", initialLoad: new Promise((resolve) => { found = resolve; }) });
  const heard = tabSync.receive({ type: "here", latest: "c1" });
  await conversation.open("c1");
  found();
  await heard;
  assert.deepEqual(told.others, []);
});

test("what is asked for while it reads is read after it, once", async () => {
  const { tabSync, told } = await tab();
  await Promise.all([tabSync.catchUp(), tabSync.catchUp(), tabSync.catchUp()]);
  assert.equal(told.read, 2);
});

test("a hidden tab gives its connections back, and takes them up once it is seen", async () => {
  const { tabSync, server, told } = await tab({ open: "" });
  Object.assign(server, { messages: [user("m1", "t1")], running: "t1" });
  await tabSync.options.conversation.open("c1");
  tabSync.setVisible(false);
  assert.deepEqual([told.left, told.socket], [0, []]);
  told.timers[0].run();
  assert.deepEqual([told.left, told.socket], [1, ["stop"]]);
  tabSync.setVisible(true);
  assert.deepEqual([told.attached, told.socket], [["t1", "t1"], ["stop", "start"]]);
});

test("a glance at another tab costs no connection", async () => {
  const { tabSync, server, told } = await tab({ open: "" });
  Object.assign(server, { messages: [user("m1", "t1")], running: "t1" });
  await tabSync.options.conversation.open("c1");
  tabSync.setVisible(false);
  tabSync.setVisible(true);
  assert.deepEqual([told.timers, told.left, told.attached], [[], 0, ["t1"]]);
});

test("what is read once the socket hears is not read again; what was read before, is", async () => {
  for (const [hasRequested, read] of [[false, 0], [true, 1]]) {
    const { tabSync, told } = await tab({ hasRequested });
    await tabSync.receive({ type: "here", latest: "c1" });
    assert.equal(told.read, read);
    await tabSync.listening;
  }
});

test("whoever waits for the socket is let go on before anything is waited for", async () => {
  let open = () => {};
  const { tabSync } = await tab({ hasRequested: false, initialLoad: new Promise((resolve) => { open = resolve; }) });
  const heard = tabSync.receive({ type: "here", latest: "c1" });
  await tabSync.listening;
  open();
  await heard;
});

test("what is decided about a proposal is told, and looked for where news of it may have been missed", async () => {
  const { tabSync, told } = await tab();
  const changed = { type: "review_changed", payload_id: "p1", conversation_id: "c1", revision: "3" };
  await tabSync.receive(changed);
  assert.deepEqual(told.reviews, [changed]);
  await tabSync.catchUp();
  assert.deepEqual(told.reviews, [changed, {}]);
});
