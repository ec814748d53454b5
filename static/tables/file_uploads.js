// Uploads of files to a table, one after the other. Loaded when files are added to a cell.

import { el, toast } from "../element.js";
import { t, tn } from "../locale.js";
import { columnType } from "./column_types/registry.js";
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
 * @param {TableGrid} grid @param {HTMLTableRowElement} tr  stored or new @param {Column} column @param {File[]} files
 */
export async function attachFiles(grid, tr, column, files) {
  if (!columnType(column).hasFiles) return void toast(t("Files can only be added to columns of the type attachment."));
  const key = tr.dataset.row ?? "";
  const isNew = grid.ownerOf(tr) === grid.drafts;
  const uploaded = await uploadWithProgress(grid.tableId, files);
  if (!uploaded.length) return;
  const row = grid.rowElement(key);
  if (!isNew) changeFiles(grid, key, column, (value) => [...value, ...uploaded]);
  else if (row) grid.drafts.write(row, column, [...(grid.drafts.value(row, column) ?? []), ...uploaded]);
  // It was saved during the upload.
  else if (tr.dataset.row !== key) changeFiles(grid, tr.dataset.row ?? "", column, (value) => [...value, ...uploaded]);
  else for (const file of files) reportFault(file, t("The row no longer exists."));
}

const ADDRESS = /^(?:https?:\/\/|www\.)\S+$/i;

/** Explain why a text is not pasted into a column of files. Addresses are not read, by pages or the server. @param {Column} column @param {string} text */
export function refuseText(column, text) {
  const names = { column: column.name };
  toast(ADDRESS.test(text.trim()) ? t("“{column}” cannot load a web address. Download the file, then drop it into the cell.", names) : t("“{column}” only takes files. Drop them into the cell, or press Enter to add some.", names));
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
