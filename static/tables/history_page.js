// The history page: what was undone, redone or restored there is the last thing that Undo and Redo of this tab know of.

import { UndoMemory } from "./undo_memory.js";

for (const notice of /** @type {NodeListOf<HTMLElement>} */ (document.querySelectorAll("[data-undo-step]"))) {
  const [step, change] = (notice.dataset.undoStep ?? "").split(" ");
  new UndoMemory(sessionStorage, notice.dataset).take(step, Number(change));
  // A page that the browser brings back, or that is copied to another tab, takes the step once.
  delete notice.dataset.undoStep;
}
