// A proposed new table: name and columns, which can be renamed, sample rows, and the buttons.

import { drawRevealed, el, hasHiddenCharacters, icon, revealedText } from "../../element.js";
import { withNode, NODE_SLOT, t, tn } from "../../locale.js";
import { columnType } from "../../tables/column_types/registry.js";
import { typeText } from "../../tables/setting_texts.js";
import { cellClass, drawProposed, widthClass } from "../../tables/values.js";
import { nextSwitch } from "./review_bar.js";

const BLANK_ROWS = 4;
/** Width of the checkbox beside a column's name, in characters. */
const CHECKBOX_WIDTH = 3;

/**
 * @typedef {object} ColumnHead  header of a proposed column
 * @property {number} index  of the operation that adds it @property {string} proposed  its proposed name
 * @property {HTMLInputElement} check @property {HTMLTextAreaElement} name @property {HTMLElement} nameRevealed @property {HTMLElement} fault
 */

export class ProposedTable {
  /** @param {HTMLElement} container @param {Proposal} proposal */
  constructor(container, proposal) {
    this.container = container;
    this.proposal = proposal;
    const { data } = proposal.payload;
    this.samples = data.sample_rows ?? [];
    this.name = el("input", {
      class: "newtable__name", value: data.table_name ?? "", maxlength: "255", "aria-label": t("Name of the table"),
      on: { input: () => this.onRenamed() },
    });
    // Hidden characters are spelled out below the field.
    this.nameRevealed = el("p", { class: "newtable__note", hidden: true });
    this.built = false;
  }

  onRenamed() {
    const text = this.name.value.trim();
    if (text && text !== this.proposal.payload.data.table_name) this.proposal.storedOptions.table_name = text;
    else delete this.proposal.storedOptions.table_name;
    this.shownName = this.proposal.storedOptions.table_name;
    this.onDecision();
  }

  /** Redraw and save after a decision of the user. */
  onDecision() {
    this.draw();
    this.proposal.saveDecisions();
  }

  /** Show decisions from before a reload or from another tab, except in a focused field. */
  drawStored() {
    const { storedOptions, applyOptions, payload, edits } = this.proposal;
    if (storedOptions.table_name !== this.shownName && document.activeElement !== this.name) {
      this.shownName = storedOptions.table_name;
      this.name.value = storedOptions.table_name ?? payload.data.table_name ?? "";
    }
    for (const { index, name, proposed } of this.heads) {
      const wanted = edits[index]?.name ?? proposed;
      if (document.activeElement !== name && name.value !== wanted) name.value = wanted;
    }
    if (!this.samplesCheck) return;
    applyOptions.include_sample_rows = storedOptions.include_sample_rows ?? this.areSamplesValid;
    this.samplesCheck.checked = applyOptions.include_sample_rows;
  }

  draw() {
    if (!this.proposal.preview) {
      this.container.replaceChildren(this.drawWaiting());
      return;
    }
    if (!this.built) this.build();
    const { operations, busy, fault } = this.proposal;
    for (const part of this.container.querySelectorAll("[data-column]")) {
      part.classList.toggle("is-off", !operations.checked.has(Number(part.dataset.column)));
    }
    this.drawStored();
    for (const head of this.heads) this.drawState(head);
    this.createButton.disabled = Boolean(busy) || operations.selected === 0 || !this.name.value.trim();
    this.createButton.replaceChildren(...(busy === "applying" ? [icon("loader-circle", "spin"), t("Creating…")] : [t("Create table")]));
    this.dismissButton.disabled = this.proposal.answering;
    this.nameRevealed.hidden = !hasHiddenCharacters(this.name.value);
    this.nameRevealed.replaceChildren(...withNode(t("Name: {name}", { name: NODE_SLOT }), drawRevealed(this.name.value)));
    this.fault.replaceChildren(...(fault ? [icon("circle-alert"), el("span", { text: t("{fault} Nothing was created.", { fault }) })] : []));
    this.fault.hidden = !fault;
    this.proposal.announceReview(this.name.value.trim() || t("New table"));
  }

  drawWaiting() {
    const words = this.proposal.fault || t("Loading the proposal…");
    return el("div", { class: "page page--new" }, el("p", { class: "newtable__note" }, this.proposal.fault ? icon("circle-alert") : icon("loader-circle", "spin"), words));
  }

  build() {
    this.built = true;
    /** @type {ColumnHead[]} */
    this.heads = [];
    const { data } = this.proposal.payload;
    const head = el(
      "header",
      { class: "newtable__head" },
      el("div", { class: "row" }, el("span", { class: "tag tag--add" }, icon("plus", "icon--12"), t("Proposed table"))),
      el("h2", { class: "sr", text: t("Proposed table {name}", { name: String(data.table_name) }) }),
      this.name,
      this.nameRevealed,
      el("p", {}, drawRevealed(data.table_description ?? "")),
    );
    this.fault = el("p", { class: "notice is-bad", role: "alert" });
    const section = el("section", { class: "newtable", "aria-label": t("Proposed table") }, head, this.drawSheet(), this.drawFoot());
    const note = el("p", { class: "newtable__note" }, icon("info", "icon--14"), t("You can rename columns here. Ask for other changes in the chat."));
    this.container.replaceChildren(el("div", { class: "page page--new" }, this.fault, section, note));
  }

  drawSheet() {
    const additions = this.proposal.preview.operations.filter((operation) => operation.action === "add");
    const columns = additions.map((operation) => operation.column ?? operation.new);
    const named = additions.map((operation, at) => ({ ...columns[at], name: this.proposedName(operation, columns[at]) }));
    const rows = this.samples.map((sample) => Object.fromEntries(named.map((column) => [column.id, sampleValue(sample, column)])));
    const table = el(
      "table",
      { class: "grid grid--preview", "aria-label": t("Columns and sample rows") },
      el("colgroup", {}, ...columns.map((column) => el("col", { class: widthClass({ ...column, name: headText(column) + "x".repeat(CHECKBOX_WIDTH) }, rows) }))),
      el("thead", {}, el("tr", {}, ...additions.map((operation, at) => this.drawHead(operation, columns[at])))),
      el("tbody", {}, ...rows.map((row) => drawSample(columns, additions, row)), ...blankRows(columns.length)),
    );
    return el("div", { class: "grid-scroll", tabindex: "0", role: "region", "aria-label": t("Proposed columns") }, table);
  }

  /** @param {Operation} operation @param {any} column  of the preview, possibly renamed */
  proposedName({ index }, column) {
    return (index in this.proposal.edits && this.proposal.payload.data.operations?.[index]?.column?.name) || column.name;
  }

  /** @param {Operation} operation @param {any} column */
  drawHead(operation, column) {
    const check = el("input", {
      class: "check", type: "checkbox", checked: this.proposal.operations.checked.has(operation.index),
      disabled: operation.state === "error", "aria-label": t("Include {column}", { column: column.name }),
      on: {
        change: (event) => {
          this.proposal.operations.set(operation.index, event.target.checked);
          this.onDecision();
        },
      },
    });
    // A textarea wraps long names, but takes no line breaks.
    const name = el("textarea", {
      class: "newtable__column", value: column.name, maxlength: "255", autocomplete: "off", rows: "1",
      "aria-label": t("Name of the column {column}", { column: column.name }),
      on: { input: () => this.columnRenamed(head), change: () => this.findColumn(head), keydown: (event) => preventLineBreak(event) && this.findColumn(head) },
    });
    const [nameRevealed, fault] = [el("small", { hidden: true }), el("small", { class: "newtable__fault", role: "alert", hidden: true })];
    const head = { index: operation.index, proposed: this.proposedName(operation, column), check, name, nameRevealed, fault };
    this.heads.push(head);
    const title = revealedText([...(column.options ?? []), ...operation.notes.map((note) => note.detail)].join(", "));
    const line = el("span", { class: "l1" }, check, icon(columnType(column).icon, "icon--14"), name);
    const parts = el("div", { class: "col col--two", title }, line, nameRevealed, el("small", { text: detailsText(column) }), drawHiddenOptions(column), fault);
    return el("th", { scope: "col", class: columnType(column).cellClass || undefined, dataset: { column: String(operation.index) } }, parts);
  }

  /** @param {ColumnHead} head  during typing, so that the table is created with this name even if the field keeps the focus */
  columnRenamed({ index, proposed, name }) {
    if (/[\r\n]/.test(name.value)) name.value = name.value.replace(/[\r\n]+/g, " ");
    const text = name.value.trim();
    if (text && text !== proposed) this.proposal.edits[index] = { name: text };
    else delete this.proposal.edits[index];
    this.proposal.saveDecisions();
    // An error may be resolved here or in a column of the same name; nothing is created until the server has checked it.
    if (this.proposal.operations.counts.error) this.proposal.refresh();
    else this.draw();
  }

  /** @param {ColumnHead} head  its field was left: check the name on the server */
  findColumn({ proposed, name }) {
    if (!name.value.trim()) name.value = proposed;
    this.proposal.refresh({ quietly: true });
  }

  /** @param {ColumnHead} head */
  drawState({ index, check, name, nameRevealed, fault }) {
    const operation = this.proposal.operations.byIndex.get(index);
    const invalid = operation?.state === "error";
    check.checked = this.proposal.operations.checked.has(index);
    check.disabled = invalid;
    name.setAttribute("aria-invalid", String(invalid));
    nameRevealed.hidden = !hasHiddenCharacters(name.value);
    nameRevealed.replaceChildren(drawRevealed(name.value));
    fault.hidden = !invalid;
    const reason = invalid ? (operation.notes[0]?.detail ?? "") : "";
    if (fault.textContent !== reason) fault.textContent = reason;
  }

  drawFoot() {
    this.createButton = el("button", { class: "btn btn--primary", type: "button", text: t("Create table"), on: { click: () => this.proposal.apply() } });
    this.dismissButton = el("button", { class: "btn", type: "button", text: t("Dismiss"), on: { click: () => this.proposal.dismiss() } });
    const foot = el("footer", { class: "newtable__foot" });
    if (this.samples.length) {
      // Invalid sample rows would block the table, so they are excluded by default.
      const invalid = (this.proposal.preview.warnings ?? []).filter(({ path }) => path.startsWith("sample_rows"));
      this.areSamplesValid = invalid.length === 0;
      this.samplesCheck = el("input", {
        class: "check", type: "checkbox",
        on: {
          change: (event) => {
            this.proposal.storedOptions.include_sample_rows = event.target.checked;
            this.onDecision();
          },
        },
      });
      foot.append(el("label", {}, this.samplesCheck, tn("Include the {count} sample row", "Include the {count} sample rows", this.samples.length)));
      if (invalid.length) foot.append(el("span", { class: "newtable__note" }, icon("triangle-alert", "icon--14"), drawRevealed(invalid[0].detail)));
    }
    const next = nextSwitch(this.proposal);
    if (next) foot.append(next);
    foot.append(el("span", { class: "spacer" }), this.dismissButton, this.createButton);
    return foot;
  }
}

/** @param {KeyboardEvent} event @returns {boolean} whether Enter was pressed, which ends the name */
function preventLineBreak(event) {
  const ended = event.key === "Enter" && !event.isComposing;
  if (ended) event.preventDefault();
  return ended;
}

/** @param {any[]} columns @param {any[]} additions @param {Record<string, any>} row */
function drawSample(columns, additions, row) {
  const cells = columns.map((column, at) => {
    const val = el("span", { class: "val" }, drawProposed(column, row[column.id]));
    return el("td", { class: cellClass(column, at).replace(" is-frozen", ""), dataset: { column: String(additions[at].index) } }, val);
  });
  return el("tr", {}, ...cells);
}

/** @param {any} column */
function detailsText(column) {
  const details = [typeText(column)];
  if (column.required) details.push(t("required"));
  if (column.options?.length) details.push(tn("{count} option", "{count} options", column.options.length));
  return details.join(", ");
}

/** @param {any} column @returns {Node | null} its options, if one has hidden characters */
function drawHiddenOptions(column) {
  const hidden = (column.options ?? []).filter(hasHiddenCharacters);
  return hidden.length ? el("small", {}, drawRevealed(hidden.join(", "))) : null;
}

/** @param {any} column @returns {string} the longer of its two lines */
function headText(column) {
  return column.name.length > detailsText(column).length ? column.name : detailsText(column);
}

/** @param {number} width */
function blankRows(width) {
  return Array.from({ length: BLANK_ROWS }, () =>
    el("tr", { class: "is-blank", "aria-hidden": "true" }, ...Array.from({ length: width }, () => el("td"))),
  );
}

/** @param {Record<string, any>} sample  by column names written by the assistant @param {any} column */
function sampleValue(sample, column) {
  const key = (text) => text.normalize("NFKC").toLowerCase().trim();
  const found = Object.keys(sample).find((name) => name === column.id || key(name) === key(column.name));
  return found === undefined ? null : sample[found];
}
