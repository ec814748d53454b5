// The history page: an undo, redo or restore there becomes the last step of Undo and Redo in this tab.

import { UndoMemory } from "./undo_memory.js";

for (const notice of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-undo-step]"))) {
  const { readerId, tableId, undoStep = "" } = notice.dataset;
  const [step, change, table, by] = undoStep.split(" ");
  const seenKey = `undo-seen:${readerId}:${tableId}`;
  // Record the step once, even if the browser restores the page or loads it from its cache.
  if (table === tableId && Number(by) > Number(sessionStorage.getItem(seenKey))) {
    new UndoMemory(sessionStorage, notice.dataset).record(step, Number(change));
    try {
      sessionStorage.setItem(seenKey, by);
    } catch {
      // The storage is full: the step was not stored either.
    }
  }
  delete notice.dataset.undoStep;
}
