// The payload handler of schema_proposal on the page of a table: column changes above the grid.

import { load } from "../../element.js";
import { t } from "../../locale.js";
import { stagedHandler } from "../proposal_stages.js";
import { tableCard } from "./table_card.js";

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
