// Values as people read and type them, and as spreadsheets copy them; and the cells, heads and rows of a grid that are drawn of
// them, in the same markup as the server's.

import { readerLocale, t } from "../locale.js";
import { columnType, retellText } from "./column_types/registry.js";
import { drawRevealed, el, hidesSomething, icon } from "../element.js";

/** @typedef {{id: string, name: string, type: string, required?: boolean, default?: any, options?: string[], optionColors?: Record<string, string>, filterDisplay?: string}} Column */

/** @param {any} value */
export function isEmpty(value) {
  return value === null || value === undefined || value === "";
}

/**
 * @param {Column} column @param {any} value @param {string} [locale]
 * @returns {string} the value in the reader's own way of writing; "" for an empty one
 */
export function displayText(column, value, locale) {
  if (isEmpty(value)) return "";
  return columnType(column).display(value, locale);
}

/** @param {Column} column @param {any} value @returns {string} what an editor starts with */
export function editText(column, value) {
  if (isEmpty(value)) return "";
  return columnType(column).editText(value);
}

/** @param {Column} column @param {any} value @returns {string} as data, for other programs */
export function copiedText(column, value) {
  if (isEmpty(value)) return "";
  return columnType(column).copied(value);
}

/**
 * @param {Column} column @param {string} text  what somebody typed
 * @returns {any} what is sent; numbers stay text, because only the server knows what counts as one
 */
export function typedValue(column, text) {
  const kind = columnType(column);
  const kept = kind.keepsSpace ? text : text.trim();
  return kept === "" ? null : kind.typed(kept);
}

/** @param {any} left @param {any} right @returns {boolean} whether two values mean the same cell */
export function sameValue(left, right) {
  return isEmpty(left) ? isEmpty(right) : left === right;
}

/** @param {Column[]} columns @param {Record<string, any>} data @param {string} fallback @returns {string} what to call a row */
export function rowLabel(columns, data, fallback) {
  for (const column of columns) if (!isEmpty(data[column.id])) return displayText(column, data[column.id]);
  return fallback;
}

const QUOTED = 80;

/** @param {string} text @returns {string} as much of it as a sentence can hold */
export function quoted(text) {
  return text.length > QUOTED ? `${text.slice(0, QUOTED - 1)}…` : text;
}

/** @param {number} count @param {string} one @param {string} [many] */
export function counted(count, one, many = `${one}s`) {
  return `${new Intl.NumberFormat(readerLocale).format(count)} ${count === 1 ? one : many}`;
}

/** Cells as text between tabs, as every spreadsheet copies and pastes them. @param {string[][]} rows @returns {string} cells with tabs, line ends or quotes stand in quotes */
export function toTsv(rows) {
  const quoted = (cell) => (/[\t\n\r"]/.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell);
  const lines = rows.map((row) => row.map(quoted).join("\t"));
  // A last line of one empty cell is a row only where it is ended too.
  return lines.at(-1) === "" ? `${lines.join("\n")}\n` : lines.join("\n");
}

/** @param {string} text @returns {string[][]} a last line end is no row; a quote inside a bare cell is just a quote */
export function fromTsv(text) {
  const rows = [[]];
  let cell = "";
  let at = 0;
  const endCell = () => {
    rows.at(-1)?.push(cell);
    cell = "";
  };
  while (at < text.length) {
    const character = text[at];
    if (character === '"' && cell === "" && (at === 0 || "\t\n\r".includes(text[at - 1]))) {
      const end = closingQuote(text, at + 1);
      cell = text.slice(at + 1, end).replaceAll('""', '"');
      at = end + 1;
    } else if (character === "\t") {
      endCell();
      at += 1;
    } else if (character === "\n" || character === "\r") {
      endCell();
      at += text.startsWith("\r\n", at) ? 2 : 1;
      if (at < text.length) rows.push([]);
      else return rows;
    } else {
      cell += character;
      at += 1;
    }
  }
  endCell();
  return rows;
}

/** @param {string} text @param {number} from @returns {number} where the quoted cell ends; the end of the text when it never does */
function closingQuote(text, from) {
  let at = from;
  while (at < text.length) {
    if (text[at] === '"' && text[at + 1] === '"') at += 2;
    else if (text[at] === '"') return at;
    else at += 1;
  }
  return text.length;
}

const WIDTH_STEPS = [[8, "w-1"], [12, "w-2"], [17, "w-3"], [24, "w-4"], [34, "w-5"]];

/** @param {Column} column @param {any} value @returns {Node} what stands inside a cell */
export function drawValue(column, value) {
  if (isEmpty(value)) return el("span", { class: "none", text: "–" });
  const text = displayText(column, value);
  return columnType(column).draw(value, text, column) ?? document.createTextNode(text);
}

/** @param {Column} column @param {any} value @returns {Node} what stands inside a cell that is proposed */
export function drawProposed(column, value) {
  const hides = typeof value === "string" && hidesSomething(value);
  return hides ? drawRevealed(value) : drawValue(column, value);
}

/** @param {Column} column @param {number} place */
export function cellClass(column, place) {
  return ["cell", columnType(column).cellClass, place === 0 && "is-primary is-frozen", place === 1 && "is-second"]
    .filter(Boolean)
    .join(" ");
}

/** @param {Column} column @param {any} value @returns {"auto" | ""} words are read in their own direction, whatever the page's is */
function directionOf(column, value) {
  return columnType(column).wordy && !isEmpty(value) ? "auto" : "";
}

/** @param {Column} column @param {any} value @returns {HTMLElement} */
function drawVal(column, value) {
  return el("span", { class: "val", dir: directionOf(column, value) || undefined }, drawValue(column, value));
}

/** @param {Column} column @param {number} place @param {any} value @returns {HTMLTableCellElement} */
export function drawCell(column, place, value) {
  return el("td", { class: cellClass(column, place), dataset: { col: column.id } }, drawVal(column, value));
}

/** @param {HTMLTableCellElement} cell @param {Column} column @param {any} value */
export function redrawCell(cell, column, value) {
  cell.replaceChildren(drawVal(column, value));
}

/** @param {HTMLTableCellElement} cell @param {string} [words]  why it was not saved */
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
  const gutter = el("div", { class: "gutter__in" }, check, el("span", { class: "gutter__n", text: String(number) }));
  return el(
    "tr",
    { dataset: { row: String(row.id) } },
    el("td", { class: "gutter" }, gutter),
    ...columns.map((column, place) => drawCell(column, place, row.data[column.id])),
    drawFiller(),
  );
}

/**
 * Gives a row of the page another row's cells, in place where the columns are the same.
 * @param {HTMLTableRowElement} tr @param {Column[]} columns
 * @param {{row: {id: number | string, data: Record<string, any>}, number: number, label: string}} how
 */
export function fillRow(tr, columns, { row, number, label }) {
  if (!fits(tr, columns)) {
    tr.replaceChildren(...drawRow(columns, row, { number, label }).cells);
    giveRoles(tr);
  } else {
    const { cells } = tr;
    columns.forEach((column, place) => refill(cells[place + 1], column, row.data[column.id]));
    renumber(cells[0], { number, label });
  }
  plain(tr, columns);
  tr.dataset.row = String(row.id);
}

/** @param {HTMLTableCellElement} gutter @param {{number: number, label: string}} how */
function renumber(gutter, { number, label }) {
  gutter.querySelector(".check").setAttribute("aria-label", t("Select {row}", { row: label }));
  retellText(gutter.querySelector(".gutter__n").firstChild, String(number));
}

/** @param {HTMLTableRowElement} tr @param {Column[]} columns @param {{number: number}} how  a row that is still being read */
export function fillPlaceholder(tr, columns, { number }) {
  const label = t("row {number}", { number: String(number) });
  // One that was none already says only which row it stands for now, and is not where the cursor was.
  if (tr.className === "is-coming" && fits(tr, columns)) {
    for (const cell of tr.cells) cell.removeAttribute("id");
    return renumber(tr.cells[0], { number, label });
  }
  fillRow(tr, columns, { row: { id: "", data: {} }, number, label });
  delete tr.dataset.row;
  tr.className = "is-coming";
  columns.forEach((_, place) => tr.cells[place + 1].firstElementChild.replaceChildren(el("span", { class: "coming", "aria-hidden": "true" })));
}

/** @param {HTMLTableRowElement} tr @param {Column[]} columns  whether its cells are of these columns, with a check box */
function fits(tr, columns) {
  const { cells } = tr;
  if (cells.length !== columns.length + 2 || !cells[0].querySelector(".check") || !cells[0].querySelector(".gutter__n")) return false;
  return columns.every((column, place) => cells[place + 1].dataset.col === column.id);
}

/** @param {HTMLTableCellElement} cell @param {Column} column @param {any} value */
function refill(cell, column, value) {
  const shown = cell.firstElementChild;
  if (cell.childNodes.length !== 1 || shown?.className !== "val") return redrawCell(cell, column, value);
  const direction = directionOf(column, value);
  if (shown.dir !== direction) {
    if (direction) shown.dir = direction;
    else shown.removeAttribute("dir");
  }
  if (!retold(shown, column, value)) shown.replaceChildren(drawValue(column, value));
}

/**
 * Says another value with what stands there already, where it is of the same kind. Nothing is put in or taken out then: nodes that
 * come and go have the whole row looked at anew, which costs many times as much as the text.
 * @param {Element} shown @param {Column} column @param {any} value @returns {boolean} whether that could be done
 */
function retold(shown, column, value) {
  const inside = /** @type {any} */ (shown.firstChild);
  if (!inside || inside.nextSibling) return false;
  const saysNothing = inside.className === "none";
  if (isEmpty(value) || saysNothing) return isEmpty(value) && saysNothing;
  return columnType(column).retell(inside, value, displayText(column, value), column);
}

/** @param {HTMLTableRowElement} tr @param {Column[]} columns  takes away what only the row before had */
function plain(tr, columns) {
  if (tr.className) tr.className = "";
  for (const name of ["data-op", "data-index", "data-res"]) tr.removeAttribute(name);
  const { cells } = tr;
  columns.forEach((column, place) => {
    const cell = cells[place + 1];
    const names = cellClass(column, place);
    if (cell.className !== names) cell.className = names;
    for (const name of ["id", "data-op", "data-label", "aria-describedby", "aria-description", "title"]) cell.removeAttribute(name);
  });
}

const ROLES = { TBODY: "rowgroup", THEAD: "rowgroup", TFOOT: "rowgroup", TR: "row", TH: "columnheader", TD: "gridcell" };

/** @param {HTMLElement} part  of a grid whose rows are laid out by themselves: its parts say what they are */
export function giveRoles(part) {
  for (const one of [part, ...part.querySelectorAll("thead, tbody, tfoot, tr, th, td")]) {
    const role = ROLES[one.tagName];
    if (role && !one.hasAttribute("role") && !one.hasAttribute("aria-hidden")) one.setAttribute("role", role);
  }
}

/** @returns {HTMLTableCellElement} takes the room that the columns leave */
export function drawFiller() {
  return el("td", { class: "filler", "aria-hidden": "true" });
}

/** @param {Column} column @param {Record<string, any>[]} samples @returns {string} the class that sets a column's width */
export function widthClass(column, samples) {
  const lengths = samples.map((data) => displayText(column, data[column.id]).length);
  const longest = Math.max(column.name.length + 4, ...lengths, ...(column.options ?? []).map((option) => option.length));
  for (const [most, name] of WIDTH_STEPS) if (longest <= Number(most)) return String(name);
  return "w-6";
}

/** @param {Column} column @param {number} place @param {string} [symbol] @returns {HTMLTableCellElement} a head that only names its column */
export function drawHead(column, place, symbol) {
  const names = [columnType(column).cellClass, place === 0 && "is-frozen"].filter(Boolean).join(" ");
  const inside = el("span", { class: "col" }, icon(symbol ?? columnType(column).icon, "icon--14"), el("span", {}, drawRevealed(column.name)));
  return el("th", { scope: "col", class: names || undefined, dataset: { col: column.id } }, inside);
}
