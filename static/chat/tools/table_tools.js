// The tools of tables on the pages of tables: summaries on their cards, and the events for the page.

import { load } from "../../element.js";
import { t, tn } from "../../locale.js";
import { dispatch, registerToolHandler } from "../registry.js";

const rowsWords = (/** @type {number} */ count) => tn("{count} row", "{count} rows", count);
const firstValue = (/** @type {any} */ data) => String(Object.values(data ?? {}).find((value) => value !== null && value !== "") ?? "");

/** By tool, from its input, its output if that is JSON, and its text. @type {Record<string, (input: any, output: any, text: string) => string>} */
const SUMMARIES = {
  list_tables: (_, { tables, tables_total: total = tables?.length }) => countText(total, (count) => tn("{count} table", "{count} tables", count)),
  describe_table: (_, { name, rows }) => [name, countText(rows, rowsWords)].filter(Boolean).join(", "),
  get_rows: (_, output) => ofMatching(output, rowsWords, (rows, count) => t("{rows} of {count} rows", { rows, count })),
  search_rows: ({ query }, output) => {
    const found = ofMatching(output, (count) => t("{count} found", { count }), (rows, count) => t("{rows} of {count} found", { rows, count }));
    return [query ? t("“{words}”", { words: String(query) }) : "", found].filter(Boolean).join(" ");
  },
  create_row: ({ data }) => firstValue(data),
  update_row: ({ data, changes }) => firstValue(data ?? changes),
  // The text has the row's id and its first value.
  delete_row: (_, output, text) => String(parsed(/^Deleted row \d+: ("(?:[^"\\]|\\.)*")\.$/.exec(text)?.[1]) ?? ""),
};

/** Register the tools, and dispatch `table-changed` when they or another tab change a table. */
export function registerTableTools() {
  const undo = async (/** @type {[any, any, any]} */ ...how) => void (await (await loadUndo()).undoOrRedo(...how));
  for (const [name, summary] of Object.entries(SUMMARIES)) {
    registerToolHandler(name, { undo, summary: ({ input, output }) => summary(input, parsed(output) ?? {}, output) });
  }
  const changed = (/** @type {number} */ id) => dispatch("table-changed", { table_id: id });
  document.addEventListener("tool-done", (/** @type {any} */ { detail: { undo: change } }) => change?.table_id && changed(change.table_id));
  document.addEventListener("payload-settled", (/** @type {any} */ { detail: { outcome, fromOtherTab } }) => {
    // When all listeners have seen that the proposal is settled.
    if (fromOtherTab && outcome?.table) queueMicrotask(() => changed(outcome.table.id));
  });
}

/** Load the module for undo and redo. */
export function loadUndo() {
  return load(() => import("./table_undo.js"));
}

/** @param {any} output @param {(count: number) => string} all @param {(rows: number, count: number) => string} some  if more rows match */
function ofMatching({ rows, matching_rows: matching }, all, some) {
  if (!Array.isArray(rows)) return "";
  return Number.isInteger(matching) && matching > rows.length ? some(rows.length, matching) : all(rows.length);
}

/** @param {unknown} n @param {(count: number) => string} words @returns {string} "" if n is not an integer */
function countText(n, words) {
  return Number.isInteger(n) ? words(/** @type {number} */ (n)) : "";
}

/** @param {string} text @returns {any} null if it is not JSON */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}
