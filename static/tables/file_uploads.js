// Uploads of files to a table, one after the other. Loaded when files are added to a cell.

import { el, toast } from "../element.js";
import { t, tn } from "../locale.js";
import { upload } from "./uploads.js";
import { sameValue } from "./values.js";

/** @typedef {import("./column_types/attachment.js").AttachedFile} AttachedFile */

/**
 * Upload files. Those before one that fails or is cancelled are returned.
 * @param {string} tableId @param {File[]} files
 * @param {{onProgress: (file: File, share: number) => void, onFault: (file: File, reason: string) => void, signal: AbortSignal}} how
 * @returns {Promise<AttachedFile[]>}
 */
export async function uploadFiles(tableId, files, { onProgress, onFault, signal }) {
  const uploaded = [];
  for (const file of files) {
    onProgress(file, 0);
    try {
      const content = new FormData();
      content.append("file", file);
      const stored = await upload(`/api/tables/${tableId}/files/`, content, { onProgress: (share) => onProgress(file, share), signal });
      if (stored) uploaded.push({ id: stored.id, name: stored.name, size: stored.size, type: stored.type });
    } catch (error) {
      onFault(file, error.message);
    }
  }
  return uploaded;
}

/**
 * Upload files that were pasted or dropped into a cell, and add them to its value.
 * @param {TableGrid} grid @param {string} rowId @param {Column} column @param {File[]} files
 */
export async function attachFiles(grid, rowId, column, files) {
  const uploaded = await uploadWithProgress(grid.tableId, files);
  changeFiles(grid, rowId, column, (value) => [...value, ...uploaded]);
}

/** @param {File} file @param {string} reason  why it was not added */
export function reportFault(file, reason) {
  toast(t("{name} was not added. {reason}", { name: file.name, reason }), { kind: "error" });
}

/**
 * Upload files and show the progress in a toast, with a button that cancels it.
 * @param {string} tableId @param {File[]} files @returns {Promise<AttachedFile[]>} those that were uploaded
 */
export async function uploadWithProgress(tableId, files) {
  const controller = new AbortController();
  const bar = el("progress", { max: files.length, value: 0, "aria-label": t("Uploaded files") });
  const cancel = { label: t("Cancel"), run: () => controller.abort() };
  const note = toast(tn("Uploading {count} file", "Uploading {count} files", files.length), { stays: true, action: cancel });
  note.querySelector("span")?.append(" ", bar);
  const onProgress = (/** @type {File} */ file, /** @type {number} */ share) => void (bar.value = files.indexOf(file) + share);
  const uploaded = await uploadFiles(tableId, files, { onProgress, onFault: reportFault, signal: controller.signal });
  note.remove();
  return uploaded;
}

/**
 * Change the files of a cell. Another row may be shown by now.
 * @param {TableGrid} grid @param {string} rowId @param {Column} column @param {(value: AttachedFile[]) => AttachedFile[]} change
 */
export function changeFiles(grid, rowId, column, change) {
  const { writer, store } = grid;
  const seen = store.get(rowId)?.data[column.id] ?? null;
  const unsaved = writer.unsavedValue(rowId, column.id);
  const before = (unsaved ? unsaved.value : seen) ?? [];
  const value = change(before);
  if (!sameValue(before, value)) writer.writeCell(rowId, column, { value: value.length ? value : null, seen });
}
