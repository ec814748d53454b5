// A form that takes a file: also one that is dropped on it. What is chosen is sent at once, says how far it has come, and
// can be called off; what cannot be taken is said where it was given. So it is with rows that are pasted.

import { csrfToken } from "../api.js";
import { t } from "../locale.js";

const MB = 1024 * 1024;
const DONE = 201;

/** @param {XMLHttpRequest} request @returns {Record<string, any>} what was answered; empty where that was nothing of ours */
function answerOf(request) {
  try {
    return JSON.parse(request.responseText);
  } catch {
    return {};
  }
}

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
    /** @type {XMLHttpRequest | null} */
    this.request = null;
    // What is chosen is sent at once: there is nothing left to press.
    form.querySelector("button[type=submit]").hidden = true;
    this.listen();
    // It may have been chosen before the scripts were there.
    this.take([...this.field.files]);
  }

  listen() {
    const over = (/** @type {boolean} */ is) => this.form.classList.toggle("is-over", is);
    this.form.addEventListener("dragover", (event) => {
      event.preventDefault();
      event.stopPropagation();
      over(true);
    });
    this.form.addEventListener("dragleave", (event) => {
      if (!(event.relatedTarget instanceof Node && this.form.contains(event.relatedTarget))) over(false);
    });
    this.form.addEventListener("drop", (event) => {
      event.preventDefault();
      event.stopPropagation();
      over(false);
      this.take([...(event.dataTransfer?.files ?? [])]);
    });
    this.field.addEventListener("change", () => this.take([...this.field.files]));
    this.form.addEventListener("submit", (event) => {
      event.preventDefault();
      this.take([...this.field.files]);
    });
    this.cancel.addEventListener("click", () => this.request?.abort());
    // Back from the next page, another file can be chosen.
    addEventListener("pageshow", (event) => {
      if (event.persisted) this.rest();
    });
  }

  /** @param {File[]} files  what was chosen or dropped */
  take(files) {
    // What was dropped while another is on its way comes too late.
    if (this.request || files.length === 0) return;
    const [file] = files;
    const most = Number(this.form.dataset.fileDrop);
    if (files.length > 1) this.rest(t("One file at a time."));
    else if (file.size > most * MB) this.rest(t("{name} is larger than {most} MB.", { name: file.name, most }));
    else this.send(file);
  }

  /** @param {File} file */
  send(file) {
    const request = new XMLHttpRequest();
    const content = new FormData();
    const table = new FormData(this.form).get("table");
    if (table) content.append("table", table);
    content.append("file", file);
    this.request = request;
    this.show(t("Uploading {name}", { name: file.name }));
    request.upload.addEventListener("progress", ({ loaded, total }) => {
      this.bar.max = total;
      this.bar.value = loaded;
    });
    request.upload.addEventListener("load", () => {
      this.bar.removeAttribute("value");
      this.title.textContent = t("Looking into {name}", { name: file.name });
    });
    request.addEventListener("load", () => this.end(request));
    request.addEventListener("error", () => this.rest(t("The server could not be reached.")));
    request.addEventListener("abort", () => this.rest());
    request.open("POST", "/api/imports/");
    const headers = { Accept: "application/json", "X-CSRFToken": csrfToken(), "X-From-Page": "yes" };
    for (const [name, value] of Object.entries(headers)) request.setRequestHeader(name, value);
    request.send(content);
  }

  /** @param {XMLHttpRequest} request  whose answer is there */
  end(request) {
    const answer = answerOf(request);
    if (request.status === DONE) location.assign(`/tables/imports/${answer.id}/`);
    else this.rest(answer.detail ?? t("The server did not answer as expected."));
  }

  /** @param {string} words  what is under way */
  show(words) {
    this.title.textContent = words;
    this.fault.textContent = "";
    this.bar.removeAttribute("value");
    this.bar.hidden = this.cancel.hidden = false;
    // Whoever chose it by keyboard calls it off by keyboard.
    if (document.activeElement === this.field) this.cancel.focus();
    this.choose.hidden = true;
  }

  /** @param {string} [fault]  why nothing was taken */
  rest(fault = "") {
    const held = document.activeElement === this.cancel;
    this.request = null;
    this.title.textContent = t("Choose a file, or drop it here");
    this.fault.textContent = fault;
    this.bar.hidden = this.cancel.hidden = true;
    this.choose.hidden = false;
    // The same file can be chosen again.
    this.field.value = "";
    if (held) this.field.focus();
  }
}

/** @param {string} text @returns {number} as how many bytes a form sends it */
function sentBytes(text) {
  // The end of a line is sent as two.
  return new Blob([text]).size + text.split("\n").length - 1;
}

/** @param {HTMLFormElement} form  in which rows are pasted: what it cannot send stays where it is */
function watchPasting(form) {
  const field = form.querySelector("textarea");
  const fault = form.querySelector("[data-pasting-fault]");
  const most = Number(form.dataset.pasting);
  form.addEventListener("submit", (event) => {
    const size = sentBytes(field.value);
    // The fields around it count too.
    if (size <= most * MB - 1024) return;
    event.preventDefault();
    fault.textContent = t("These rows are {size} MB. Up to {most} MB can be pasted: save them as a file and upload it.", {
      size: Math.ceil(size / MB),
      most,
    });
    field.focus();
  });
  field.addEventListener("input", () => {
    fault.textContent = "";
  });
}

for (const form of document.querySelectorAll("form[data-file-drop]")) new FileDrop(form);
for (const form of document.querySelectorAll("form[data-pasting]")) watchPasting(form);

// A file that misses the form would take the place of the page.
for (const name of ["dragover", "drop"]) {
  document.addEventListener(name, (/** @type {DragEvent} */ event) => {
    if (![...(event.dataTransfer?.items ?? [])].some((item) => item.kind === "file")) return;
    event.preventDefault();
    event.dataTransfer.dropEffect = "none";
  });
}
