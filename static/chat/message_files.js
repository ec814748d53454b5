// The files of the next message, as chips in the composer. Loaded when the first file is added.

import { el, icon, toast } from "../element.js";
import { t, tn } from "../locale.js";
import { sizeText } from "../sizes.js";

/** @typedef {{id: string, name: string, type: string, size: number}} MessageFile */

/**
 * Add a file to the next message.
 * @param {Conversation} conversation @param {HTMLFormElement} form  of the composer @param {MessageFile} file
 */
export function addFile(conversation, form, file) {
  const { files } = conversation;
  const tray = form.closest("chat-tray");
  if (files.some(({ id }) => id === file.id)) return;
  const reason = reasonAgainst(file, { files, limits: JSON.parse(tray?.getAttribute("data-file-limits") || "null") });
  if (reason) return void toast(reason, { kind: "error" });
  conversation.files = [...files, file];
  drawFiles(conversation, form);
  const status = tray?.querySelector("[data-part=say]");
  if (status) status.textContent = t("{name} was added to the message.", { name: file.name });
}

/**
 * @param {MessageFile} file @param {{files: MessageFile[], limits: {types: Record<string, number>, files: number, bytes: number}}} how  files: before it
 * @returns {string} why it cannot be added, "" if it can
 */
export function reasonAgainst({ name, type, size }, { files, limits }) {
  const most = Object.hasOwn(limits.types, type) ? limits.types[type] : 0;
  if (!most) return t("The assistant reads pictures and PDF documents. “{name}” is neither.", { name });
  if (size > most) return t("“{name}” is too large for the assistant, which reads files of this type up to {size}.", { name, size: sizeText(most) });
  if (files.length >= limits.files) return t("A message can have at most {count} files.", { count: limits.files });
  const together = files.reduce((sum, each) => sum + each.size, size);
  return together > limits.bytes ? t("Together, the files of a message can have at most {size}.", { size: sizeText(limits.bytes) }) : "";
}

/** Show the files that have not been sent. @param {Conversation} conversation @param {HTMLFormElement} form */
export function drawFiles(conversation, form) {
  const { files } = conversation;
  const shown = /** @type {HTMLElement | null} */ (form.querySelector("[data-files]"));
  const key = files.map(({ id }) => id).join();
  if ((shown?.dataset.files ?? "") === key) return;
  shown?.remove();
  if (!files.length) return;
  const remove = (/** @type {MessageFile} */ file) => {
    conversation.files = conversation.files.filter(({ id }) => id !== file.id);
    drawFiles(conversation, form);
    form.querySelector("textarea")?.focus();
  };
  const chips = files.map((file) => el("li", { class: "composer__file" }, icon("paperclip", "icon--12"),
    el("span", { class: "composer__name", dir: "auto", title: file.name, text: file.name }), el("small", { text: sizeText(file.size) }),
    el("button", { class: "btn btn--ghost btn--icon btn--sm", type: "button", "aria-label": t("Remove {name}", { name: file.name }), on: { click: () => remove(file) } }, icon("x", "icon--12"))));
  const list = el("ul", { class: "composer__list", "aria-label": t("Files of the message") }, ...chips);
  form.prepend(el("div", { class: "composer__files", "data-files": key }, list, el("p", { text: hint(files) })));
}

/** @param {MessageFile[]} files @returns {string} */
function hint(files) {
  const size = sizeText(files.reduce((sum, each) => sum + each.size, 0));
  return tn("{count} file ({size}) is sent to the model with your next message.", "{count} files ({size}) are sent to the model with your next message.", files.length, { size });
}
