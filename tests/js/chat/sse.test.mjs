// The stream parser gives the same messages however the bytes are split.

import assert from "node:assert/strict";
import { test } from "node:test";

import { SseParser, readEvent } from "../../../static/chat/stream.js";

const STREAM = [
  ": hello\n\n",
  'id: 1\ndata: {"type":"status","message":"Thinking"}\n\n',
  'id: 2\r\ndata: {"type":"text_delta","text":"Zoë 🚀 – ok"}\r\n\r\n',
  ": beat\n",
  "id: 3\rdata: first\rdata: second\r\r",
  "retry: 10\nevent: x\ndata\n\n",
].join("");
const MESSAGES = [
  { id: "1", data: '{"type":"status","message":"Thinking"}' },
  { id: "2", data: '{"type":"text_delta","text":"Zoë 🚀 – ok"}' },
  { id: "3", data: "first\nsecond" },
  { id: "3", data: "" },
];

function parsed(bytes, size) {
  const parser = new SseParser();
  const messages = [];
  for (let at = 0; at < bytes.length; at += size) messages.push(...parser.feed(bytes.subarray(at, at + size)));
  return messages;
}

test("any split of the bytes gives the same messages, inside characters and between CR and LF too", () => {
  const bytes = new TextEncoder().encode(STREAM);
  for (let size = 1; size <= bytes.length; size += 1) assert.deepEqual(parsed(bytes, size), MESSAGES, `pieces of ${size}`);
});

test("every split in two gives the same messages", () => {
  const bytes = new TextEncoder().encode(STREAM);
  for (let cut = 0; cut <= bytes.length; cut += 1) {
    const parser = new SseParser();
    const messages = [...parser.feed(bytes.subarray(0, cut)), ...parser.feed(bytes.subarray(cut))];
    assert.deepEqual(messages, MESSAGES, `cut at ${cut}`);
  }
});

test("a message without a final empty line is ignored", () => {
  const parser = new SseParser();
  assert.deepEqual(parser.feedText('id: 9\ndata: {"type":"complete"}\n'), []);
});

test("an event has its sequence number", () => {
  assert.deepEqual(readEvent({ id: "7", data: '{"type":"status"}' }), { seq: 7, event: { type: "status" } });
});

for (const data of ["", "{", "null", "[]", '{"text":"no type"}', '"words"']) {
  test(`data that is no event is ignored: ${JSON.stringify(data)}`, () => {
    assert.equal(readEvent({ id: "1", data }), null);
  });
}
