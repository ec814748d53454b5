// The history page: what was undone, redone or restored there is the last thing that Undo and Redo of this tab know of.

import { UndoMemory } from "./undo_memory.js";

for (const notice of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-undo-step]"))) {
  const { readerId, tableId, undoStep = "" } = notice.dataset;
  const [step, change, table, by] = undoStep.split(" ");
  const seen = `undo-seen:${readerId}:${tableId}`;
  // A page that the browser brings back, or builds again from its cache, takes the step once.
  if (table === tableId && Number(by) > Number(sessionStorage.getItem(seen))) {
    new UndoMemory(sessionStorage, notice.dataset).record(step, Number(change));
    try {
      sessionStorage.setItem(seen, by);
    } catch {
      // A full store: then the step was not stored either.
    }
  }
  delete notice.dataset.undoStep;
}
