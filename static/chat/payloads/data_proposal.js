// data_proposal in the page of a table: first as it arrives, then to be looked over in the grid.

import { IncomingRows } from "./incoming_rows.js";
import { RowReview } from "./row_review.js";

/**
 * @param {TableGrid} grid @param {HTMLElement} slot  where the bar goes
 * @returns {PayloadHandler}
 */
export function dataHandler(grid, slot) {
  /** @type {RowReview | null} */
  let shown = null;
  /** @type {IncomingRows | null} */
  let incoming = null;
  /** @type {Payload | null} the proposal that gave way to one that is arriving */
  let before = null;
  const stopIncoming = () => {
    incoming?.end();
    incoming = null;
  };
  const review = (payload) => {
    shown = new RowReview({ grid, slot, payload, ended: () => (shown = null) });
  };
  document.addEventListener("payload-dropped", () => {
    if (!incoming) return;
    stopIncoming();
    if (before) review(before);
    before = null;
  });
  return {
    onProgress: (event) => {
      if (!incoming) before = shown?.proposal.payload ?? null;
      shown?.end();
      incoming ??= new IncomingRows(grid, slot);
      incoming.take(event);
    },
    render: (payload) => {
      if (shown?.proposal.id === payload.id && !shown.proposal.over) return;
      stopIncoming();
      before = null;
      shown?.end();
      review(payload);
    },
    focus: () => shown?.steps.go(1, { fromStart: true }),
    renderOptions: { headerTitle: "Proposed changes", headerIcon: "diff" },
  };
}
