// Files that messages to the assistant can have, as declared by the tray on the page.

/** @typedef {{types: Record<string, number>, files: number, bytes: number}} FileLimits  types: the maximum size in bytes by media type */

/** @returns {FileLimits | null} null if messages on this page cannot have files */
export function fileLimits() {
  const text = document.querySelector("chat-tray")?.getAttribute("data-file-limits");
  return text ? JSON.parse(text) : null;
}

/** @param {{type: string}} file @returns {boolean} whether the assistant reads files of this type */
export function isRead({ type }) {
  return Object.hasOwn(fileLimits()?.types ?? {}, type);
}

/** Add a file of the table to the next message, and focus the message field. @param {import("./column_types/attachment.js").AttachedFile} file */
export function addToMessage(file) {
  document.dispatchEvent(new CustomEvent("chat-add-file", { detail: file }));
}
