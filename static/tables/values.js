// Cell values: display, parsing, clipboard format; and the cells, headers and rows of a grid, in the same markup as from the
// server.

import { readerLocale, t } from "../locale.js";
import { columnType } from "./column_types/registry.js";
import { PLAIN, updateText } from "./column_types/text.js";
import { drawRevealed, el, hasHiddenCharacters, icon, toast } from "../element.js";

/**
 * @typedef {{id: string, name: string, type: string, required?: boolean, default?: any, options?: string[], optionColors?:
 *   Record<string, string>, filterDisplay?: string, people?: {id: number, name: string, has_left: boolean}[], format?: string, places?: number, currency?: string, maximum?: number}} Column
 */

/** @param {any} value  null, undefined, an empty text or list */
export function isEmpty(value) {
  return (value ?? "").length === 0;
}

/**
 * @param {Column} column @param {any} value @param {string} [locale]
 * @returns {string} in the user's format; "" if empty
 */
export function displayText(column, value, locale) {
  if (isEmpty(value)) return "";
  return columnType(column).display(value, locale, column);
}

/** @param {Column} column @param {any} value @returns {string} initial text of an editor */
export function editText(column, value) {
  if (isEmpty(value)) return "";
  return columnType(column).editText(value, undefined, column);
}

/** @param {Column} column @param {any} value @returns {string} text for the clipboard */
export function copiedText(column, value) {
  if (isEmpty(value)) return "";
  return columnType(column).copied(value, undefined, column);
}

/**
 * @param {Column} column @param {string} text  typed text @param {"typed" | "operand"} [how]  operand: of a condition
 * @returns {any} the value to send; ambiguous numbers stay text for the server to parse
 */
export function typedValue(column, text, how = "typed") {
  const kind = columnType(column);
  const cleaned = kind.keepsSpace ? text : text.trim();
  return cleaned === "" ? null : kind[how](cleaned, undefined, column);
}

/** @param {Column} column @returns {boolean} true, after a message, if its values are computed */
export function refusesEdit(column) {
  const { isComputed } = columnType(column);
  if (isComputed) toast(t("Values of “{column}” cannot be edited.", { column: column.name }));
  return isComputed;
}

/** @param {any} left @param {any} right @returns {boolean} whether two values are the same in a cell */
export function sameValue(left, right) {
  return isEmpty(left) ? isEmpty(right) : JSON.stringify(left) === JSON.stringify(right);
}

/** @param {Column[]} columns @param {Record<string, any>} data @param {string} fallback @returns {string} label of a row */
export function rowLabel(columns, data, fallback) {
  for (const column of columns) if (!isEmpty(data[column.id])) return displayText(column, data[column.id]);
  return fallback;
}

const MAX_QUOTED = 80;

/** @param {string} text @returns {string} shortened for use in a sentence */
export function quoted(text) {
  return text.length > MAX_QUOTED ? `${text.slice(0, MAX_QUOTED - 1)}…` : text;
}

/** @param {number} count @param {string} one @param {string} [many] */
export function counted(count, one, many = `${one}s`) {
  return `${new Intl.NumberFormat(readerLocale).format(count)} ${count === 1 ? one : many}`;
}

/**
 * Convert cells to tab-separated values, as used by spreadsheets.
 * @param {string[][]} rows @returns {string} cells with tabs, line ends or quotes are quoted
 */
export function toTsv(rows) {
  const quoted = (cell) => (/[\t\n\r"]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  const lines = rows.map((row) => row.map(quoted).join("\t"));
  // A last line with one empty cell needs a line end to be a row.
  return lines.at(-1) === "" ? `${lines.join("\n")}\n` : lines.join("\n");
}

/** Space of the initials before the name of a person, in characters. */
const INITIALS_LENGTH = 5;
const WIDTH_STEPS = [[8, "w-1"], [12, "w-2"], [17, "w-3"], [24, "w-4"], [34, "w-5"]];

/** @param {Column} column @param {any} value @returns {Node} content of a cell */
export function drawValue(column, value) {
  if (isEmpty(value)) return columnType(column).drawEmpty(column);
  const text = displayText(column, value);
  return columnType(column).draw(value, text, column) ?? document.createTextNode(text);
}

/** @param {Column} column @param {any} value @returns {Node} content of a proposed cell */
export function drawProposed(column, value) {
  const text = [value ?? ""].flat().join(", ");
  return hasHiddenCharacters(text) ? drawRevealed(text) : drawValue(column, value);
}

/** @param {Column} column @param {number} index */
export function cellClass(column, index) {
  return ["cell", columnType(column).cellClass, index === 0 && "is-primary is-frozen", index === 1 && "is-second"]
    .filter(Boolean)
    .join(" ");
}

/** @param {Column} column @param {any} value @returns {"auto" | ""} text has its own direction */
function directionOf(column, value) {
  return columnType(column).isText && !isEmpty(value) ? "auto" : "";
}

/** @param {Column} column @param {any} value @returns {HTMLElement} */
function drawVal(column, value) {
  return el("span", { class: "val", dir: directionOf(column, value) || undefined }, drawValue(column, value));
}

/** @param {Column} column @param {number} index @param {any} value @returns {HTMLTableCellElement} */
export function drawCell(column, index, value) {
  return el("td", { class: cellClass(column, index), dataset: { col: column.id } }, drawVal(column, value));
}

/** @param {HTMLTableCellElement} cell @param {Column} column @param {any} value */
export function redrawCell(cell, column, value) {
  cell.replaceChildren(drawVal(column, value));
}

/** @param {HTMLTableCellElement} cell @param {string} [words]  why it was not saved; undefined removes the mark */
export function markCell(cell, words) {
  cell.classList.toggle("is-failed", words !== undefined);
  for (const name of ["aria-description", "title"]) {
    if (words === undefined) cell.removeAttribute(name);
    else cell.setAttribute(name, words);
  }
}

/**
 * @param {Column[]} columns @param {{id: number | string, data: Record<string, any>}} row
 * @param {{number: number | string, label: string}} how
 * @returns {HTMLTableRowElement}
 */
export function drawRow(columns, row, { number, label }) {
  const check = el("input", { class: "check", type: "checkbox", "aria-label": t("Select {row}", { row: label }) });
  const gutter = el("div", { class: "gutter__inner" }, check, el("span", { class: "gutter__number", text: String(number) }));
  return el(
    "tr",
    { dataset: { row: String(row.id) } },
    el("td", { class: "gutter" }, gutter),
    ...columns.map((column, index) => drawCell(column, index, row.data[column.id])),
    drawFiller(),
  );
}

/**
 * Show another row in a row element; its cells are reused if the columns are the same.
 * @param {HTMLTableRowElement} tr @param {Column[]} columns
 * @param {{row: {id: number | string, data: Record<string, any>}, number: number, label: string}} how
 */
export function fillRow(tr, columns, { row, number, label }) {
  if (!hasCells(tr, columns)) {
    tr.replaceChildren(...drawRow(columns, row, { number, label }).cells);
    setRoles(tr);
  } else {
    const { cells } = tr;
    columns.forEach((column, index) => updateCell(cells[index + 1], column, row.data[column.id]));
    renumber(cells[0], { number, label });
  }
  resetRow(tr, columns);
  tr.dataset.row = String(row.id);
}

/** @param {HTMLTableCellElement} gutter @param {{number: number, label: string}} how */
function renumber(gutter, { number, label }) {
  gutter.querySelector(".check").setAttribute("aria-label", t("Select {row}", { row: label }));
  updateText(gutter.querySelector(".gutter__number").firstChild, String(number));
}

/** @param {HTMLTableRowElement} tr @param {Column[]} columns @param {{number: number}} how  of a row that is being read */
export function fillPlaceholder(tr, columns, { number }) {
  const label = t("row {number}", { number: String(number) });
  // A previous placeholder only needs another number; it may have the id of the cursor's cell.
  if (tr.className === "is-loading" && hasCells(tr, columns)) {
    for (const cell of tr.cells) cell.removeAttribute("id");
    return renumber(tr.cells[0], { number, label });
  }
  fillRow(tr, columns, { row: { id: "", data: {} }, number, label });
  delete tr.dataset.row;
  tr.className = "is-loading";
  columns.forEach((_, index) => tr.cells[index + 1].firstElementChild.replaceChildren(el("span", { class: "placeholder", "aria-hidden": "true" })));
}

/** @param {HTMLTableRowElement} tr @param {Column[]} columns  whether its cells belong to these columns, with a checkbox */
function hasCells(tr, columns) {
  const { cells } = tr;
  if (cells.length !== columns.length + 2 || !cells[0].querySelector(".check") || !cells[0].querySelector(".gutter__number")) return false;
  return columns.every((column, index) => cells[index + 1].dataset.col === column.id);
}

/** @param {HTMLTableCellElement} cell @param {Column} column @param {any} value */
function updateCell(cell, column, value) {
  const shown = cell.firstElementChild;
  if (cell.childNodes.length !== 1 || shown?.className !== "val") return redrawCell(cell, column, value);
  const direction = directionOf(column, value);
  if (shown.dir !== direction) {
    if (direction) shown.dir = direction;
    else shown.removeAttribute("dir");
  }
  if (!updateNode(shown, column, value)) shown.replaceChildren(drawValue(column, value));
}

/**
 * Show another value in the existing node if possible. Adding or removing nodes would cause a layout of the whole row, which is many times slower.
 * @param {Element} shown @param {Column} column @param {any} value @returns {boolean} whether it was possible
 */
function updateNode(shown, column, value) {
  const inside = /** @type {any} */ (shown.firstChild);
  if (!inside || inside.nextSibling) return false;
  const wasEmpty = Boolean(inside.classList?.contains("none"));
  const kind = columnType(column);
  // The format of the column may have changed.
  if (isEmpty(value) && wasEmpty) return kind.drawEmpty === PLAIN.drawEmpty ? inside.className === "none" : inside.isEqualNode(kind.drawEmpty(column));
  if (isEmpty(value) || wasEmpty) return false;
  return kind.updateNode(inside, value, displayText(column, value), column);
}

/** @param {HTMLTableRowElement} tr @param {Column[]} columns  remove attributes of the previous row */
function resetRow(tr, columns) {
  if (tr.className) tr.className = "";
  for (const name of ["data-op", "data-index", "data-res"]) tr.removeAttribute(name);
  const { cells } = tr;
  columns.forEach((column, index) => {
    const cell = cells[index + 1];
    const names = cellClass(column, index);
    if (cell.className !== names) cell.className = names;
    for (const name of ["id", "data-op", "data-label", "aria-describedby", "aria-description", "title"]) cell.removeAttribute(name);
  });
}

const ROLES = { TBODY: "rowgroup", THEAD: "rowgroup", TFOOT: "rowgroup", TR: "row", TH: "columnheader", TD: "gridcell" };

/** @param {HTMLElement} part  of a grid; its elements need roles, as rows have their own CSS display type */
export function setRoles(part) {
  for (const one of [part, ...part.querySelectorAll("thead, tbody, tfoot, tr, th, td")]) {
    const role = ROLES[one.tagName];
    if (role && !one.hasAttribute("role") && !one.hasAttribute("aria-hidden")) one.setAttribute("role", role);
  }
}

/** @returns {HTMLTableCellElement} fills the space beside the columns */
export function drawFiller() {
  return el("td", { class: "filler", "aria-hidden": "true" });
}

/** @param {Column} column @param {Record<string, any>[]} samples @returns {string} class for the column's width */
export function widthClass(column, samples) {
  const initials = column.people ? INITIALS_LENGTH : 0;
  // A star has the width of two characters.
  const lengths = samples.map((data) => displayText(column, data[column.id]).replace(/[★☆]/g, "$&$&").length + initials);
  const longest = Math.max(column.name.length + 4, ...lengths, ...(column.options ?? []).map((option) => option.length));
  return /** @type {string} */ (WIDTH_STEPS.find(([max]) => longest <= Number(max))?.[1] ?? "w-6");
}

/** @param {Column} column @param {number} index @param {string} [symbol] @returns {HTMLTableCellElement} header with the column's name */
export function drawHead(column, index, symbol) {
  const names = [columnType(column).cellClass, index === 0 && "is-frozen"].filter(Boolean).join(" ");
  const inside = el("span", { class: "col" }, icon(symbol ?? columnType(column).icon, "icon--14"), el("span", {}, drawRevealed(column.name)));
  return el("th", { scope: "col", class: names || undefined, dataset: { col: column.id } }, inside);
}
