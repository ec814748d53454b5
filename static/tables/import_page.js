// One import: its progress as it goes on, and of its columns just what means something where they go.

import { api } from "../api.js";
import { t, tn } from "../locale.js";

const AGAIN_AFTER = 700;
const AFTER_A_FAILURE = 3000;
const RUNNING = ["queued", "reading", "writing"];
const page = /** @type {HTMLElement | null} */ (document.querySelector("[data-import]"));

/** @param {string} state @returns {string} */
function words(state) {
  if (state === "writing") return t("Writing the rows");
  return state === "reading" ? t("Reading the file") : t("Waiting to begin");
}

/** @param {HTMLElement} shown @param {Record<string, any>} answer what the API says of the import */
function draw(shown, { state, progress, counts }) {
  const heading = shown.querySelector("[data-words]");
  // A live region says only what has changed.
  if (heading.textContent !== words(state)) heading.textContent = words(state);
  const bar = shown.querySelector("progress");
  if (state === "reading" && progress.of) {
    bar.max = progress.of;
    bar.value = Math.min(progress.done, progress.of);
  } else bar.removeAttribute("value");
  const rows = counts.rows ?? 0;
  shown.querySelector("[data-rows]").textContent = rows ? tn("{count} row so far", "{count} rows so far", rows) : "";
}

/** @param {HTMLElement} shown */
async function follow(shown) {
  let wait = AGAIN_AFTER;
  try {
    const answer = await api.get(`/api/imports/${shown.dataset.import}/`);
    if (!RUNNING.includes(answer.state)) {
      location.reload();
      return;
    }
    draw(shown, answer);
  } catch {
    // The server is out of reach, or the import is gone: the page itself says which, once it can be asked.
    wait = AFTER_A_FAILURE;
  }
  setTimeout(() => follow(shown), wait);
}

/** @param {HTMLElement} item a column of the file */
function adapt(item) {
  const field = (/** @type {string} */ name) => item.querySelector(`[name^="${name}-"]`);
  item.classList.toggle("is-out", !field("include").checked);
  const isNew = !(field("into") ?? field("place"))?.value.trim();
  for (const part of item.querySelectorAll(".incol__new")) part.hidden = !isNew;
  // A name is needed only where it is given.
  field("name").required = isNew && field("include").checked;
  const written = item.querySelector("[data-of-type]");
  if (written) written.hidden = isNew && field("type").value !== written.dataset.ofType;
}

if (page && RUNNING.includes(page.dataset.state)) follow(page);
for (const item of document.querySelectorAll("[data-incol]")) {
  adapt(item);
  item.addEventListener("change", () => adapt(item));
}
