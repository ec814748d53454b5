// The payload handler of data_proposal on the page of a table.

import { t } from "../../locale.js";
import { lazy, load } from "../../element.js";
import { stagedHandler, closeTraySheet } from "../proposal_stages.js";
import { tableCard } from "./table_card.js";

/**
 * @param {TableGrid} grid @param {HTMLElement} slot  for the review bar
 * @returns {PayloadHandler}
 */
export function dataHandler(grid, slot) {
  const showAdded = async (/** @type {number[]} */ ids) => {
    closeTraySheet();
    const { showAddedRows } = await lazy(t("The added rows could not be shown."), () => load(() => import("../../tables/added_rows.js")));
    await showAddedRows(grid, ids);
  };
  const stages = stagedHandler({
    incoming: async () => {
      const { IncomingRows } = await load(() => import("./incoming_rows.js"));
      return () => new IncomingRows(grid, slot);
    },
    review: async () => {
      const [{ Proposal }, { RowReview }] = await Promise.all([load(() => import("./proposal.js")), load(() => import("./row_review.js"))]);
      return { Proposal, show: (proposal, ended) => new RowReview({ grid, slot, proposal, ended, showAdded }) };
    },
    focus: (review) => review?.steps.go(1, { fromStart: true }),
    renderOptions: { headerTitle: t("Proposed changes"), headerIcon: "diff" },
  });
  return { ...stages, ...tableCard, showAdded };
}
