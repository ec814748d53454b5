// Changes of other users: the rows to read again, and the socket that announces them.

import assert from "node:assert/strict";
import { test } from "node:test";

import { LiveSocket, OwnChanges } from "../../../static/api.js";
import { ChangeFeed } from "../../../static/tables/live_updates.js";

const change = (version, rows = [version], more = {}) => ({ version, rows, schema: false, change_id: version + 100, actor: "ada", ...more });
const never = () => false;

const takeChanges = (changes, { version = 1, isOwn = never } = {}) => {
  const feed = new ChangeFeed(version);
  for (const one of changes) feed.receive(one);
  return feed.takeChanges(isOwn);
};

for (const [name, changes, expected] of [
  ["nothing", [], null],
  ["one change", [change(2)], { all: false, rows: [2] }],
  ["two changes of one row", [change(2, [7, 8]), change(3, [8])], { all: false, rows: [7, 8] }],
  ["changes out of order", [change(3), change(2)], { all: false, rows: [2, 3] }],
  ["many rows", [change(2, "many")], { all: true, rows: [] }],
  ["a column", [change(2, [], { schema: true })], { all: true, rows: [] }],
  ["moved rows, which change the position of others", [change(2, [1], { moved: true })], { all: true, rows: [1] }],
  ["one change was missed", [change(3)], { all: true, rows: [3] }],
  ["a change the page already shows", [change(1)], null],
]) test(`others' changes: ${name}`, () => assert.deepEqual(takeChanges(changes), expected));

test("own changes are ignored", () => {
  const isOwn = ({ change_id: id }) => id === 102;
  assert.equal(takeChanges([change(2)], { isOwn }), null);
  assert.deepEqual(takeChanges([change(2), change(3)], { isOwn }), { all: false, rows: [3] });
});
test("a change is taken once", () => {
  const feed = new ChangeFeed(1);
  feed.receive(change(2));
  feed.takeChanges(never);
  feed.receive(change(2));
  assert.equal(feed.takeChanges(never), null);
});
test("a later version means missed changes, the same version none", () => {
  const feed = new ChangeFeed(4);
  feed.receiveVersion(4);
  assert.equal(feed.takeChanges(never), null);
  feed.receiveVersion(9);
  assert.deepEqual(feed.takeChanges(never), { all: true, rows: [] });
  assert.equal(feed.version, 9);
});
test("the version of a received change is not missed", () => {
  const feed = new ChangeFeed(1);
  feed.receive(change(2));
  feed.receiveVersion(2);
  assert.deepEqual(feed.takeChanges(never), { all: false, rows: [2] });
});

test("own changes are recognized by the responses to requests, for which events wait", async () => {
  const own = new OwnChanges();
  const [one, other] = [own.start(), own.start()];
  let idle = false;
  const waiting = own.idle().then(() => (idle = true));
  own.end(one, { change: 5 });
  await Promise.resolve();
  assert.equal(idle, false);
  own.end(other, { id: "p", outcome: { change: 6 } });
  await waiting;
  const has = (id) => own.has({ change_id: id });
  assert.deepEqual([has(5), has(6), has(7), has(null)], [true, true, false, false]);
  await own.idle();
});

test("a change by a pending request is not read, however long the request takes", () => {
  const own = new OwnChanges();
  const name = own.start();
  assert.equal(own.has({ change_id: 5, asked_as: name }), true);
  assert.equal(own.has({ change_id: 6, asked_as: "of another page" }), false);
  let unknown = 0;
  own.onUnknown = () => (unknown += 1);
  own.end(name, { change: 5 });
  assert.deepEqual([own.has({ change_id: 5, asked_as: name }), unknown], [true, 0]);
});

for (const [how, answer] of [["no response", null], ["a response without the change", { message: "Done" }]]) {
  test(`a change by a request with ${how} is read`, () => {
    const own = new OwnChanges();
    const [before, after] = [own.start(), own.start()];
    own.has({ change_id: 5, asked_as: before });
    let unknown = 0;
    own.onUnknown = () => (unknown += 1);
    own.end(before, answer);
    assert.equal(unknown, 1);
    own.end(after, answer);
    assert.equal(unknown, 1);
    // Without a response, the change counts as that of another user.
    assert.equal(own.has({ change_id: 6, asked_as: after }), false);
  });
}

test("rows read during a write may be older than the write", () => {
  const own = new OwnChanges();
  const quietly = own.watch();
  assert.equal(quietly(), false);
  const name = own.start();
  const during = own.watch();
  own.end(name, { change: 5 });
  assert.deepEqual([quietly(), during(), own.watch()()], [true, true, false]);
});

/** A page whose sockets and clock are controlled by the test. */
function page() {
  const seen = { sockets: [], messages: [], waits: [], refused: 0 };
  const socket = new LiveSocket({
    open: () => {
      const one = Object.assign(new EventTarget(), { closed: false, close() { this.closed = true; } });
      one.say = (message) => one.dispatchEvent(Object.assign(new Event("message"), { data: JSON.stringify(message) }));
      one.break = (code = 1006) => one.dispatchEvent(Object.assign(new Event("close"), { code }));
      seen.sockets.push(one);
      return one;
    },
    later: (ms, run) => {
      const wait = { ms, run, off: false };
      seen.waits.push(wait);
      return () => (wait.off = true);
    },
    onMessage: (message) => seen.messages.push(message),
    onRefused: () => (seen.refused += 1),
    chance: () => 1,
  });
  return { ...seen, seen, socket };
}

test("a broken socket is reopened with growing delays until it receives a message", () => {
  const { socket, sockets, waits, messages } = page();
  socket.start();
  for (let times = 0; times < 8; times += 1) {
    sockets.at(-1).break();
    waits.at(-1).run();
  }
  assert.deepEqual(waits.map((wait) => wait.ms), [500, 1000, 2000, 5000, 10000, 30000, 30000, 30000]);
  sockets.at(-1).say({ type: "presence" });
  sockets.at(-1).break();
  assert.deepEqual([waits.at(-1).ms, messages], [500, [{ type: "presence" }]]);
});
for (const code of [4403, 4404]) test(`a socket refused with ${code} is not reopened`, () => {
  const { socket, sockets, waits, seen } = page();
  socket.start();
  sockets[0].break(code);
  socket.start();
  assert.deepEqual([sockets.length, waits.length, seen.refused], [1, 0, 1]);
});
test("a socket whose session expires is reopened once, because the user may have a new session", () => {
  const { socket, sockets, waits, seen } = page();
  socket.start();
  sockets[0].say({ type: "presence" });
  sockets[0].break(4403);
  assert.deepEqual([waits.length, seen.refused], [1, 0]);
  waits[0].run();
  sockets[1].break(4403);
  assert.deepEqual([sockets.length, waits.length, seen.refused], [2, 1, 1]);
});
test("a socket closed in favor of newer ones is reopened only when the user returns", () => {
  const { socket, sockets, waits, seen } = page();
  socket.start();
  sockets[0].break(4429);
  assert.deepEqual([sockets.length, waits.length, seen.refused], [1, 0, 0]);
  socket.start();
  assert.equal(sockets.length, 2);
});
test("a socket refused by a full server is reopened after the maximum delay", () => {
  const { socket, sockets, waits, seen } = page();
  socket.start();
  sockets[0].break(4503);
  waits[0].run();
  sockets[1].break();
  assert.deepEqual([waits.map((wait) => wait.ms), sockets.length, seen.refused], [[30000, 30000], 2, 0]);
});
test("a hidden page closes its socket, and reopens it at once when visible", () => {
  const { socket, sockets, waits, messages } = page();
  socket.start();
  socket.stop();
  sockets[0].break(1000);
  sockets[0].say({ type: "change" });
  assert.deepEqual([sockets[0].closed, waits.length, messages], [true, 0, []]);
  socket.start();
  socket.start();
  assert.equal(sockets.length, 2);
});
test("a page that becomes visible during a delay reopens its socket at once", () => {
  const { socket, sockets, waits } = page();
  socket.start();
  sockets[0].break();
  socket.start();
  assert.deepEqual([sockets.length, waits[0].off], [2, true]);
});
