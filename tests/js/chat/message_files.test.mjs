// Which files can be added to a message.

import assert from "node:assert/strict";
import { test } from "node:test";

import { reasonAgainst } from "../../../static/chat/message_files.js";

const limits = { types: { "image/png": 100, "application/pdf": 500 }, files: 2, bytes: 600 };
const file = (type, size) => ({ id: `${type}${size}`, name: "a", type, size });

test("files of other types, too large ones, too many and too much together are refused", () => {
  const add = (added, files = []) => reasonAgainst(added, { files, limits });
  assert.equal(add(file("image/png", 100)), "");
  assert.match(add(file("text/plain", 1)), /neither/);
  assert.match(add(file("constructor", 1)), /neither/);
  assert.match(add(file("image/png", 101)), /too large/);
  assert.match(add(file("image/png", 1), [file("image/png", 2), file("image/png", 3)]), /at most 2 files/);
  assert.match(add(file("image/png", 100), [file("application/pdf", 501)]), /Together/);
});
