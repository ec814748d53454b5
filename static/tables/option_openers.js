// Loads the list of options that fits the type of a column.

import { columnType } from "./column_types/registry.js";

/** @param {Column} column @returns {Promise<(how: any) => Omit<OptionList, "whenLoaded">>} opens the list */
export async function openerOf(column) {
  if (columnType(column).hasLists) return (await import("./option_checklist.js")).openOptionChecklist;
  return (await import("./option_list.js")).openOptionList;
}
