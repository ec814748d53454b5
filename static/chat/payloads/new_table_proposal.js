// schema_proposal on the list of tables: a new table above the list.

import { load } from "../../element.js";
import { t } from "../../locale.js";
import { inTwoStages } from "../proposal_stages.js";
import { lookOver } from "./schema_proposal.js";

/**
 * On the list of tables.
 * @param {{place: HTMLElement, instead?: HTMLElement | null}} where  `instead` is hidden while a table is proposed
 * @returns {PayloadHandler}
 */
export function newTableHandler({ place, instead }) {
  const visible = (/** @type {boolean} */ on) => {
    const appears = on && place.hidden;
    place.hidden = !on;
    if (instead) instead.hidden = on;
    else if (appears) place.scrollIntoView({ block: "start" });
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
          // It stays until the page of the new table is there.
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
