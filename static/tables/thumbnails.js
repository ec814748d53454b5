// Thumbnails of files: shown when the server has created them. Loaded when the first picture is drawn.

import { api } from "../api.js";
import { el } from "../element.js";

const MAX_IDS = 100;
/** A file is drawn in few places at the same time: in its cell, in the details of its row. */
const MAX_FRAMES = 20;
/** When to ask again. The message about a new thumbnail may be lost, and damaged pictures never get one. */
const DELAYS_MS = [0, 1000, 2000, 5000, 15_000, 60_000];

/** URLs of files that have thumbnails. @type {Set<string>} */
const existing = new Set();
/** By the URL of the file. @type {Map<string, {frames: Set<HTMLElement>, requests: number}>} */
const missing = new Map();
/** URLs of files to ask for, by their delay. @type {Map<number, Set<string>>} */
const due = new Map();

/** @param {HTMLElement} frame  its content is replaced @param {string} url  of the file */
export function showThumbnail(frame, url) {
  if (existing.has(url)) return showIn(frame, url);
  let entry = missing.get(url);
  if (!entry) {
    missing.set(url, (entry = { frames: new Set(), requests: 0 }));
    askLater(url, entry);
  }
  entry.frames.add(frame);
  // Rows of the grid are drawn again and again.
  for (const oldest of [...entry.frames].slice(0, -MAX_FRAMES)) entry.frames.delete(oldest);
}

/** @param {HTMLElement} frame @param {string} url */
function showIn(frame, url) {
  const content = [...frame.childNodes];
  const picture = el("img", { alt: "", loading: "lazy", decoding: "async", width: 20, height: 20, src: `${url}thumbnail/` });
  picture.addEventListener("error", () => frame.replaceChildren(...content));
  frame.replaceChildren(picture);
}

/** Ask for all files that are drawn at the same time together. @param {string} url @param {{requests: number}} entry */
function askLater(url, entry) {
  const delay = DELAYS_MS[entry.requests++];
  if (delay === undefined) return;
  const urls = due.get(delay);
  if (urls) return void urls.add(url);
  due.set(delay, new Set([url]));
  setTimeout(() => ask(delay), delay);
}

/** @param {number} delay */
function ask(delay) {
  /** By the URL of the files of a table. @type {Map<string, string[]>} */
  const lists = new Map();
  for (const url of due.get(delay) ?? []) {
    const list = url.replace(/[^/]+\/$/, "");
    if (missing.has(url)) lists.set(list, [...(lists.get(list) ?? []), url]);
  }
  due.delete(delay);
  for (const [list, urls] of lists) for (let start = 0; start < urls.length; start += MAX_IDS) void askIn(list, urls.slice(start, start + MAX_IDS));
}

/** @param {string} list  URL of the files of a table @param {string[]} urls */
async function askIn(list, urls) {
  const ids = urls.map((url) => url.slice(list.length, -1)).join(",");
  const { files } = await api.get(`${list}?ids=${ids}`).catch(() => ({ files: [] }));
  for (const file of files) if (file.thumbnail_url) onCreated(file.url);
  for (const url of urls) {
    const entry = missing.get(url);
    if (entry) askLater(url, entry);
  }
}

/** @param {string} url  of a file */
function onCreated(url) {
  existing.add(url);
  for (const frame of missing.get(url)?.frames ?? []) showIn(frame, url);
  missing.delete(url);
}

document.addEventListener("table-news", (/** @type {any} */ { detail: { about, ids } }) => {
  const { tableId } = /** @type {HTMLElement} */ (document.querySelector("[data-table-id]")).dataset;
  if (about === "thumbnails" && tableId) for (const id of ids) onCreated(`/api/tables/${tableId}/files/${id}/`);
});
