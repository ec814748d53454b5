// Uploads with progress, and areas into which files are dropped: for imports and for files in cells.

import { csrfToken } from "../api.js";
import { hasFiles } from "../element.js";
import { t } from "../locale.js";

const CREATED = 201;

/**
 * @param {string} url @param {FormData} content
 * @param {{onProgress: (share: number) => void, signal: AbortSignal}} how  share: from 0 to 1, once the content is sent
 * @returns {Promise<any>} the answer; null if it was cancelled; rejects with the reason
 */
export function upload(url, content, { onProgress, signal }) {
  return new Promise((resolve, reject) => {
    if (signal.aborted) return resolve(null);
    const request = new XMLHttpRequest();
    request.upload.addEventListener("progress", ({ loaded, total }) => onProgress(loaded / Math.max(1, total)));
    request.upload.addEventListener("load", () => onProgress(1));
    request.addEventListener("load", () => {
      const answer = parsed(request.responseText);
      if (request.status === CREATED) resolve(answer);
      else reject(new Error(answer.errors?.[0]?.detail ?? answer.detail ?? t("The server did not answer as expected.")));
    });
    request.addEventListener("error", () => reject(new Error(t("The server could not be reached."))));
    request.addEventListener("abort", () => resolve(null));
    signal.addEventListener("abort", () => request.abort());
    request.open("POST", url);
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

/** Let files be dropped anywhere on an element, which has the class `is-over` meanwhile. @param {HTMLElement} node @param {(files: File[]) => void} onFiles */
export function acceptDrops(node, onFiles) {
  const setOver = (/** @type {boolean} */ is) => node.classList.toggle("is-over", is);
  node.addEventListener("dragover", (event) => {
    if (!hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    event.stopPropagation();
    setOver(true);
  });
  node.addEventListener("dragleave", (event) => node.contains(/** @type {Node | null} */ (event.relatedTarget)) || setOver(false));
  node.addEventListener("drop", (event) => {
    if (!hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    event.stopPropagation();
    setOver(false);
    onFiles([...(event.dataTransfer?.files ?? [])]);
  });
}
