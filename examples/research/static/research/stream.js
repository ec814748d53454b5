// The page of a stream: draws payloads, shows what actions did, and sends the page state with each message.

import { registerPageContext, registerPayloadHandler } from "../chat/registry.js";
import { el } from "../element.js";

const page = document.getElementById("stream");
const { tab, subtab, execution } = page.dataset;

registerPageContext(() => ({ active_tab: tab, active_subtab: subtab, execution_id: execution ? Number(execution) : null }));

registerPayloadHandler("pubmed_articles", {
  render: ({ data }) => el("div", { class: "research" },
    el("p", {}, `${data.count} articles for `, el("b", {}, data.query)),
    el("ol", {}, ...data.articles.map(({ pmid, title, authors, journal, published }) => el("li", {},
      el("a", { class: "link", href: `https://pubmed.ncbi.nlm.nih.gov/${encodeURIComponent(pmid)}/` }, title),
      ` ${authors}. ${journal} ${published}`)))),
});

registerPayloadHandler("article_groups", {
  render: ({ data }) => el("div", { class: "research" }, ...data.groups.flatMap(({ title, article_ids: ids }) => [
    el("h3", {}, title),
    el("ul", {}, ...ids.map(titleOf).filter(Boolean).map((text) => el("li", {}, text))),
  ])),
  onApply: ({ data }) => {
    // Articles without a group stay at the end.
    const items = data.groups.flatMap((group) => group.article_ids.map(itemOf).filter(Boolean));
    page.querySelector("ol").prepend(...items);
  },
});

// Whichever way a proposal was applied or undone, the server renders the sources and keywords.
document.addEventListener("payload-settled", ({ detail }) => {
  if (tab === "setup" && detail.status !== "dismissed" && detail.status !== "superseded") location.reload();
});

document.addEventListener("action-done", ({ detail }) => {
  if (detail.action === "run_stream") location.assign(`?tab=executions&subtab=report&execution=${detail.data.execution_id}`);
});

/** @param {number} id @returns {HTMLElement | null} */
function itemOf(id) {
  return page.querySelector(`[data-article="${Number(id)}"]`);
}

/** @param {number} id */
function titleOf(id) {
  return itemOf(id)?.querySelector("a").textContent;
}
