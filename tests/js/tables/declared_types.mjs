// Declares the column types as the page does. The server's test compares its declarations with the file.

import { readFileSync } from "node:fs";

import { columnType, declareColumnTypes } from "../../../static/tables/column_types/registry.js";

declareColumnTypes(JSON.parse(readFileSync(new URL("declared_types.json", import.meta.url), "utf8")));
// Tests parse values without waiting for the modules that pages load when they are needed.
await Promise.all(["number", "date", "multi_select"].map((name) => columnType(name).prepare()));
