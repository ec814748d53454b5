// Column types in the browser. The server declares their labels, icons and capabilities in the page; modules register how values
// are displayed, parsed and edited. Unknown types are shown as plain text.

import { attachment } from "./attachment.js";
import { boolean } from "./boolean.js";
import { date } from "./date.js";
import { number } from "./number.js";
import { multiSelect } from "./multi_select.js";
import { person, select } from "./select.js";
import { PLAIN, text } from "./text.js";

export { OPTION_COLORS, colorOf } from "./select.js";

/**
 * @typedef {object} DeclaredType  from the server; defaults are in PLAIN
 * @property {string} name @property {string} [label] @property {string} [icon] @property {string} [cellClass]
 * @property {Record<string, string>} [formatIcons]  icons by the column's `format`, where they differ
 * @property {boolean} [hasOptions] @property {"options" | "truth" | "people" | ""} [clicks]  kind of filter in the filter bar
 * @property {boolean} [hasFiles]  whether values are files: the details of a row list, add and remove them
 * @property {boolean} [hasLists]  whether values are lists, of which an editor lets users choose several items
 * @property {boolean} [hasPeople]  whether values are ids of people of the table
 * @property {string} [clickOperator]  operator of the conditions that the filter bar sets
 * @property {{name: string, label: string, default: any, choices: Record<string, string>}[]} [settings]  choices: labels by value
 * @property {boolean} [hasDecimals]  whether values are numbers: they are added up, and their decimal separator is detected from all pasted ones
 * @property {string[]} [sortLabels]  of ascending and descending order, such as “lowest first”
 * @property {boolean} [isComputed]  whether values cannot be edited
 * @property {boolean} [isUnsearched]  whether searches do not find values
 * @property {{type: string, format: string}} [drawnLike]  behaves as columns of this type and format, where it registers no behavior of its own
 */
/**
 * An item of the list below an editor.
 * @typedef {object} ListItem
 * @property {any} value  a string or number: the value of cells, or an element of it in lists
 * @property {string} label  is searched, and announced by screen readers
 * @property {() => HTMLElement} [draw]  for the list and the chips, which append a button; default: a badge with the label
 */
/**
 * @typedef {object} KindBehavior  defaults are in PLAIN
 * @property {boolean} [toggles]  whether Enter toggles the value instead of opening an editor
 * @property {boolean} [isText]  whether values are text of any language, with its own direction
 * @property {string} [fieldType]  input type of the default value
 * @property {(value: any, locale?: string, column?: Column) => string} [display]
 * @property {(value: any, text: string, column: Column) => Node | null} [draw]  null: as text
 * @property {(node: any, value: any, text: string, column: Column) => boolean} [updateNode]  show a value that is not empty in
 *   the node of the previous one; false: must be redrawn
 * @property {(value: any, locale?: string, column?: Column) => string} [editText]  the initial text of an editor
 * @property {(value: any, locale?: string, column?: Column) => string} [copied]  text for the clipboard; default: editText
 * @property {boolean} [keepsSpace]  whether leading and trailing white space is part of a value
 * @property {(text: string, locale?: string, column?: Column) => any} [typed]  parse typed text, which is not empty
 * @property {(text: string, locale?: string, column?: Column) => any} [operand]  parse a typed value of a filter; default: typed
 * @property {null | ((value: any, format?: string) => Promise<any>)} [reformatted]  a value after a change of the column's format; null: the same
 * @property {() => Promise<void> | null} [prepare]  load code that few pages need, such as the parser of typed text; null if loaded.
 *   Also called when the cursor enters a cell. Nothing is parsed before
 * @property {null | ((text: string, locale?: string) => string)} [valueHint]  hint beside an editor: the parsed value in full; "" if
 *   the text cannot be parsed
 * @property {(text: string, locale?: string, separator?: string, column?: Column) => any} [pasted]  separator: detected decimal
 *   separator; "": unknown
 * @property {(text: string) => any} [defaultOf]
 * @property {(text: string, column?: Column) => {tag: string, props: Record<string, any>}} [field]  the editor
 * @property {null | ((value: any, column: Column) => string)} [link]  after `prepare`: the URL of a value; "" for none
 * @property {null | ((input: any) => Promise<() => void>)} [note]  show a note at an editor, such as a preview; returns its removal
 * @property {(column: Column) => Node} [drawEmpty]  the content of an empty cell; its class is `none`
 * @property {(key: string, column: Column, value: any) => any} [valueOfKey]  the value that a key sets without an editor, in a cell with `value`; undefined: none
 * @property {(event: MouseEvent, column: Column) => any} [valueOfClick]  the value that a click in a cell sets; undefined: none
 * @property {null | ((value: any, step: 1 | -1, column: Column) => any)} [stepped]  the value after an arrow key. The details of a
 *   row show such values as in the grid, set by keys and clicks; null: in an editor
 * @property {null | ((value: number, locale?: string, column?: Column) => string)} [figure]  a sum or an average; null: as a plain number
 * @property {Record<string, Partial<ColumnKind>>} [formats]  by the column's `format`: the properties in which it differs. Large code is
 *   loaded by its `prepare`; until then, values are drawn as text
 * @property {null | ((column: Column) => ListItem[])} [listItems]  after `prepare`: the values that an editor lists below its field
 *   (`../combobox.js`); several can be chosen if the type has lists. null: another editor
 * @property {(value: any, column: Column) => ListItem} [listItem]  the item of a value that is not listed: a new or a deleted one
 * @property {() => string} [noItem]  shown if no item matches the typed text
 * @property {(column: Column) => string[][] | null} [choices]  values and labels of a default; null: free text
 */
/** @typedef {DeclaredType & KindBehavior} ColumnKind */

/** The type of columns without another one. */
export const DEFAULT_TYPE = "text";
/** @type {Map<string, DeclaredType>} */
const declared = new Map();
/** @type {Map<string, ColumnKind>} */
const registered = new Map();
/** @type {Map<string, Required<ColumnKind>>} */
const kinds = new Map();

/** Types with options have this editor, unless they define another one. */
const { field, listItem, listItems, noItem } = select;
const optionEditor = { field, listItem, listItems, noItem };

/** @param {DeclaredType[]} types  as declared by the server */
export function declareColumnTypes(types) {
  for (const type of types) declared.set(type.name, type);
  kinds.clear();
}

/** @param {ColumnKind} kind */
export function registerColumnType(kind) {
  registered.set(kind.name, kind);
  kinds.clear();
}

/**
 * @param {{type?: string, format?: string} | string | undefined} column  a column or the name of a type
 * @returns {Required<ColumnKind>} with the behavior of the column's format
 */
export function columnType(column) {
  const { type: name = "", format = "" } = typeof column === "string" ? { type: column } : /** @type {any} */ (column) ?? {};
  let kind = kinds.get(name);
  if (!kind) {
    const own = { ...declared.get(name), ...registered.get(name) };
    const base = { ...PLAIN, name, label: name, ...(own.hasOptions && optionEditor), ...behaviorLike(own.drawnLike), ...own };
    const { formats: differences, formatIcons } = base;
    const names = Object.keys({ ...differences, ...formatIcons });
    const formats = names.map((each) => [each, complete({ ...base, icon: formatIcons[each] ?? base.icon, ...differences[each] })]);
    kinds.set(name, (kind = { ...complete(base), formats: Object.fromEntries(formats) }));
  }
  return Object.hasOwn(kind.formats, format) ? /** @type {any} */ (kind.formats)[format] : kind;
}

/** @param {DeclaredType["drawnLike"]} like @returns {Partial<ColumnKind>} how columns of this type and format behave, without what is declared */
function behaviorLike(like) {
  const { name: _, formats, ...behavior } = /** @type {ColumnKind} */ (registered.get(like?.type ?? "") ?? {});
  return { ...behavior, ...formats?.[like?.format ?? ""] };
}

/** @param {any} kind  changed in place @returns {Required<ColumnKind>} */
function complete(kind) {
  // A custom node cannot be updated by its text.
  if (kind.draw !== PLAIN.draw && kind.updateNode === PLAIN.updateNode) kind.updateNode = () => false;
  kind.copied ??= kind.editText;
  kind.pasted ??= kind.typed;
  kind.operand ??= kind.typed;
  return kind;
}

for (const kind of [attachment, text, number, date, boolean, select, multiSelect, person]) registerColumnType(kind);
declareColumnTypes(JSON.parse(globalThis.document?.querySelector?.("meta[name=column-types]")?.getAttribute("content") ?? "[]"));
