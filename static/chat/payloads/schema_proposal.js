// schema_proposal in the page: a new table in place of the list, or column changes over the grid.

import { load } from "../../element.js";
import { t } from "../../locale.js";
import { inTwoStages } from "../two_stages.js";

/**
 * A proposal that is looked over in a view of its own, which says when it has ended.
 * @param {Proposal} proposal
 * @param {{show: (proposal: Proposal, ended: () => void) => {draw: () => void, end: () => void},
 *   ended: () => void, answered: (answer: any) => void}} how
 */
function lookOver(proposal, { show, ended, answered }) {
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
 * On the list of tables.
 * @param {{place: HTMLElement, instead: HTMLElement}} where  `instead` is what it stands in for
 * @returns {PayloadHandler}
 */
export function newTableHandler({ place, instead }) {
  const visible = (/** @type {boolean} */ on) => {
    place.hidden = !on;
    instead.hidden = on;
  };
  return inTwoStages({
    incoming: async () => {
      const { IncomingTable } = await load(() => import("./incoming_table.js"));
      return () => {
        const table = new IncomingTable(place);
        visible(true);
        return { take: (event) => table.take(event), end: () => visible(false) };
      };
    },
    review: async () => {
      const [{ Proposal }, { ProposedTable }] = await Promise.all([load(() => import("./proposal.js")), load(() => import("./proposed_table.js"))]);
      const show = (/** @type {Proposal} */ proposal, /** @type {() => void} */ ended) => {
        const view = new ProposedTable(place, proposal);
        visible(true);
        const close = () => {
          // On the way to the new table, the list of the others is not shown again.
          if (!proposal.answer?.moved_to) visible(false);
          ended();
        };
        return { draw: () => view.draw(), end: close };
      };
      const answered = (/** @type {any} */ answer) => {
        if (answer?.moved_to) location.assign(`/tables/${answer.moved_to}/`);
      };
      return { Proposal, show: (proposal, ended) => lookOver(proposal, { show, ended, answered }) };
    },
    focus: () => place.querySelector(".newtable")?.scrollIntoView({ block: "nearest" }),
    renderOptions: { headerTitle: t("Proposed table"), headerIcon: "table-2" },
  });
}

/**
 * On a page with one table.
 * @param {{slot: HTMLElement, grid?: TableGrid | null, done?: () => void}} where
 * @returns {PayloadHandler}
 */
export function columnsHandler({ slot, grid = null, done = () => {} }) {
  return inTwoStages({
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
      return { Proposal, show: (proposal, ended) => lookOver(proposal, { show, ended, answered }) };
    },
    focus: () => slot.scrollIntoView({ block: "nearest" }),
    renderOptions: { headerTitle: t("Proposed columns"), headerIcon: "columns-3" },
  });
}
