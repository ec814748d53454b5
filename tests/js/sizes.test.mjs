import assert from "node:assert/strict";
import { test } from "node:test";

import { sizeText } from "../../static/sizes.js";

test("sizes have the units of the limits: 1 kB is 1,024 bytes", () => {
  assert.deepEqual(
    [0, 1, 1023, 1024, 3.75 * 1024 ** 2, 25 * 1024 ** 2, 5 * 1024 ** 3].map(sizeText),
    ["0 bytes", "1 byte", "1,023 bytes", "1 kB", "3.8 MB", "25 MB", "5 GB"],
  );
});
