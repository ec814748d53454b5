// The payload handler of schema_proposal on the list of tables: a new table above the content of the page.

import { load } from "../../element.js";
import { t } from "../../locale.js";
import { stagedHandler } from "../proposal_stages.js";
import { tableCard } from "./table_card.js";

/**
 * On the list of tables, and on the page for a new one.
 * @param {HTMLElement} container  hidden while no table is proposed
 * @returns {PayloadHandler}
 */
export function newTableHandler(container) {
  const setVisible = (/** @type {boolean} */ on) => {
    const appears = on && container.hidden;
    container.hidden = !on;
    if (appears) container.scrollIntoView({ block: "start" });
  };
  const stages = stagedHandler({
    incoming: async () => {
      const { IncomingTable } = await load(() => import("./incoming_table.js"));
      return () => {
        const table = new IncomingTable(container);
        setVisible(true);
        return { update: (event) => table.update(event), end: () => setVisible(false) };
      };
    },
    review: async () => {
      const [{ Proposal }, { ProposedTable }, { startReview }] = await Promise.all([load(() => import("./proposal.js")), load(() => import("./proposed_table.js")), load(() => import("./schema_review.js"))]);
      const show = (/** @type {Proposal} */ proposal, /** @type {() => void} */ ended) => {
        const view = new ProposedTable(container, proposal);
        setVisible(true);
        const close = () => {
          // Keep it until the page of the new table is loaded.
          if (!proposal.answer?.moved_to) setVisible(false);
          ended();
        };
        return { draw: () => view.draw(), end: close };
      };
      const answered = (/** @type {any} */ answer) => {
        if (answer?.moved_to) location.assign(`/tables/${answer.moved_to}/`);
      };
      return { Proposal, show: (proposal, ended) => startReview(proposal, { show, ended, answered }) };
    },
    focus: () => container.querySelector(".newtable")?.scrollIntoView({ block: "nearest" }),
    renderOptions: { headerTitle: t("Proposed table"), headerIcon: "table-2" },
  });
  return { ...stages, ...tableCard };
}
