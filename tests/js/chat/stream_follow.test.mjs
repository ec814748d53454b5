// Following a turn over broken connections, with a real server on loopback.

import assert from "node:assert/strict";
import { createServer } from "node:http";
import { after, before, test } from "node:test";

import { followTurn } from "../../../static/chat/stream.js";

const EVENTS = [
  { type: "status", message: "Thinking", turn_id: "t1", conversation_id: "c1" },
  { type: "text_delta", text: "Zo" },
  { type: "text_delta", text: "ë 🚀" },
  { type: "text_delta", text: "!" },
  { type: "complete", payload: { message: "Zoë 🚀!" } },
];
const WIRE = EVENTS.map((event, at) => Buffer.from(`id: ${at + 1}\ndata: ${JSON.stringify(event)}\n\n`));

let server;
let base;
/** @type {(request: any, response: any) => void} */
let answer;
before(async () => {
  server = createServer((request, response) => answer(request, response));
  await new Promise((resolve) => server.listen(0, "127.0.0.1", resolve));
  base = `http://127.0.0.1:${server.address().port}`;
});
after(() => server.close());

/** Follow a turn through the server and record what happens. */
function recordTurn() {
  const seen = { events: [], waits: [], opened: [], reasons: [] };
  const run = followTurn({
    open: (at, signal) => {
      seen.opened.push(at);
      return fetch(at.turnId ? `${base}/turns/${at.turnId}?after=${at.after}` : `${base}/start`, { signal });
    },
    pause: async (seconds) => void seen.waits.push(seconds),
    onConnection: (state, _, reason) => state === "broken" && seen.reasons.push(reason),
    onEvent: (numbered) => seen.events.push(numbered.seq),
  });
  return { ...run, seen };
}
function stream(response, pieces) {
  response.writeHead(200, { "Content-Type": "text/event-stream" });
  for (const piece of pieces) response.write(piece);
  response.end();
}
function refuse(response, status, body, headers = {}) {
  response.writeHead(status, { "Content-Type": "application/json", ...headers });
  response.end(typeof body === "string" ? body : JSON.stringify(body));
}

test("a stable connection delivers every event once", async () => {
  answer = (_, response) => stream(response, WIRE);
  const { done, seen } = recordTurn();
  assert.equal(await done, "final");
  assert.deepEqual(seen.events, [1, 2, 3, 4, 5]);
  assert.deepEqual(seen.waits, []);
});

test("a broken connection is resumed after the last event", async () => {
  const whole = Buffer.concat(WIRE);
  for (const cut of [0, 1, 40, WIRE[0].length, WIRE[0].length + 9, whole.length - 1]) {
    let first = true;
    answer = (request, response) => {
      if (first) {
        first = false;
        response.writeHead(200, { "Content-Type": "text/event-stream" });
        response.write(whole.subarray(0, cut), () => response.destroy());
        if (cut === 0) response.destroy();
        return;
      }
      const from = Number(new URL(request.url, base).searchParams.get("after") ?? 0);
      stream(response, WIRE.slice(from));
    };
    const { done, seen } = recordTurn();
    assert.equal(await done, "final", `cut at ${cut}`);
    assert.deepEqual([...new Set(seen.events)], [1, 2, 3, 4, 5], `cut at ${cut}`);
    assert.deepEqual(seen.waits, [0.5], `cut at ${cut}`);
  }
});

test("a connection broken before the turn has an id starts the turn again instead of attaching", async () => {
  let tries = 0;
  answer = (_, response) => (++tries < 3 ? response.destroy() : stream(response, WIRE));
  const { done, seen } = recordTurn();
  assert.equal(await done, "final");
  assert.deepEqual(seen.opened.map((at) => at.turnId), ["", "", ""]);
  assert.deepEqual(seen.waits, [0.5, 1]);
});

test("delays grow without events and are reset by an event", async () => {
  let tries = 0;
  answer = (_, response) => {
    tries += 1;
    if (tries <= 3) response.destroy();
    else if (tries === 4) stream(response, WIRE.slice(0, 2));
    else if (tries === 5) response.destroy();
    else stream(response, WIRE.slice(2));
  };
  const { done, seen } = recordTurn();
  await done;
  assert.deepEqual(seen.waits, [0.5, 1, 2, 0.5, 1]);
});

test("a refusal of the server ends the stream with code, message and delay", async () => {
  answer = (_, response) => refuse(response, 429, { error: "throttled", detail: "Too many." }, { "Retry-After": "12" });
  await assert.rejects(recordTurn().done, (error) => {
    assert.deepEqual([error.status, error.code, error.message, error.body.retry_after], [429, "throttled", "Too many.", 12]);
    return true;
  });
});

test("too many open streams are reported while waiting for a running turn", async () => {
  let tries = 0;
  answer = (_, response) => {
    tries += 1;
    if (tries === 1) stream(response, WIRE.slice(0, 2));
    else if (tries === 2) refuse(response, 429, { error: "too_many_requests", detail: "Close a tab." }, { "Retry-After": "5" });
    else stream(response, WIRE.slice(2));
  };
  const { done, seen } = recordTurn();
  assert.equal(await done, "final");
  assert.deepEqual([seen.waits, seen.reasons], [[0.5, 5], ["", "Close a tab."]]);
});

test("a refusal without JSON still has a status", async () => {
  answer = (_, response) => refuse(response, 500, "<html>");
  await assert.rejects(recordTurn().done, (error) => error.status === 500);
});

test("a refusal of a gateway is retried a limited number of times", async () => {
  let tries = 0;
  answer = (_, response) => {
    tries += 1;
    refuse(response, 502, "<html>");
  };
  await assert.rejects(recordTurn().done, (error) => error.status === 502);
  assert.equal(tries, 6);
});

test("disconnecting ends the connection without an error", async () => {
  let closed;
  const closing = new Promise((resolve) => { closed = resolve; });
  answer = (request, response) => {
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    response.write(WIRE[0]);
    request.on("close", closed);
    response.on("close", closed);
  };
  const run = followTurn({
    open: (_, signal) => fetch(`${base}/start`, { signal }),
    pause: async () => {},
    onEvent: () => run.disconnect(),
  });
  assert.equal(await run.done, "left");
  await closing;
});

test("a silent connection counts as broken", async () => {
  let tries = 0;
  answer = (_, response) => {
    tries += 1;
    if (tries > 1) return stream(response, WIRE.slice(2));
    response.writeHead(200, { "Content-Type": "text/event-stream" });
    return response.write(Buffer.concat(WIRE.slice(0, 2)));
  };
  const seen = [];
  const run = followTurn({
    open: (_, signal) => fetch(`${base}/start`, { signal }),
    pause: async () => {},
    onEvent: ({ seq }) => seen.push(seq),
    silence: 0.05,
  });
  assert.equal(await run.done, "final");
  assert.deepEqual(seen, [1, 2, 3, 4, 5]);
});
