// The files of a cell in the details of its row: open, download, add (chosen, dropped or pasted) and remove.

import { el, icon, lazy, load } from "../element.js";
import { t } from "../locale.js";
import { sizeText } from "../sizes.js";
import { drawThumbnail, fileUrl } from "./column_types/attachment.js";
import { changeFiles, refuseText, uploadFiles } from "./file_uploads.js";
import { addToMessage, isRead } from "./assistant_files.js";
import { acceptDrops } from "./uploads.js";
import { sameValue } from "./values.js";

/** Types that the server lets browsers show; others are downloaded. */
const SHOWN = /^(?:image\/(?:png|jpeg|gif|webp)|text\/plain|application\/pdf)$/;

class AttachmentField {
  /** @param {Column} column @param {any} value @param {{grid: TableGrid, rowId: string, name: Node}} where */
  constructor(column, value, { grid, rowId, name }) {
    Object.assign(this, { column, grid, rowId });
    this.value = value;
    this.controller = new AbortController();
    this.isUploading = false;
    this.list = el("ul", { class: "filelist", "aria-label": column.name });
    this.faults = el("div", { class: "field__fault", role: "alert" });
    this.progress = el("div", { class: "filelist__progress", hidden: true });
    const parts = grid.mayEdit ? [this.progress, this.faults, this.drawAdding()] : [];
    this.node = el("div", { class: "field" }, name, el("div", { class: "filedrop" }, this.list, ...parts));
    if (grid.mayEdit) this.acceptDrops();
    this.draw(value);
  }

  drawAdding() {
    this.input = el("input", { class: "sr", type: "file", multiple: true, tabindex: "-1", "aria-hidden": "true" });
    this.input.addEventListener("change", () => {
      void this.add([...this.input.files]);
      // The same file can be chosen again.
      this.input.value = "";
    });
    this.button = el("button", { class: "btn btn--sm", type: "button", "aria-label": t("Add files to {column}", { column: this.column.name }), on: { click: () => this.input.click() } }, icon("plus", "icon--14"), t("Add files"));
    return el("div", { class: "filedrop__add" }, this.button, el("span", { class: "filedrop__hint", text: t("or drop them here") }), this.input);
  }

  acceptDrops() {
    acceptDrops(this.node, (files) => void this.add(files));
    this.node.addEventListener("paste", (event) => {
      const files = [...(event.clipboardData?.files ?? [])];
      const text = event.clipboardData?.getData("text/plain") ?? "";
      if (!files.length && !text.trim()) return;
      event.preventDefault();
      if (files.length) void this.add(files);
      else refuseText(this.column, text);
    });
  }

  /** @param {any} value */
  draw(value) {
    if (this.list.childNodes.length && sameValue(value, this.value)) return;
    this.value = value;
    const files = Array.isArray(value) ? value : [];
    this.list.replaceChildren(...files.map((file) => this.drawFile(file)));
    if (!files.length) this.list.append(el("li", { class: "none", text: this.grid.mayEdit ? t("No files yet") : "–" }));
  }

  /** @param {import("./column_types/attachment.js").AttachedFile} file */
  drawFile(file) {
    const { tableId, mayEdit } = this.grid;
    const url = fileUrl(tableId, file.id);
    const open = (/** @type {MouseEvent} */ event) => {
      if (event.ctrlKey || event.metaKey || event.shiftKey) return;
      event.preventDefault();
      void lazy(t("The file could not be loaded."), () => load(() => import("./file_viewer.js"))).then(({ openFiles }) => openFiles(this.value, { tableId, id: file.id }));
    };
    const opened = SHOWN.test(file.type) ? { href: `${url}?inline=true`, target: "_blank", rel: "noopener noreferrer", "aria-haspopup": "dialog", on: { click: open } } : { href: url };
    const tools = [
      isRead(file) && el("button", { class: "btn btn--ghost btn--icon btn--sm", type: "button", title: t("Add to message"), "aria-label": t("Add {name} to the message", { name: file.name }), on: { click: () => addToMessage(file) } }, icon("message-square", "icon--14")),
      el("a", { class: "btn btn--ghost btn--icon btn--sm", href: url, title: t("Download"), "aria-label": t("Download {name}", { name: file.name }) }, icon("download", "icon--14")),
      mayEdit && el("button", { class: "btn btn--ghost btn--icon btn--sm", type: "button", title: t("Remove"), "aria-label": t("Remove {name}", { name: file.name }), on: { click: () => this.remove(file.id) } }, icon("x", "icon--14")),
    ];
    const text = el("span", { class: "filelist__text" }, el("a", { ...opened, dir: "auto", text: file.name }), el("small", { text: sizeText(file.size) }));
    return el("li", { class: "filelist__file" }, el("span", { class: "filelist__picture" }, drawThumbnail(file, tableId)), text, ...tools);
  }

  /** @param {string} id */
  remove(id) {
    changeFiles(this.grid, this.rowId, this.column, (files) => files.filter((file) => file.id !== id));
    this.button.focus();
  }

  /** @param {File[]} files */
  async add(files) {
    if (!files.length || this.isUploading) return;
    this.isUploading = true;
    this.faults.replaceChildren();
    const name = el("span");
    const bar = el("progress", { max: files.length, "aria-label": t("Uploaded files") });
    const cancel = el("button", { class: "btn btn--sm", type: "button", text: t("Cancel"), on: { click: () => this.controller.abort() } });
    this.progress.replaceChildren(name, bar, cancel);
    this.progress.hidden = false;
    this.button.setAttribute("aria-disabled", "true");
    const uploaded = await uploadFiles(this.grid.tableId, files, {
      onProgress: (file, share) => {
        name.textContent = t("Uploading {name}", { name: file.name });
        bar.value = files.indexOf(file) + share;
      },
      onFault: (file, reason) => this.faults.append(el("p", { text: t("{name} was not added. {reason}", { name: file.name, reason }) })),
      signal: this.controller.signal,
    });
    this.controller = new AbortController();
    this.isUploading = false;
    this.progress.hidden = true;
    this.button.removeAttribute("aria-disabled");
    changeFiles(this.grid, this.rowId, this.column, (before) => [...before, ...uploaded]);
  }
}

/**
 * @param {Column} column @param {any} value @param {{grid: TableGrid, rowId: string, name: Node}} where  name: of the field
 * @returns {import("./row_field.js").Field & {focus: () => void}}
 */
export function drawLoadedField(column, value, where) {
  const field = new AttachmentField(column, value, where);
  return { column, node: field.node, draw: (now) => field.draw(now), commit: () => {}, dirty: () => field.isUploading, focus: () => field.button?.focus() };
}
