// The page of an import: shows its progress, and only the relevant fields of each column.

import { api } from "../api.js";
import { t, tn } from "../locale.js";

const POLL_MS = 700;
const RETRY_MS = 3000;
const RUNNING = ["queued", "reading", "writing"];
const page = /** @type {HTMLElement | null} */ (document.querySelector("[data-import]"));

/** @param {string} state @returns {string} */
function stateText(state) {
  if (state === "writing") return t("Saving rows");
  return state === "reading" ? t("Reading file") : t("Waiting to start");
}

/** @param {HTMLElement} shown @param {Record<string, any>} answer  the import, as returned by the API */
function draw(shown, { state, progress, counts }) {
  const heading = shown.querySelector("[data-words]");
  // A live region only announces changes.
  if (heading.textContent !== stateText(state)) heading.textContent = stateText(state);
  const bar = shown.querySelector("progress");
  if (state === "reading" && progress.of) {
    bar.max = progress.of;
    bar.value = Math.min(progress.done, progress.of);
  } else bar.removeAttribute("value");
  const rows = counts.rows ?? 0;
  shown.querySelector("[data-rows]").textContent = rows ? tn("{count} row so far.", "{count} rows so far.", rows) : "";
}

/** @param {HTMLElement} shown */
async function poll(shown) {
  let wait = POLL_MS;
  try {
    const answer = await api.get(`/api/imports/${shown.dataset.import}/`);
    if (!RUNNING.includes(answer.state)) {
      location.reload();
      return;
    }
    draw(shown, answer);
  } catch {
    // The server cannot be reached, or the import was deleted: reloading the page will show which.
    wait = RETRY_MS;
  }
  setTimeout(() => poll(shown), wait);
}

/** @param {HTMLElement} item a column of the file */
function updateFields(item) {
  const field = (/** @type {string} */ name) => item.querySelector(`[name^="${name}-"]`);
  item.classList.toggle("is-out", !field("include").checked);
  const isNew = !(field("into") ?? field("place"))?.value.trim();
  for (const part of item.querySelectorAll(".incol__new")) part.hidden = !isNew || (part.dataset.ofNew ?? field("type").value) !== field("type").value;
  // The name is only required if the column is included and new.
  field("name").required = isNew && field("include").checked;
  const formatField = item.querySelector("[data-of-type]");
  if (formatField) formatField.hidden = isNew && field("type").value !== formatField.dataset.ofType;
}

if (page && RUNNING.includes(page.dataset.state)) poll(page);
for (const item of document.querySelectorAll("[data-incol]")) {
  updateFields(item);
  item.addEventListener("change", () => updateFields(item));
}
