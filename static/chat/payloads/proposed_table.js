// A proposed new table: its name and its columns, which can be named otherwise, sample rows, and the two answers.

import { drawRevealed, el, hidesSomething, icon, revealedText } from "../../element.js";
import { around, HOLE, t, tn } from "../../locale.js";
import { columnType } from "../../tables/column_types/registry.js";
import { cellClass, drawProposed, widthClass } from "../../tables/values.js";
import { nextSwitch } from "./review_bar.js";

const BLANK_ROWS = 4;
/** What the box beside a column's name takes, in letters. */
const BOX_LETTERS = 3;

/**
 * @typedef {object} ColumnHead  a proposed column's head
 * @property {number} index  of the operation that adds it @property {string} proposed  its name, as the assistant wrote it
 * @property {HTMLInputElement} check @property {HTMLTextAreaElement} name @property {HTMLElement} nameSeen @property {HTMLElement} fault
 */

export class ProposedTable {
  /** @param {HTMLElement} place @param {Proposal} proposal */
  constructor(place, proposal) {
    this.place = place;
    this.proposal = proposal;
    const { data } = proposal.payload;
    this.samples = data.sample_rows ?? [];
    this.name = el("input", {
      class: "newtable__name", value: data.table_name ?? "", maxlength: "255", "aria-label": t("Name of the table"),
      on: { input: () => this.renamed() },
    });
    // A field cannot show what nobody sees: that is spelled out below it.
    this.nameSeen = el("p", { class: "newtable__note", hidden: true });
    this.built = false;
  }

  renamed() {
    const text = this.name.value.trim();
    if (text && text !== this.proposal.payload.data.table_name) this.proposal.said.table_name = text;
    else delete this.proposal.said.table_name;
    this.shownName = this.proposal.said.table_name;
    this.decided();
  }

  /** The person has changed something: it is drawn and stored. */
  decided() {
    this.draw();
    this.proposal.touch();
  }

  /** What was decided before a reload, or in another tab; not in a field that is typed into. */
  drawStored() {
    const { said, wishes, payload, edits } = this.proposal;
    if (said.table_name !== this.shownName && document.activeElement !== this.name) {
      this.shownName = said.table_name;
      this.name.value = said.table_name ?? payload.data.table_name ?? "";
    }
    for (const { index, name, proposed } of this.heads) {
      const wanted = edits[index]?.name ?? proposed;
      if (document.activeElement !== name && name.value !== wanted) name.value = wanted;
    }
    if (!this.samplesCheck) return;
    wishes.include_sample_rows = said.include_sample_rows ?? this.areSamplesWritable;
    this.samplesCheck.checked = wishes.include_sample_rows;
  }

  draw() {
    if (!this.proposal.preview) {
      this.place.replaceChildren(this.drawWaiting());
      return;
    }
    if (!this.built) this.build();
    const { operations, busy, fault } = this.proposal;
    for (const part of this.place.querySelectorAll("[data-column]")) {
      part.classList.toggle("is-off", !operations.checked.has(Number(part.dataset.column)));
    }
    this.drawStored();
    for (const head of this.heads) this.drawState(head);
    this.createButton.disabled = Boolean(busy) || operations.selected === 0 || !this.name.value.trim();
    this.createButton.replaceChildren(...(busy === "applying" ? [icon("loader-circle", "spin"), t("Creating…")] : [t("Create table")]));
    this.dismissButton.disabled = this.proposal.answering;
    this.nameSeen.hidden = !hidesSomething(this.name.value);
    this.nameSeen.replaceChildren(...around(t("The name reads: {name}", { name: HOLE }), drawRevealed(this.name.value)));
    this.fault.replaceChildren(...(fault ? [icon("circle-alert"), el("span", { text: t("{fault} Nothing was created.", { fault }) })] : []));
    this.fault.hidden = !fault;
    this.proposal.announce(this.name.value.trim() || t("New table"));
  }

  drawWaiting() {
    const words = this.proposal.fault || t("Reading the proposal…");
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
      this.nameSeen,
      el("p", {}, drawRevealed(data.table_description ?? "")),
    );
    this.fault = el("p", { class: "notice is-bad", role: "alert" });
    const section = el("section", { class: "newtable", "aria-label": t("Proposed table") }, head, this.drawSheet(), this.drawFoot());
    const note = el("p", { class: "newtable__note" }, icon("info", "icon--14"), t("Name things as you like, and ask for other changes in the chat."));
    this.place.replaceChildren(el("div", { class: "page page--new" }, this.fault, section, note));
  }

  drawSheet() {
    const additions = this.proposal.preview.operations.filter((operation) => operation.action === "add");
    const columns = additions.map((operation) => operation.column ?? operation.new);
    const named = additions.map((operation, place) => ({ ...columns[place], name: this.proposedName(operation, columns[place]) }));
    const rows = this.samples.map((sample) => Object.fromEntries(named.map((column) => [column.id, sampleValue(sample, column)])));
    const table = el(
      "table",
      { class: "grid grid--preview", "aria-label": t("Columns and sample rows") },
      el("colgroup", {}, ...columns.map((column) => el("col", { class: widthClass({ ...column, name: headText(column) + "x".repeat(BOX_LETTERS) }, rows) }))),
      el("thead", {}, el("tr", {}, ...additions.map((operation, place) => this.drawHead(operation, columns[place])))),
      el("tbody", {}, ...rows.map((row) => drawSample(columns, additions, row)), ...blankRows(columns.length)),
    );
    return el("div", { class: "grid-scroll", tabindex: "0", role: "region", "aria-label": t("Proposed columns") }, table);
  }

  /** @param {Operation} operation @param {any} column  as it is previewed, maybe with another name */
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
          this.decided();
        },
      },
    });
    // A long name is read in several lines; it is one line all the same.
    const name = el("textarea", {
      class: "newtable__column", value: column.name, maxlength: "255", autocomplete: "off", rows: "1",
      "aria-label": t("Name of the column {column}", { column: column.name }),
      on: { input: () => this.columnRenamed(head), change: () => this.columnNamed(head), keydown: (event) => inOneLine(event) && this.columnNamed(head) },
    });
    const [nameSeen, fault] = [el("small", { hidden: true }), el("small", { class: "newtable__fault", role: "alert", hidden: true })];
    const head = { index: operation.index, proposed: this.proposedName(operation, column), check, name, nameSeen, fault };
    this.heads.push(head);
    const title = revealedText([...(column.options ?? []), ...operation.notes.map((note) => note.detail)].join(", "));
    const line = el("span", { class: "l1" }, check, icon(columnType(column).icon, "icon--14"), name);
    const parts = el("div", { class: "col col--two", title }, line, nameSeen, el("small", { text: factsText(column) }), drawHiddenOptions(column), fault);
    return el("th", { scope: "col", class: columnType(column).cellClass || undefined, dataset: { column: String(operation.index) } }, parts);
  }

  /** @param {ColumnHead} head  while it is typed into: what is created has this name, also if the field is not left */
  columnRenamed({ index, proposed, name }) {
    if (/[\r\n]/.test(name.value)) name.value = name.value.replace(/[\r\n]+/g, " ");
    const text = name.value.trim();
    if (text && text !== proposed) this.proposal.edits[index] = { name: text };
    else delete this.proposal.edits[index];
    this.proposal.touch();
    // A fault may be over now, here or in a column of the same name; until that is known, nothing is created without one of them.
    if (this.proposal.operations.counts.error) this.proposal.refresh();
    else this.draw();
  }

  /** @param {ColumnHead} head  its field was left: whether a column can have that name is asked */
  columnNamed({ proposed, name }) {
    if (!name.value.trim()) name.value = proposed;
    this.proposal.refresh({ quietly: true });
  }

  /** @param {ColumnHead} head */
  drawState({ index, check, name, nameSeen, fault }) {
    const operation = this.proposal.operations.byIndex.get(index);
    const faulty = operation?.state === "error";
    check.checked = this.proposal.operations.checked.has(index);
    check.disabled = faulty;
    name.setAttribute("aria-invalid", String(faulty));
    nameSeen.hidden = !hidesSomething(name.value);
    nameSeen.replaceChildren(drawRevealed(name.value));
    fault.hidden = !faulty;
    const reason = faulty ? (operation.notes[0]?.detail ?? "") : "";
    if (fault.textContent !== reason) fault.textContent = reason;
  }

  drawFoot() {
    this.createButton = el("button", { class: "btn btn--primary", type: "button", text: t("Create table"), on: { click: () => this.proposal.apply() } });
    this.dismissButton = el("button", { class: "btn", type: "button", text: t("Dismiss"), on: { click: () => this.proposal.dismiss() } });
    const foot = el("footer", { class: "newtable__foot" });
    if (this.samples.length) {
      // A row that cannot be written as it is would stand in the way: then they are left out unless somebody says otherwise.
      const unwritable = (this.proposal.preview.warnings ?? []).filter(({ path }) => path.startsWith("sample_rows"));
      this.areSamplesWritable = unwritable.length === 0;
      this.samplesCheck = el("input", {
        class: "check", type: "checkbox",
        on: {
          change: (event) => {
            this.proposal.said.include_sample_rows = event.target.checked;
            this.decided();
          },
        },
      });
      foot.append(el("label", {}, this.samplesCheck, tn("Include the {count} sample row", "Include the {count} sample rows", this.samples.length)));
      if (unwritable.length) foot.append(el("span", { class: "newtable__note" }, icon("triangle-alert", "icon--14"), drawRevealed(unwritable[0].detail)));
    }
    const next = nextSwitch(this.proposal);
    if (next) foot.append(next);
    foot.append(el("span", { class: "spacer" }), this.dismissButton, this.createButton);
    return foot;
  }
}

/** @param {KeyboardEvent} event @returns {boolean} whether it was to end the line: that ends the name */
function inOneLine(event) {
  const ended = event.key === "Enter" && !event.isComposing;
  if (ended) event.preventDefault();
  return ended;
}

/** @param {any[]} columns @param {any[]} additions @param {Record<string, any>} row */
function drawSample(columns, additions, row) {
  const cells = columns.map((column, place) => {
    const val = el("span", { class: "val" }, drawProposed(column, row[column.id]));
    return el("td", { class: cellClass(column, place).replace(" is-frozen", ""), dataset: { column: String(additions[place].index) } }, val);
  });
  return el("tr", {}, ...cells);
}

/** @param {any} column */
function factsText(column) {
  const facts = [columnType(column).label];
  if (column.required) facts.push(t("required"));
  if (column.options?.length) facts.push(tn("{count} option", "{count} options", column.options.length));
  return facts.join(", ");
}

/** @param {any} column @returns {Node | null} its options, where one of them hides something */
function drawHiddenOptions(column) {
  const hiding = (column.options ?? []).filter(hidesSomething);
  return hiding.length ? el("small", {}, drawRevealed(hiding.join(", "))) : null;
}

/** @param {any} column @returns {string} the longer of its two lines */
function headText(column) {
  return column.name.length > factsText(column).length ? column.name : factsText(column);
}

/** @param {number} width */
function blankRows(width) {
  return Array.from({ length: BLANK_ROWS }, () =>
    el("tr", { class: "is-blank", "aria-hidden": "true" }, ...Array.from({ length: width }, () => el("td"))),
  );
}

/** @param {Record<string, any>} sample  keyed by names as the assistant wrote them @param {any} column */
function sampleValue(sample, column) {
  const key = (text) => text.normalize("NFKC").toLowerCase().trim();
  const found = Object.keys(sample).find((name) => name === column.id || key(name) === key(column.name));
  return found === undefined ? null : sample[found];
}
