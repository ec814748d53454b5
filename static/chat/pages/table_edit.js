// The page for editing a table's definition: its form, and proposals of the assistant.

import { load } from "../../element.js";
import { SchemaForm } from "../../tables/schema_form.js";
import { closeTraySheet } from "../proposal_stages.js";
import { registerConflictWords, registerLazyHandlers, registerLinkHandler, registerPageContext, registerPayloadHandler } from "../registry.js";

const form = new SchemaForm(document.getElementById("schema-form"));
const slot = document.querySelector("[data-review-slot]");

registerLazyHandlers(async () => {
  const [{ columnsHandler }, { registerTableTools }] = await Promise.all([load(() => import("../payloads/schema_proposal.js")), load(() => import("../tools/table_tools.js"))]);
  registerTableTools();
  registerPayloadHandler("schema_proposal", columnsHandler({ slot, done: () => form.reload() }));
});
// Links from a column menu refer to the column.
if (location.hash) form.editColumn(decodeURIComponent(location.hash.slice(1)));

registerLinkHandler("column", ({ table_id: table, column_id: id }) => {
  if (String(table) !== form.tableId || !form.columns.some((column) => column.id === id)) return false;
  closeTraySheet();
  form.editColumn(id);
  return true;
});
registerConflictWords(async (error) => (await load(() => import("../../tables/undo_conflicts.js"))).describeConflicts(error));
registerPageContext(() => ({}));
document.addEventListener("table-changed", () => form.reload());
