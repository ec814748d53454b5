// Converts edits of a table's definition to the operations of a schema proposal. No DOM.

/**
 * @typedef {object} EditedColumn  `id` is "" for a new column
 * @property {string} key @property {string} id @property {string} name @property {string} type @property {boolean} required
 * @property {any} default @property {string[]} options @property {Record<string, string>} optionColors @property {string}
 *   filterDisplay @property {boolean} removed @property {Record<string, any>} [settings]  of the type, those that the column has
 *
 * @typedef {{name: string, description: string, columns: EditedColumn[]}} Definition
 */

import { t, tn } from "../locale.js";
import { columnType } from "./column_types/registry.js";

const FIELDS = ["name", "type", "required", "default"];

/**
 * @param {Definition} before @param {Definition} after  removed columns have `removed` set
 * @returns {Record<string, any>} a proposal of mode update
 */
export function schemaProposal(before, after) {
  const known = new Map(before.columns.map((column) => [column.id, column]));
  const remaining = after.columns.filter((column) => !column.removed);
  const operations = [];
  for (const column of after.columns) {
    if (column.removed && column.id) operations.push({ action: "remove", column_id: column.id });
  }
  for (const column of remaining) {
    const changes = column.id ? columnChanges(known.get(column.id), column) : {};
    if (Object.keys(changes).length) operations.push({ action: "modify", column_id: column.id, changes });
  }
  // Moves are first, so that the neighbors of new columns are in their final positions.
  operations.push(...moves(before, remaining), ...additions(remaining));
  const proposal = { mode: "update", operations };
  if (after.name.trim() !== before.name) proposal.table_name = after.name.trim();
  if (after.description.trim() !== before.description) proposal.table_description = after.description.trim();
  return proposal;
}

/** @param {EditedColumn | undefined} before @param {EditedColumn} after */
export function columnChanges(before, after) {
  if (!before) return {};
  const changes = {};
  for (const field of FIELDS) if ((before[field] ?? null) !== (after[field] ?? null)) changes[field] = after[field];
  if ("default" in changes && changes.default === null) changes.default = "";
  const known = before.type === after.type ? before.settings ?? {} : {};
  for (const [name, value] of Object.entries(after.settings ?? {})) if (value !== known[name]) changes[name] = value;
  if (columnType(after).hasOptions) {
    const optionsChanged = JSON.stringify(before.options ?? []) !== JSON.stringify(after.options ?? []);
    // A column converted to a select gets its values as options if none are given.
    if (optionsChanged && (after.options.length || columnType(before).hasOptions)) changes.options = after.options;
    if ((before.filterDisplay ?? "dropdown") !== after.filterDisplay) changes.filterDisplay = after.filterDisplay;
  }
  return changes;
}

/** @param {EditedColumn[]} remaining  new columns are referred to by name, as they have no id */
function additions(remaining) {
  const operations = [];
  remaining.forEach((column, index) => {
    if (column.id) return;
    const definition = { name: column.name.trim(), type: column.type, required: column.required };
    if (column.default !== null && column.default !== "") definition.default = column.default;
    if (columnType(column).hasOptions) Object.assign(definition, { options: column.options, filterDisplay: column.filterDisplay });
    const operation = { action: "add", column: { ...definition, ...column.settings } };
    if (index > 0) operation.after_column_id = remaining[index - 1].id || remaining[index - 1].name.trim();
    operations.push(operation);
    // Without a neighbor it is added at the end.
    if (index === 0 && remaining.length > 1) operations.push({ action: "reorder", column_id: definition.name });
  });
  return operations;
}

/** @param {Definition} before @param {EditedColumn[]} remaining  not necessarily the minimum number of moves */
function moves(before, remaining) {
  const wanted = remaining.filter((column) => column.id).map((column) => column.id);
  const order = before.columns.map((column) => column.id).filter((id) => wanted.includes(id));
  const operations = [];
  wanted.forEach((id, index) => {
    if (order[index] === id) return;
    order.splice(order.indexOf(id), 1);
    order.splice(index, 0, id);
    const operation = { action: "reorder", column_id: id };
    if (index > 0) operation.after_column_id = wanted[index - 1];
    operations.push(operation);
  });
  return operations;
}

/** @param {Record<string, any>} proposal @returns {number} number of unsaved edits */
export function editCount(proposal) {
  return proposal.operations.length + ["table_name", "table_description"].filter((key) => key in proposal).length;
}

/** @param {Record<string, any>} proposal @returns {string} "1 added, 2 changed, renamed" */
export function editWords(proposal) {
  const counts = {};
  for (const { action } of proposal.operations) counts[action] = (counts[action] ?? 0) + 1;
  const texts = {
    add: (/** @type {number} */ count) => tn("{count} column added", "{count} columns added", count),
    modify: (/** @type {number} */ count) => tn("{count} column changed", "{count} columns changed", count),
    remove: (/** @type {number} */ count) => tn("{count} column removed", "{count} columns removed", count),
    reorder: (/** @type {number} */ count) => tn("{count} column moved", "{count} columns moved", count),
  };
  const words = Object.entries(texts).flatMap(([action, words]) => (counts[action] ? [words(counts[action])] : []));
  if ("table_name" in proposal) words.push(t("table renamed"));
  if ("table_description" in proposal) words.push(t("description changed"));
  return words.join(", ");
}

/** @param {EditedColumn[]} columns @returns {Map<string, string>} error messages, by key */
export function columnFaults(columns) {
  const faults = new Map();
  const seen = new Map();
  for (const column of columns.filter((one) => !one.removed)) {
    const name = column.name.normalize("NFKC").trim().toLowerCase();
    if (!name) faults.set(column.key, t("A column needs a name."));
    else if (seen.has(name)) faults.set(column.key, t("A column with this name already exists."));
    else if (columnType(column).hasOptions && !column.options.length && !column.id) faults.set(column.key, t("Add at least one option."));
    else if (Object.values(column.settings ?? {}).includes(null)) faults.set(column.key, t("Fill in all settings of the column."));
    seen.set(name, column.key);
  }
  return faults;
}
