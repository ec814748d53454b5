// Attachments: pictures as thumbnails and names of files. The details of a row list, add and remove them.

import { el, icon } from "../../element.js";
import { plainText } from "./text.js";

/** The media types of files that have thumbnails. */
const PICTURES = /^image\/(?:png|jpeg|gif|webp)$/;

/** @typedef {{id: string, name: string, size: number, type: string}} AttachedFile */

/** @returns {string} the id of the table on the page; "" on other pages */
const tableOnPage = () => document.querySelector?.("[data-table-id]")?.getAttribute("data-table-id") ?? "";

/** @param {string} tableId @param {string} id @returns {string} the URL of a file's content */
export const fileUrl = (tableId, id) => `/api/tables/${tableId}/files/${id}/`;

/** @param {{id: string, type: string}} file @param {string} [tableId] @returns {Node} its thumbnail, or an icon without one */
export function drawThumbnail({ id, type }, tableId = tableOnPage()) {
  const other = icon("paperclip", "icon--14");
  if (!tableId || !PICTURES.test(type)) return other;
  const picture = el("img", { class: "file__picture", alt: "", loading: "lazy", decoding: "async", width: 20, height: 20, src: `${fileUrl(tableId, id)}thumbnail/` });
  // It is made in the background after the upload.
  picture.addEventListener("error", () => picture.replaceWith(other));
  return picture;
}

/** @type {ColumnKind} */
export const attachment = {
  name: "attachment", isText: false,
  draw: (value) => {
    if (!Array.isArray(value)) return null;
    return el("span", { class: "files" }, ...value.map((file) => el("span", { class: "file", title: file.name }, drawThumbnail(file), el("span", { text: plainText([file]) }))));
  },
};

// The server draws icons in place of thumbnails.
for (const node of globalThis.document?.querySelectorAll?.(".file[data-file]") ?? []) {
  const { file: id = "", type = "" } = /** @type {HTMLElement} */ (node).dataset;
  node.firstElementChild?.replaceWith(drawThumbnail({ id, type }));
}
