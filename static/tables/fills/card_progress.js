// The progress of fills on the cards of the list of tables, read again while they run.

import { api } from "../../api.js";
import { t } from "../../locale.js";
import { counted } from "./result_texts.js";

const POLL_MS = 3000;

/** @param {NodeListOf<HTMLElement>} places */
export function followFills(places) {
  for (const place of places) void follow(place);
}

/** @param {HTMLElement} place  of one fill, `data-fill` is its address */
async function follow(place) {
  while (place.isConnected) {
    await new Promise((resolve) => { setTimeout(resolve, POLL_MS); });
    if (document.visibilityState === "hidden") continue;
    /** @type {Fill | undefined} */
    const fill = await api.get(place.dataset.fill).catch(() => undefined);
    if (!fill) return;
    draw(place, fill);
    if (fill.state !== "running" && fill.state !== "paused") return;
  }
}

/** @param {HTMLElement} place @param {Fill} fill */
function draw(place, { state, counts }) {
  const done = counts.found + counts.empty + counts.failed;
  const total = done + counts.waiting + counts.working;
  const isOver = state !== "running" && state !== "paused";
  place.querySelector(".card__done").textContent = isOver ? t("Ready to review") : t("{done} of {total}", { done: counted(done), total: counted(total) });
  const bar = place.querySelector("progress");
  bar.max = Math.max(1, total);
  bar.value = done;
  bar.hidden = isOver;
}
