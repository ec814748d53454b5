// The one human line of a tool card: a name, an icon, what came of it.

import { readerLocale } from "../locale.js";

const NAMES = {
  list_tables: ["List tables", "layout-grid"],
  describe_table: ["Look at the table", "table-2"],
  get_rows: ["Read rows", "table-2"],
  search_rows: ["Search rows", "search"],
  aggregate_rows: ["Summarise", "calculator"],
  find_duplicates: ["Find duplicates", "copy"],
  create_row: ["Add row", "plus"],
  update_row: ["Change row", "pencil"],
  delete_row: ["Delete row", "trash-2"],
  get_payload: ["Look at a proposal", "diff"],
  get_help: ["Read the help", "book-open"],
};
export const WRITING_TOOLS = new Set(["create_row", "update_row", "delete_row"]);

/** @param {string} name @returns {{title: string, icon: string}} a tool nobody named here is called by its own name */
export function toolName(name) {
  const known = Object.hasOwn(NAMES, name) ? NAMES[name] : null;
  if (known) return { title: known[0], icon: known[1] };
  const words = name.replaceAll("_", " ");
  return { title: words.charAt(0).toUpperCase() + words.slice(1), icon: "activity" };
}

/** @param {ToolView} tool @returns {string} "5 of 24 matched", "Acme", "" when there is nothing to say */
export function toolSummary(tool) {
  if (tool.state === "stopped") return "Stopped";
  if (tool.state === "failed") return firstLine(tool.output) || "Did not work";
  const output = parsed(tool.output);
  const input = tool.input ?? {};
  switch (tool.name) {
    case "list_tables":
      return counted(output?.tables_total ?? output?.tables?.length, "table", "tables");
    case "describe_table":
      return [output?.name, counted(output?.rows, "row", "rows")].filter(Boolean).join(", ");
    case "get_rows":
      return ofMatching(output, "rows");
    case "search_rows":
      return [input.query ? `“${input.query}”` : "", ofMatching(output, "found")].filter(Boolean).join(" ");
    case "create_row":
    case "update_row":
      return firstValue(input.data ?? input.changes);
    case "delete_row":
      return input.row_id === undefined ? "" : `Row ${input.row_id}`;
    default:
      return "";
  }
}

/** @param {number|null} ms @returns {string} "0.3 s" */
export function seconds(ms) {
  if (ms === null || !Number.isFinite(ms)) return "";
  return ms < 9_950 ? `${(Math.max(ms, 50) / 1000).toFixed(1)} s` : `${Math.round(ms / 1000)} s`;
}

/** @param {any} output @param {string} word */
function ofMatching(output, word) {
  const rows = Array.isArray(output?.rows) ? output.rows.length : null;
  const matching = Number.isInteger(output?.matching_rows) ? output.matching_rows : null;
  if (rows === null) return "";
  if (matching !== null && matching > rows) return `${number(rows)} of ${number(matching)} ${word}`;
  return word === "rows" ? counted(rows, "row", "rows") : `${number(rows)} ${word}`;
}

/** @param {unknown} n @param {string} one @param {string} many */
function counted(n, one, many) {
  return Number.isInteger(n) ? `${number(n)} ${n === 1 ? one : many}` : "";
}

/** @param {number} n */
function number(n) {
  return n.toLocaleString(readerLocale);
}

/** @param {any} data */
function firstValue(data) {
  if (data === null || typeof data !== "object") return "";
  const value = Object.values(data).find((entry) => entry !== null && entry !== "");
  return value === undefined ? "" : String(value);
}

/** @param {string} text */
function parsed(text) {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/** @param {string} text */
function firstLine(text) {
  const line = text.split("\n", 1)[0].trim();
  return line.length > 80 ? `${line.slice(0, 79)}…` : line;
}
