// The page that edits a table's definition: the form comes to life, and proposals of the assistant wait here too.

import { load } from "../../element.js";
import { SchemaForm } from "../../tables/schema_form.js";
import { columnsHandler } from "../payloads/schema_proposal.js";
import { uncover } from "../proposal_stages.js";
import { registerConflictWords, registerLinkHandler, registerPageContext, registerPayloadHandler } from "../registry.js";

const form = new SchemaForm(document.getElementById("schema-form"));
const slot = document.querySelector("[data-review-slot]");

registerPayloadHandler("schema_proposal", columnsHandler({ slot, done: () => form.readAgain() }));
// Whoever came from the menu of a column is taken to it.
if (location.hash) form.begin(decodeURIComponent(location.hash.slice(1)));

registerLinkHandler("column", ({ table_id: table, column_id: id }) => {
  if (String(table) !== form.tableId || !form.columns.some((column) => column.id === id)) return false;
  uncover();
  form.begin(id);
  return true;
});
registerConflictWords(async (error) => (await load(() => import("../../tables/undo_conflicts.js"))).changedSince(error));
registerPageContext(() => ({}));
document.addEventListener("table-changed", () => form.readAgain());
