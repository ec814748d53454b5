// Attachments: pictures as thumbnails and names of files. The details of a row list, add and remove them.

import { el, icon, load } from "../../element.js";
import { plainText } from "./text.js";

/** The media types of files that have thumbnails. */
const PICTURES = /^image\/(?:png|jpeg|gif|webp)$/;

/** @typedef {{id: string, name: string, size: number, type: string}} AttachedFile */

/** @returns {string} the id of the table on the page; "" on other pages */
const tableOnPage = () => document.querySelector?.("[data-table-id]")?.getAttribute("data-table-id") ?? "";

/** @param {string} tableId @param {string} id @returns {string} the URL of a file's content */
export const fileUrl = (tableId, id) => `/api/tables/${tableId}/files/${id}/`;

/** @type {typeof import("../thumbnails.js") | undefined} */
let thumbnails;

/** @param {{id: string, type: string}} file @param {string} [tableId] @returns {HTMLElement} an icon, in place of which its thumbnail is shown once it exists */
export function drawThumbnail({ id, type }, tableId = tableOnPage()) {
  const frame = el("span", { class: "file__picture" }, icon("paperclip", "icon--14"));
  if (!tableId || !PICTURES.test(type)) return frame;
  if (thumbnails) thumbnails.showThumbnail(frame, fileUrl(tableId, id));
  else load(() => import("../thumbnails.js")).then((module) => (thumbnails = module).showThumbnail(frame, fileUrl(tableId, id)), () => {});
  return frame;
}

/** @type {ColumnKind} */
export const attachment = {
  name: "attachment", isText: false,
  draw: (value) => {
    if (!Array.isArray(value)) return null;
    const files = value.map((file, index) => el("span", { class: index ? "file is-more" : "file", title: file.name }, drawThumbnail(file), el("span", { text: plainText([file]) })));
    const others = plainText(value.slice(1));
    return el("span", { class: "files" }, ...files, others !== "" && el("span", { class: "files__more", title: others, text: `+${value.length - 1}` }));
  },
};

// The server draws icons in place of thumbnails.
for (const node of globalThis.document?.querySelectorAll?.(".file[data-file]") ?? []) {
  const { file: id = "", type = "" } = /** @type {HTMLElement} */ (node).dataset;
  node.firstElementChild?.replaceWith(drawThumbnail({ id, type }));
}
