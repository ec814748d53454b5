// The fills on the cards of the list of tables: their progress while they run, and those that have ended meanwhile.

import { api } from "../../api.js";
import { el, press, replaceInside } from "../../element.js";
import { t } from "../../locale.js";
import { waitEnd, waitText } from "./provider_wait.js";
import { counted } from "./result_texts.js";

const POLL_MS = 3000;
const FILLS = ".card__fill";

/** Follow the fills that the cards show. */
export function followFills() {
  for (const place of document.querySelectorAll("[data-fill]")) void follow(/** @type {HTMLElement} */ (place));
}

/** Read the fills of all cards again, which the server renders. */
export async function updateCards() {
  const answer = await fetch(location.href, { credentials: "same-origin" }).catch(() => null);
  if (!answer?.ok) return;
  const page = new DOMParser().parseFromString(await answer.text(), "text/html");
  await press.released();
  const fresh = new Map([...page.querySelectorAll(".card")].map((card) => [addressOf(card), card]));
  for (const card of document.querySelectorAll(".card")) {
    const fills = [...(fresh.get(addressOf(card))?.querySelectorAll(FILLS) ?? [])].map((fill) => document.adoptNode(fill));
    const kept = [...card.children].filter((part) => !part.matches(FILLS));
    // The name and the description are above.
    replaceInside(card, ...kept.slice(0, 2), ...fills, ...kept.slice(2));
  }
  followFills();
}

/** @param {Element} card @returns {string | null | undefined} */
function addressOf(card) {
  return card.querySelector("h2 a")?.getAttribute("href");
}

/** @param {HTMLElement} place  of one fill, `data-fill` is its address */
async function follow(place) {
  while (place.isConnected) {
    await new Promise((resolve) => { setTimeout(resolve, POLL_MS); });
    if (!place.isConnected || document.visibilityState === "hidden") continue;
    /** @type {Fill | undefined} */
    const fill = await api.get(place.dataset.fill).catch(() => undefined);
    if (!fill) return;
    if (fill.state !== "running" && fill.state !== "paused") return updateCards();
    draw(place, fill);
  }
}

/** @param {HTMLElement} place @param {Fill} fill */
function draw(place, fill) {
  const { counts } = fill;
  const done = counts.found + counts.empty + counts.failed + (counts.discarded ?? 0);
  const total = done + counts.waiting + counts.working;
  place.querySelector(".card__done").textContent = t("{done} of {total}", { done: counted(done), total: counted(total) });
  const bar = place.querySelector("progress");
  bar.max = Math.max(1, total);
  bar.value = done;
  const now = Date.now();
  const wait = waitText(waitEnd(fill, now), now);
  if (wait && !place.querySelector(".card__wait")) place.append(el("small", { class: "card__wait" }));
  const words = place.querySelector(".card__wait");
  if (wait) words.textContent = wait;
  else words?.remove();
}
