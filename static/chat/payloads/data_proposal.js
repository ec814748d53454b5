// data_proposal in the page of a table: first as it arrives, then to be looked over in the grid.

import { uncover } from "./uncover.js";

const ARRIVING = "arriving";

/**
 * The modules that draw are fetched with the first proposal: most visits see none.
 * @param {TableGrid} grid @param {HTMLElement} slot  where the bar goes
 * @returns {PayloadHandler}
 */
export function dataHandler(grid, slot) {
  /** @type {RowReview | null} */
  let shown = null;
  /** @type {IncomingRows | null} */
  let incoming = null;
  /** @type {any[]} events of one that is arriving, in order, until its module is there */
  const waiting = [];
  /** @type {Payload | null} the proposal that gave way to one that is arriving */
  let before = null;
  /** What is to be seen once its module is there: the id of a payload, or ARRIVING. */
  let wanted = "";

  const clear = () => {
    incoming?.end();
    incoming = null;
    shown?.end();
  };
  const review = async (payload) => {
    wanted = payload.id;
    const { RowReview } = await import("./row_review.js");
    if (wanted !== payload.id) return;
    clear();
    shown = new RowReview({ grid, slot, payload, ended: () => (shown = null) });
  };
  const take = async (event) => {
    if (wanted !== ARRIVING) {
      before = shown?.proposal.payload ?? null;
      waiting.length = 0;
    }
    wanted = ARRIVING;
    waiting.push(event);
    const { IncomingRows } = await import("./incoming_rows.js");
    if (wanted !== ARRIVING) return;
    shown?.end();
    incoming ??= new IncomingRows(grid, slot);
    for (const next of waiting.splice(0)) incoming.take(next);
  };

  document.addEventListener("payload-dropped", () => {
    if (wanted !== ARRIVING) return;
    wanted = "";
    clear();
    if (before) review(before);
  });
  return {
    onProgress: take,
    render: (payload) => {
      if (shown?.proposal.id === payload.id && !shown.proposal.over) return;
      review(payload);
    },
    focus: () => {
      uncover();
      shown?.steps.go(1, { fromStart: true });
    },
    renderOptions: { headerTitle: "Proposed changes", headerIcon: "diff" },
  };
}
