// Columns whose values are computed: they are shown, but not edited. The names of users are plain text.

import { date } from "./date.js";

/** @param {string} name @returns {ColumnKind} */
const moment = (name) => ({ ...date, ...date.formats?.datetime, name, formats: {} });

/** @type {ColumnKind[]} */
export const computed = [moment("created_at"), moment("updated_at"), { name: "autonumber", isText: false }];
