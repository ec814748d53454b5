// What the pages know of each column type: one file per type, and plain text for a type that has none here. Pure.

/**
 * @typedef {object} ColumnKind  what is left out is as in PLAIN
 * @property {string} name @property {string} label @property {string} [icon] @property {string} [cellClass]
 * @property {string} [hint]  a line on the edit page
 * @property {boolean} [hasOptions] @property {"options" | "truth" | ""} [clicks]  what the filter bar offers
 * @property {boolean} [localised]  whether the reader's own way of writing differs from the server's
 * @property {boolean} [keepsFirstKey]  whether the key that opens an editor is its first character
 * @property {boolean} [toggles]  whether Enter turns a value round in place of opening an editor
 * @property {string} [fieldType]  the type of the field for a default
 * @property {(value: any, locale?: string) => string} [display]
 * @property {(value: any, text: string, column: Column) => Node | null} [draw]  null: as its text
 * @property {(value: any) => string} [editText]  what an editor starts with
 * @property {boolean} [keepsSpace]  whether outer white space is part of a value
 * @property {(text: string) => any} [typed]  what is sent of what somebody typed; never called for an empty text
 * @property {(text: string) => any} [pasted] @property {(text: string) => any} [defaultOf]
 * @property {(text: string) => {tag: string, props: Record<string, any>}} [field]  the cell's editor
 * @property {(column: Column) => string[][]} [choices]  values and words of a default; null: a free field
 */

const PLAIN = {
  icon: "type", cellClass: "", hint: "", hasOptions: false, clicks: "", localised: false, keepsFirstKey: true, keepsSpace: false, toggles: false, fieldType: "text",
  display: (value) => String(value),
  draw: () => null,
  editText: (value) => String(value),
  typed: (text) => text,
  pasted: null,
  defaultOf: (text) => text,
  field: (text) => ({ tag: "textarea", props: { rows: "1", value: text } }),
  choices: () => null,
};

const HUES = 9; // colours of options

const kinds = new Map();

/** @param {ColumnKind} kind */
export function registerColumnType(kind) {
  const whole = { ...PLAIN, ...kind };
  kinds.set(kind.name, { ...whole, pasted: whole.pasted ?? whole.typed });
}

/** @param {{type?: string} | string | undefined} column  a column or the name of a type @returns {Required<ColumnKind>} */
export function columnType(column) {
  const name = typeof column === "string" ? column : column?.type ?? "";
  return kinds.get(name) ?? { ...PLAIN, name, label: name, pasted: PLAIN.typed };
}

/** @returns {string[][]} names and labels, in the order they are offered */
export function columnTypes() {
  return [...kinds.values()].map((kind) => [kind.name, kind.label]);
}

/** @param {Column} column @param {string} option @returns {number} the colour of an option: its place, so renaming keeps it */
export function hueOf(column, option) {
  const place = (column.options ?? []).indexOf(option);
  return place < 0 ? 0 : (place % HUES) + 1;
}
