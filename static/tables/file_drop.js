// Forms for uploading a file, also by dropping it: the upload starts immediately, shows its progress, can be cancelled, and
// reports errors in the form. Also checks the size of pasted rows.

import { hasFiles } from "../element.js";
import { t } from "../locale.js";
import { acceptDrops, upload } from "./uploads.js";

const MB = 1024 * 1024;

class FileDrop {
  /** @param {HTMLFormElement} form */
  constructor(form) {
    const part = (/** @type {string} */ name) => form.querySelector(`[data-drop-${name}]`);
    this.form = form;
    this.field = /** @type {HTMLInputElement} */ (form.querySelector("input[type=file]"));
    this.choose = part("choose");
    this.title = part("title");
    this.fault = part("fault");
    this.bar = /** @type {HTMLProgressElement} */ (part("progress"));
    this.cancel = /** @type {HTMLButtonElement} */ (part("cancel"));
    /** Of the running upload. @type {AbortController | null} */
    this.controller = null;
    // The upload starts when a file is chosen, so that no button is needed.
    form.querySelector("button[type=submit]").hidden = true;
    this.listen();
    // A file may have been chosen before the script was loaded.
    this.upload([...this.field.files]);
  }

  listen() {
    acceptDrops(this.form, (files) => this.upload(files));
    this.field.addEventListener("change", () => this.upload([...this.field.files]));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.upload([...this.field.files]);
    });
    this.cancel.addEventListener("click", () => this.controller?.abort());
    // After going back, another file can be chosen.
    addEventListener("pageshow", (event) => {
      if (event.persisted) this.reset();
    });
  }

  /** @param {File[]} files  chosen or dropped */
  upload(files) {
    // Ignored during an upload.
    if (this.controller || files.length === 0) return;
    const [file] = files;
    const max = Number(this.form.dataset.fileDrop);
    if (files.length > 1) this.reset(t("Upload one file at a time."));
    else if (file.size > max * MB) this.reset(t("{name} is larger than {most} MB.", { name: file.name, most: max }));
    else void this.send(file);
  }

  /** @param {File} file */
  async send(file) {
    const content = new FormData();
    const table = new FormData(this.form).get("table");
    if (table) content.append("table", table);
    content.append("file", file);
    this.controller = new AbortController();
    this.show(t("Uploading {name}", { name: file.name }));
    try {
      const answer = await upload("/api/imports/", content, { onProgress: (share) => this.showProgress(file, share), signal: this.controller.signal });
      if (answer) location.assign(`/tables/imports/${answer.id}/`);
      else this.reset();
    } catch (error) {
      this.reset(error.message);
    }
  }

  /** @param {File} file @param {number} share */
  showProgress(file, share) {
    this.bar.value = share;
    if (share < 1) return;
    this.bar.removeAttribute("value");
    this.title.textContent = t("Reading {name}", { name: file.name });
  }

  /** @param {string} words  the current step */
  show(words) {
    this.title.textContent = words;
    this.fault.textContent = "";
    this.bar.removeAttribute("value");
    this.bar.hidden = this.cancel.hidden = false;
    // Keyboard users continue with the cancel button.
    if (document.activeElement === this.field) this.cancel.focus();
    this.choose.hidden = true;
  }

  /** @param {string} [fault]  error message */
  reset(fault = "") {
    const hadFocus = document.activeElement === this.cancel;
    this.controller = null;
    this.title.textContent = t("Choose a file, or drop it here");
    this.fault.textContent = fault;
    this.bar.hidden = this.cancel.hidden = true;
    this.choose.hidden = false;
    // Allow choosing the same file again.
    this.field.value = "";
    if (hadFocus) this.field.focus();
  }
}

/** @param {string} text @returns {number} size in a form submission, bytes */
function formBytes(text) {
  // Line ends are sent as CR LF.
  return new Blob([text]).size + text.split("\n").length - 1;
}

/** @param {HTMLFormElement} form  for pasting rows; text that is too large is not sent */
function watchPasting(form) {
  const field = form.querySelector("textarea");
  const fault = form.querySelector("[data-pasting-fault]");
  const max = Number(form.dataset.pasting);
  form.addEventListener("submit", (event) => {
    const size = formBytes(field.value);
    // Leave room for the other fields of the form.
    if (size <= max * MB - 1024) return;
    event.preventDefault();
    fault.textContent = t("These rows are {size} MB; you can paste up to {most} MB. Save them as a file and upload it.", {
      size: Math.ceil(size / MB),
      most: max,
    });
    field.focus();
  });
  field.addEventListener("input", () => {
    fault.textContent = "";
  });
}

for (const form of document.querySelectorAll("form[data-file-drop]")) new FileDrop(form);
for (const form of document.querySelectorAll("form[data-pasting]")) watchPasting(form);

// A file dropped outside the form would replace the page.
for (const name of ["dragover", "drop"]) {
  document.addEventListener(name, (/** @type {DragEvent} */ event) => {
    if (!hasFiles(event.dataTransfer)) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "none";
  });
}
