// The column types there are, in the order they are offered; one line for each.

import "./text.js";
import "./number.js";
import "./date.js";
import "./boolean.js";
import "./select.js";

export { columnType, columnTypes } from "./registry.js";
