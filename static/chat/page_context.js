// What the server is told of the page when a turn starts.

import { readPageContext } from "./registry.js";

/** @param {DOMStringMap} data  of the tray: its page, and what that is about */
export function pageContext({ page, objectId, objectKey }) {
  const context = { current_page: page, ...readPageContext() };
  if (objectId && objectKey && !(objectKey in context)) context[objectKey] = /^\d+$/.test(objectId) ? Number(objectId) : objectId;
  return context;
}
