// The toast after a data proposal was applied: the number of changes, Undo, and a link to added rows.

import { toast } from "../../element.js";
import { t, tn } from "../../locale.js";
import { addedRows } from "./table_card.js";

/**
 * @param {{grid: TableGrid, proposal: Proposal, showAdded: (ids: number[]) => void}} review
 * @param {any} answer  response of the server, or outcome from another tab
 */
export function showAppliedToast({ grid, proposal, showAdded }, answer) {
  if (answer.status !== "applied" && answer.status !== "partially_applied") return;
  const done = answer.outcome.applied?.length ?? 0;
  const { change } = answer.outcome;
  const text = tn("Applied {done} of {count} change", "Applied {done} of {count} changes", proposal.operations.total, { done });
  const added = addedRows(answer);
  const show = added.length ? [{ label: t("Show"), run: () => showAdded(added) }] : [];
  const undo = change ? [grid.writer.undoRedo.undoAction(change)] : [];
  toast(text, { actions: [...show, ...undo] });
}
