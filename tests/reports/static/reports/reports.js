// The page of a report: draws payloads, runs client actions, and sends the page state with each message.

import { registerClientAction, registerLinkHandler, registerPageContext, registerPayloadHandler } from "../chat/registry.js";
import { el } from "../element.js";

const page = document.getElementById("report");
let openPaper = null;

registerPageContext(() => ({ active_tab: page.dataset.tab, active_subtab: page.dataset.subtab, paper_id: openPaper }));

registerPayloadHandler("paper_list", {
  render: ({ data }) => el("ul", {}, ...data.papers.map(({ id, title, year }) =>
    el("li", {}, el("button", { type: "button", class: "link", on: { click: () => show(id) } }, `${title} (${year})`)))),
});

registerPayloadHandler("reading_list", {
  render: ({ data }) => el("ol", {}, ...data.entries.map(({ title, reason }) => el("li", {}, el("b", {}, title), `: ${reason}`))),
  onApply: ({ data }) => {
    page.querySelector("[data-reading]").replaceChildren(...data.entries.map(({ title }) => el("li", {}, title)));
  },
  renderOptions: { headerTitle: "What to read" },
});

registerClientAction("open_paper", ({ paper_id: id }) => {
  if (!row(id)) throw new Error("This paper is not on this tab.");
  const before = openPaper;
  show(id);
  return { text: "Paper shown", state: before };
}, { undo: show });

registerLinkHandler("paper", ({ paper_id: id }) => {
  if (!row(id)) return false;
  show(id);
  return true;
});

document.addEventListener("action-done", ({ detail }) => {
  if (detail.action === "flag_paper") row(detail.data.paper_id)?.querySelector("[data-flag]").removeAttribute("hidden");
});

/** @param {number} id */
function row(id) {
  return page.querySelector(`[data-paper="${Number(id)}"]`);
}

/** @param {number | null} id */
function show(id) {
  openPaper = id;
  row(id)?.focus();
}
