// data_proposal in the page of a table: first as it arrives, then to be looked over in the grid.

import { t } from "../../locale.js";
import { inTwoStages } from "./two_stages.js";

/**
 * @param {TableGrid} grid @param {HTMLElement} slot  where the bar goes
 * @returns {PayloadHandler}
 */
export function dataHandler(grid, slot) {
  return inTwoStages({
    incoming: async () => {
      const { IncomingRows } = await import("./incoming_rows.js");
      return () => new IncomingRows(grid, slot);
    },
    review: async () => {
      const { RowReview } = await import("./row_review.js");
      return (payload, ended) => new RowReview({ grid, slot, payload, ended });
    },
    focus: (review) => review?.steps.go(1, { fromStart: true }),
    renderOptions: { headerTitle: t("Proposed changes"), headerIcon: "diff" },
  });
}
