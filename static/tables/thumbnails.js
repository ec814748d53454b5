// Thumbnails of files: shown when the server has created them. Loaded when the first picture is drawn.

import { api } from "../api.js";
import { el } from "../element.js";

const MAX_IDS = 100;
/** How often to ask for one thumbnail again after connecting: it may never be created, such as that of a damaged picture. */
const MAX_REQUESTS = 5;

/** URLs of files that have thumbnails. @type {Set<string>} */
const existing = new Set();
/** By the URL of the file. @type {Map<string, {frames: Set<HTMLElement>, requests: number}>} */
const missing = new Map();
/** URLs of files to ask for. @type {Set<string>} */
const due = new Set();

/** @param {HTMLElement} frame  its content is replaced @param {string} url  of the file */
export function showThumbnail(frame, url) {
  if (existing.has(url)) return showIn(frame, url);
  let entry = missing.get(url);
  if (!entry) missing.set(url, (entry = { frames: new Set(), requests: 0 }));
  // Rows of the grid are drawn again and again.
  for (const other of entry.frames) if (!other.isConnected) entry.frames.delete(other);
  entry.frames.add(frame);
  if (!entry.requests) ask([url]);
}

/** @param {HTMLElement} frame @param {string} url */
function showIn(frame, url) {
  const content = [...frame.childNodes];
  const picture = el("img", { alt: "", loading: "lazy", decoding: "async", width: 20, height: 20, src: `${url}thumbnail/` });
  picture.addEventListener("error", () => frame.replaceChildren(...content));
  frame.replaceChildren(picture);
}

/** Ask for files together, after all of them are drawn. @param {Iterable<string>} urls */
function ask(urls) {
  if (!due.size) setTimeout(askForDue);
  for (const url of urls) {
    due.add(url);
    const entry = missing.get(url);
    if (entry) entry.requests += 1;
  }
}

function askForDue() {
  /** By the URL of the files of a table. @type {Map<string, string[]>} */
  const lists = new Map();
  for (const url of due) {
    const list = url.replace(/[^/]+\/$/, "");
    lists.set(list, [...(lists.get(list) ?? []), url]);
  }
  due.clear();
  for (const [list, urls] of lists) for (let start = 0; start < urls.length; start += MAX_IDS) void askIn(list, urls.slice(start, start + MAX_IDS));
}

/** @param {string} list  URL of the files of a table @param {string[]} urls */
async function askIn(list, urls) {
  const ids = urls.map((url) => url.slice(list.length, -1)).join(",");
  // Without an answer, icons are shown until the page connects again.
  const { files } = await api.get(`${list}?ids=${ids}`).catch(() => ({ files: [] }));
  for (const file of files) if (file.thumbnail_url) onCreated(file.url);
}

/** @param {string} url  of a file */
function onCreated(url) {
  existing.add(url);
  for (const frame of missing.get(url)?.frames ?? []) showIn(frame, url);
  missing.delete(url);
}

const grid = /** @type {TableGrid | null} */ (document.querySelector("table-grid"));
grid?.addEventListener("thumbnail-created", (event) => onCreated(`/api/tables/${grid.tableId}/files/${/** @type {CustomEvent} */ (event).detail}/`));
// Messages may have been lost meanwhile.
grid?.addEventListener("grid-reached", () => ask([...missing].filter(([, { requests }]) => requests < MAX_REQUESTS).map(([url]) => url)));
