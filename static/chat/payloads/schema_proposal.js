// schema_proposal in the page: a new table in place of the list, or column changes over the grid.

import { IncomingTable } from "./incoming_table.js";
import { Proposal } from "./proposal.js";
import { ProposedColumns } from "./proposed_columns.js";
import { ProposedTable } from "./proposed_table.js";

const OPTIONS = { headerTitle: "Proposed columns", headerIcon: "columns-3" };

/**
 * On the list of tables.
 * @param {{place: HTMLElement, instead: HTMLElement}} where  `instead` is what it stands in for
 * @returns {PayloadHandler}
 */
export function newTableHandler({ place, instead }) {
  /** @type {Proposal | null} */
  let shown = null;
  /** @type {IncomingTable | null} */
  let incoming = null;
  const show = (on) => {
    place.hidden = !on;
    instead.hidden = on;
  };
  const review = (payload) => {
    const changed = () => {
      if (shown !== proposal) return;
      if (!proposal.over) view.draw();
      else if (proposal.answer?.moved_to) location.assign(`/tables/${proposal.answer.moved_to}/`);
      else show(false);
    };
    const proposal = new Proposal(payload, changed);
    const view = new ProposedTable(place, proposal);
    shown = proposal;
    incoming = null;
    show(true);
    proposal.refresh();
  };
  /** @type {Payload | null} the proposal that gave way to one that is arriving */
  let before = null;
  document.addEventListener("payload-dropped", () => {
    if (!incoming) return;
    incoming = null;
    if (before) review(before);
    else show(false);
  });
  return {
    onProgress: (event) => {
      if (!incoming) before = shown && !shown.over ? shown.payload : null;
      shown = null;
      incoming ??= new IncomingTable(place);
      incoming.take(event);
      show(true);
    },
    render: (payload) => {
      if (shown?.id === payload.id && !shown.over) return;
      before = null;
      review(payload);
    },
    focus: () => place.querySelector(".newtable")?.scrollIntoView({ block: "nearest" }),
    onDismiss: () => show(false),
    renderOptions: { headerTitle: "Proposed table", headerIcon: "table-2" },
  };
}

/**
 * On a page with one table.
 * @param {{slot: HTMLElement, grid?: TableGrid | null, done?: () => void}} where
 * @returns {PayloadHandler}
 */
export function columnsHandler({ slot, grid = null, done = () => {} }) {
  /** @type {{proposal: Proposal, view: ProposedColumns} | null} */
  let shown = null;
  return {
    render: (payload) => {
      if (shown?.proposal.id === payload.id && !shown.proposal.over) return;
      shown?.view.end();
      const changed = () => {
        if (shown?.proposal !== proposal) return;
        if (!proposal.over) {
          view.draw();
          return;
        }
        view.end();
        shown = null;
        if (proposal.answer?.status !== "dismissed") done();
      };
      const proposal = new Proposal(payload, changed);
      const view = new ProposedColumns({ slot, grid, proposal });
      shown = { proposal, view };
      proposal.refresh();
    },
    focus: () => slot.scrollIntoView({ block: "nearest" }),
    renderOptions: OPTIONS,
  };
}
