import assert from "node:assert/strict";
import { test } from "node:test";

import { ApiError } from "../../static/api.js";

test("a request refused after sign-out has a message about signing in", () => {
  const words = (status) => new ApiError(status, { detail: "Authentication credentials were not provided." }).message;
  assert.equal(words(401), "You are signed out. Sign in, then try again.");
  assert.equal(words(403), "Authentication credentials were not provided.");
});
