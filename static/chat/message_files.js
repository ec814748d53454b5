// The files of the next message, as chips in the composer. Loaded when the first file is added.

import { el, icon, toast } from "../element.js";
import { t } from "../locale.js";
import { sizeText } from "../sizes.js";

/** @typedef {{id: string, name: string, type: string, size: number}} MessageFile */

const MAX_FILES = 10;

/**
 * Add a file to the next message.
 * @param {Conversation} conversation @param {HTMLFormElement} form  of the composer @param {MessageFile} file
 */
export function addFile(conversation, form, file) {
  const { files } = conversation;
  if (files.some(({ id }) => id === file.id)) return;
  if (files.length >= MAX_FILES) return void toast(t("A message can have at most {count} files.", { count: MAX_FILES }), { kind: "error" });
  conversation.files = [...files, file];
  drawFiles(conversation, form);
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
  form.prepend(el("div", { class: "composer__files", "data-files": key }, list, el("p", { text: t("These files are sent to the model with your next message.") })));
}
