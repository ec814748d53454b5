// Files for the next message on the page of a table: chosen from selected rows, uploaded, dropped or pasted. Loaded when the
// first one is added.

import { el } from "../../element.js";
import { t } from "../../locale.js";
import { sizeText } from "../../sizes.js";
import { addToMessage, fileLimits, isRead } from "../../tables/assistant_files.js";
import { columnType } from "../../tables/column_types/registry.js";
import { reportFault, uploadWithProgress } from "../../tables/file_uploads.js";
import { openMenu } from "../../tables/popup_menu.js";

const MAX_LISTED = 20;

/** @typedef {import("../../tables/column_types/attachment.js").AttachedFile} AttachedFile */

/** Open the menu of the button in the composer. @param {TableGrid} grid @param {HTMLElement} button */
export async function openFileMenu(grid, button) {
  const listed = (await filesOfRows(grid)).slice(0, MAX_LISTED);
  const files = listed.map((file) => ({ label: t("{name}, {size}", { name: file.name, size: sizeText(file.size) }), icon: "paperclip", run: () => addToMessage(file) }));
  const none = { label: t("Select a row to list its pictures and PDF documents"), icon: "info", off: true, run: () => {} };
  const uploading = { label: t("Upload a picture or PDF…"), icon: "file-input", run: () => chooseFiles(grid, button) };
  const items = [...(grid.mayEdit ? [uploading, null] : []), ...(files.length ? files : [none])];
  // In the tray, which is itself a popover on narrow screens.
  openMenu(button.closest("chat-tray"), items, { label: t("Add files"), box: button.getBoundingClientRect(), ahead: true, restoreFocus: () => button.focus() });
}

/** @param {TableGrid} grid @returns {Promise<AttachedFile[]>} those that the assistant reads in the checked rows, else in the open or current row */
async function filesOfRows(grid) {
  const { cursor, details, selection, store } = grid;
  const columns = grid.allColumns.filter((column) => columnType(column).hasFiles);
  const current = details.sheet?.row ?? store.get(cursor.rowKey);
  const rows = !columns.length ? [] : selection.ids.size ? await selection.rows() : current ? [current] : [];
  /** @type {AttachedFile[]} */
  const files = rows.flatMap((row) => columns.flatMap(({ id }) => row.data[id] ?? [])).filter(isRead);
  return [...new Map(files.map((file) => [file.id, file])).values()];
}

/** @param {TableGrid} grid @param {HTMLElement} button */
function chooseFiles(grid, button) {
  const input = el("input", { type: "file", multiple: true, accept: Object.keys(fileLimits()?.types ?? {}).join() });
  input.addEventListener("change", () => void uploadToMessage(grid, [...input.files]));
  input.addEventListener("cancel", () => button.focus());
  input.click();
}

/** Upload files to the table and add them to the next message. @param {TableGrid} grid @param {File[]} files */
export async function uploadToMessage(grid, files) {
  const limits = fileLimits();
  const chosen = files.filter((file) => {
    const reason = !grid.mayEdit ? t("You can only read this table. Choose a file in one of its rows.") : reasonAgainst(file, limits);
    if (reason) reportFault(file, reason);
    return !reason;
  });
  if (!chosen.length) return;
  for (const file of await uploadWithProgress(grid.tableId, chosen)) addToMessage(file);
}

/** @param {File} file @param {import("../../tables/assistant_files.js").FileLimits | null} limits @returns {string} why the assistant cannot read it, "" if it can */
function reasonAgainst({ type, size }, limits) {
  const most = isRead({ type }) ? limits.types[type] : 0;
  if (!most) return t("The assistant reads pictures (PNG, JPEG, GIF, WebP) and PDF documents.");
  return size > most ? t("The assistant reads files of this type up to {size}.", { size: sizeText(most) }) : "";
}
