// The files of a cell in a dialog: pictures, PDF documents and the beginning of texts. Loaded when a file is opened.

import { el, icon, logicalKey, replaceInside } from "../element.js";
import { t } from "../locale.js";
import { addToMessage, isRead } from "./assistant_files.js";
import { fileUrl } from "./column_types/attachment.js";

/** @typedef {import("./column_types/attachment.js").AttachedFile} AttachedFile */

const PICTURE = /^image\/(?:png|jpeg|gif|webp)$/;
const MAX_TEXT_BYTES = 100 * 1024;

/** @param {AttachedFile[]} files @param {{tableId: string, id: string}} where  id: of the first file to show */
export function openFiles(files, { tableId, id }) {
  new FileViewer(files, tableId).open(Math.max(0, files.findIndex((file) => file.id === id)));
}

class FileViewer {
  /** @param {AttachedFile[]} files @param {string} tableId */
  constructor(files, tableId) {
    Object.assign(this, { files, tableId });
    this.title = el("h2", { id: "viewer-title", dir: "auto" });
    this.position = el("span", { class: "viewer__position", role: "status" });
    this.content = el("div", { class: "viewer__content" });
    this.adding = el("button", { class: "btn btn--sm", type: "button", on: { click: () => this.addToMessage() } }, icon("message-square", "icon--14"), el("span", { text: t("Add to message") }));
    this.download = el("a", { class: "btn btn--ghost btn--icon", title: t("Download") }, icon("download"));
    const close = el("button", { class: "btn btn--ghost btn--icon", type: "button", title: t("Close"), "aria-label": t("Close"), on: { click: () => this.dialog.close() } }, icon("x"));
    const steps = files.length > 1 ? [this.drawStep(t("Previous file"), "chevron-left", -1), this.position, this.drawStep(t("Next file"), "chevron-right", 1)] : [];
    this.dialog = el("dialog", { class: "modal viewer", "aria-labelledby": "viewer-title" },
      el("div", { class: "viewer__head" }, this.title, ...steps, this.adding, this.download, close), this.content);
    this.dialog.addEventListener("close", () => {
      this.loading.abort();
      this.dialog.remove();
    });
    this.dialog.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
      const step = { ArrowLeft: -1, ArrowRight: 1 }[logicalKey(event.key)];
      if (!step || event.ctrlKey || event.metaKey || event.altKey || event.shiftKey) return;
      event.preventDefault();
      this.show(this.index + step);
    });
    this.loading = new AbortController();
  }

  /** @param {string} label @param {string} name  of the icon @param {1 | -1} step */
  drawStep(label, name, step) {
    return el("button", { class: "btn btn--ghost btn--icon", type: "button", title: label, "aria-label": label, on: { click: () => this.show(this.index + step) } }, icon(name));
  }

  /** @param {number} index */
  open(index) {
    document.body.append(this.dialog);
    this.dialog.showModal();
    this.show(index);
  }

  /** @param {number} index  after the last file comes the first one */
  show(index) {
    const { files, tableId } = this;
    this.index = (index + files.length) % files.length;
    const file = files[this.index];
    const url = fileUrl(tableId, file.id);
    this.loading.abort();
    this.loading = new AbortController();
    this.title.textContent = file.name;
    this.position.textContent = t("{number} of {all}", { number: this.index + 1, all: files.length });
    this.download.href = url;
    this.download.setAttribute("aria-label", t("Download {name}", { name: file.name }));
    this.adding.hidden = !isRead(file);
    this.adding.setAttribute("aria-label", t("Add {name} to the message", { name: file.name }));
    this.drawContent(file, `${url}?inline=true`);
  }

  addToMessage() {
    this.dialog.close();
    addToMessage(this.files[this.index]);
  }

  /** @param {AttachedFile} file @param {string} url */
  drawContent(file, url) {
    if (PICTURE.test(file.type)) return this.drawPicture(file, url);
    if (file.type === "text/plain") return void this.drawText(url);
    if (file.type !== "application/pdf" || !navigator.pdfViewerEnabled) return this.drawNote(t("There is no preview of this file. Download it to open it."));
    // The answer has a sandbox. Browsers do not show PDF documents in frames with the attribute `sandbox`.
    this.content.replaceChildren(el("iframe", { class: "viewer__frame", src: url, title: file.name, referrerpolicy: "no-referrer" }));
  }

  /** @param {AttachedFile} file @param {string} url */
  drawPicture(file, url) {
    const picture = el("img", { class: "viewer__picture", src: url, alt: file.name });
    picture.addEventListener("error", () => picture.isConnected && this.drawFault());
    this.content.replaceChildren(picture);
  }

  /** @param {string} url */
  async drawText(url) {
    const { signal } = this.loading;
    this.content.replaceChildren(el("p", { class: "viewer__note", role: "status", text: t("Loading…") }));
    try {
      const { text, isCut } = await beginningOf(url, signal);
      if (signal.aborted) return;
      if (!text) return this.drawNote(t("This file is empty."));
      const more = isCut && el("p", { class: "viewer__note", text: t("This is the beginning of the file. Download it to read all of it.") });
      // The text can be scrolled with the keyboard.
      this.content.replaceChildren(el("pre", { class: "viewer__text", dir: "auto", tabindex: "0", text }), ...(more ? [more] : []));
    } catch {
      if (!signal.aborted) this.drawFault();
    }
  }

  drawFault() {
    const retry = el("button", { class: "btn", type: "button", text: t("Try again"), on: { click: () => this.show(this.index) } });
    replaceInside(this.content, el("p", { class: "viewer__note", role: "alert", text: t("The file could not be loaded.") }), retry);
  }

  /** @param {string} text */
  drawNote(text) {
    this.content.replaceChildren(el("p", { class: "viewer__note", role: "status", text }));
  }
}

/** @param {string} url @param {AbortSignal} signal @returns {Promise<{text: string, isCut: boolean}>} at most the first 100 KB, without a character that is cut */
async function beginningOf(url, signal) {
  const response = await fetch(url, { signal });
  if (!response.ok || !response.body) throw new Error(String(response.status));
  const reader = response.body.getReader();
  const decoder = new TextDecoder();
  let [text, size] = ["", 0];
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return { text: text + decoder.decode(), isCut: false };
    const piece = value.subarray(0, MAX_TEXT_BYTES - size);
    size += piece.length;
    text += decoder.decode(piece, { stream: true });
    if (piece.length < value.length) {
      void reader.cancel();
      return { text, isCut: true };
    }
  }
}
