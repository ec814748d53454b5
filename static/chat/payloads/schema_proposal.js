// The payload handler of schema_proposal on the page of a table: column changes above the grid.

import { load } from "../../element.js";
import { t } from "../../locale.js";
import { stagedHandler } from "../proposal_stages.js";
import { tableCard } from "./table_card.js";

/**
 * Review a proposal in a view, which calls `ended`.
 * @param {Proposal} proposal
 * @param {{show: (proposal: Proposal, ended: () => void) => {draw: () => void, end: () => void},
 *   ended: () => void, answered: (answer: any) => void}} how
 */
export function startReview(proposal, { show, ended, answered }) {
  let closed = false;
  const changed = () => {
    if (closed) return;
    if (!proposal.over) {
      view.draw();
      return;
    }
    view.end();
    answered(proposal.answer);
  };
  const view = show(proposal, () => {
    closed = true;
    ended();
  });
  proposal.changed = changed;
  changed();
  return { proposal, end: () => view.end() };
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
      const [{ Proposal }, { ProposedColumns }] = await Promise.all([load(() => import("./proposal.js")), load(() => import("./proposed_columns.js"))]);
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
