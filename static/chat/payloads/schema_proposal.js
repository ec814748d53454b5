// schema_proposal in the page: a new table in place of the list, or column changes over the grid.

import { uncover } from "./uncover.js";

const ARRIVING = "arriving";

/**
 * On the list of tables. The modules that draw are fetched with the first proposal.
 * @param {{place: HTMLElement, instead: HTMLElement}} where  `instead` is what it stands in for
 * @returns {PayloadHandler}
 */
export function newTableHandler({ place, instead }) {
  /** @type {Proposal | null} */
  let shown = null;
  /** @type {IncomingTable | null} */
  let incoming = null;
  /** @type {any[]} events of one that is arriving, in order, until its module is there */
  const waiting = [];
  /** @type {Payload | null} the proposal that gave way to one that is arriving */
  let before = null;
  /** What is to be seen once its module is there: the id of a payload, or ARRIVING. */
  let wanted = "";

  const show = (on) => {
    place.hidden = !on;
    instead.hidden = on;
  };
  const review = async (payload) => {
    wanted = payload.id;
    const [{ Proposal }, { ProposedTable }] = await Promise.all([import("./proposal.js"), import("./proposed_table.js")]);
    if (wanted !== payload.id) return;
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
  const take = async (event) => {
    if (wanted !== ARRIVING) {
      before = shown && !shown.over ? shown.payload : null;
      waiting.length = 0;
    }
    wanted = ARRIVING;
    waiting.push(event);
    const { IncomingTable } = await import("./incoming_table.js");
    if (wanted !== ARRIVING) return;
    shown = null;
    incoming ??= new IncomingTable(place);
    for (const next of waiting.splice(0)) incoming.take(next);
    show(true);
  };

  document.addEventListener("payload-dropped", () => {
    if (wanted !== ARRIVING) return;
    wanted = "";
    incoming = null;
    if (before) review(before);
    else show(false);
  });
  return {
    onProgress: take,
    render: (payload) => {
      if (shown?.id === payload.id && !shown.over) return;
      review(payload);
    },
    focus: () => {
      uncover();
      place.querySelector(".newtable")?.scrollIntoView({ block: "nearest" });
    },
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
  /** @type {IncomingColumns | null} */
  let incoming = null;
  /** @type {any[]} events of one that is arriving, in order, until its module is there */
  const waiting = [];
  /** @type {Payload | null} the proposal that gave way to one that is arriving */
  let before = null;
  let wanted = "";

  const clear = () => {
    incoming?.end();
    incoming = null;
    shown?.view.end();
    shown = null;
  };
  const review = async (payload) => {
    wanted = payload.id;
    const [{ Proposal }, { ProposedColumns }] = await Promise.all([import("./proposal.js"), import("./proposed_columns.js")]);
    if (wanted !== payload.id) return;
    clear();
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
  };
  const take = async (event) => {
    if (wanted !== ARRIVING) {
      before = shown && !shown.proposal.over ? shown.proposal.payload : null;
      waiting.length = 0;
    }
    wanted = ARRIVING;
    waiting.push(event);
    const { IncomingColumns } = await import("./incoming_columns.js");
    if (wanted !== ARRIVING) return;
    if (!incoming) {
      clear();
      incoming = new IncomingColumns(slot, grid);
    }
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
      slot.scrollIntoView({ block: "nearest" });
    },
    renderOptions: { headerTitle: "Proposed columns", headerIcon: "columns-3" },
  };
}
