// The payload handlers of data_proposal and schema_proposal on the pages of a table: rows in the grid, column changes above it.

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

/**
 * On a page with one table.
 * @param {{slot: HTMLElement, grid?: TableGrid | null, done?: () => void}} where
 * @returns {PayloadHandler}
 */
export function columnsHandler({ slot, grid = null, done = () => {} }) {
  const stages = stagedHandler({
    incoming: async () => {
      const { IncomingColumns } = await load(() => import("./incoming_columns.js"));
      return () => new IncomingColumns(slot, grid);
    },
    review: async () => {
      const [{ Proposal }, { ProposedColumns }, { startReview }] = await Promise.all([load(() => import("./proposal.js")), load(() => import("./proposed_columns.js")), load(() => import("./schema_review.js"))]);
      const show = (/** @type {Proposal} */ proposal, /** @type {() => void} */ ended) => new ProposedColumns({ slot, grid, proposal, ended });
      const answered = (/** @type {any} */ answer) => {
        if (answer?.status !== "dismissed") done();
      };
      return { Proposal, show: (proposal, ended) => startReview(proposal, { show, ended, answered }) };
    },
    focus: () => slot.scrollIntoView({ block: "nearest" }),
    renderOptions: { headerTitle: t("Proposed columns"), headerIcon: "columns-3" },
  });
  return { ...stages, ...tableCard };
}
