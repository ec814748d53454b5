import assert from "node:assert/strict";
import { test } from "node:test";

import { ApiError } from "../../static/api.js";

test("a request that is refused because the reader has signed out says so in plain words", () => {
  const words = (status) => new ApiError(status, { detail: "Authentication credentials were not provided." }).message;
  assert.equal(words(401), "You are signed out. Sign in, then try again.");
  assert.equal(words(403), "Authentication credentials were not provided.");
});
