// The column types there are, in the order they are offered: one file and one place in this list for each.

import { boolean } from "./boolean.js";
import { date } from "./date.js";
import { number } from "./number.js";
import { columnType, columnTypes, registerColumnType } from "./registry.js";
import { select } from "./select.js";
import { text } from "./text.js";

for (const kind of [text, number, date, boolean, select]) registerColumnType(kind);

export { columnType, columnTypes };
