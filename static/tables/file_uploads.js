// Uploads of files to a table, one after the other. Loaded when files are added to a cell.

import { csrfToken } from "../api.js";
import { el, toast } from "../element.js";
import { t, tn } from "../locale.js";
import { sameValue } from "./values.js";

/** @typedef {import("./column_types/attachment.js").AttachedFile} AttachedFile */

const CREATED = 201;

/**
 * @param {string} tableId @param {File} file @param {{onProgress: (share: number) => void, signal: AbortSignal}} how  share: from 0 to 1
 * @returns {Promise<AttachedFile | null>} null if it was cancelled; rejects with the reason
 */
function uploadFile(tableId, file, { onProgress, signal }) {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return resolve(null);
    const request = new XMLHttpRequest();
    const content = new FormData();
    content.append("file", file);
    request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(loaded / Math.max(1, total)));
    request.addEventListener("load", () => {
      const answer = parsed(request.responseText);
      if (request.status === CREATED) {
        const { id, name, size, type } = answer;
        resolve({ id, name, size, type });
      } else {
        reject(new Error(answer.errors?.[0]?.detail ?? answer.detail ?? t("The server did not answer as expected.")));
      }
    });
    request.addEventListener("error", () => reject(new Error(t("The server could not be reached."))));
    request.addEventListener("abort", () => resolve(null));
    signal.addEventListener("abort", () => request.abort());
    request.open("POST", `/api/tables/${tableId}/files/`);
    const headers = { Accept: "application/json", "X-CSRFToken": csrfToken(), "X-From-Page": "yes" };
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.send(content);
  });
}

/** @param {string} text @returns {any} empty if it is not JSON */
function parsed(text) {
  try {
    return JSON.parse(text) ?? {};
  } catch {
    return {};
  }
}

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
      const stored = await uploadFile(tableId, file, { onProgress: (share) => onProgress(file, share), signal });
      if (stored) uploaded.push(stored);
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
  const controller = new AbortController();
  const bar = el("progress", { max: files.length, value: 0, "aria-label": t("Uploaded files") });
  const cancel = { label: t("Cancel"), run: () => controller.abort() };
  const note = toast(tn("Uploading {count} file", "Uploading {count} files", files.length), { stays: true, action: cancel });
  note.querySelector("span")?.append(" ", bar);
  const onProgress = (/** @type {File} */ file, /** @type {number} */ share) => void (bar.value = files.indexOf(file) + share);
  const onFault = (/** @type {File} */ file, /** @type {string} */ reason) => void toast(t("{name} was not added. {reason}", { name: file.name, reason }), { kind: "error" });
  const uploaded = await uploadFiles(grid.tableId, files, { onProgress, onFault, signal: controller.signal });
  note.remove();
  changeFiles(grid, rowId, column, (value) => [...value, ...uploaded]);
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
