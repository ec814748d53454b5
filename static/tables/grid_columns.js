// The heads of a grid under a person's hands: their menu, by mouse, touch and keyboard, and their edge, which has the width.

import { keyAhead } from "../element.js";
import { t } from "../locale.js";
import { toast } from "../toast.js";
import { ColumnDrag, LEAST, MOST, dressHead } from "./grid_head.js";

const STEP_PX = 16;
const LEAP_PX = 64;

export class GridColumns {
  /** @param {TableGrid} grid */
  constructor(grid) {
    this.grid = grid;
    this.head = grid.table.tHead;
    /** The button whose menu was open when it was pressed: the press has closed it. @type {Element | null} */
    this.closing = null;
    this.asked = 0;
    for (const th of this.head.querySelectorAll("th[data-col]")) {
      const column = grid.columns.find((one) => one.id === th.dataset.col);
      if (column) dressHead(th, column);
    }
    this.drag = new ColumnDrag(grid);
    this.head.addEventListener("pointerdown", (event) => this.pressed(event));
    this.head.addEventListener("click", (event) => this.clicked(event));
    this.head.addEventListener("contextmenu", (event) => this.rightClicked(event));
    this.head.addEventListener("keydown", (event) => this.edgeKey(event));
    this.head.addEventListener("focusin", (event) => this.edgeEntered(event));
    grid.table.addEventListener("keydown", (event) => this.keyPressed(event), { capture: true });
  }

  /** @param {Event} event */
  pressed(event) {
    const button = /** @type {Element} */ (event.target).closest(".col__menu");
    this.closing = button?.getAttribute("aria-expanded") === "true" ? button : null;
  }

  /** @param {MouseEvent} event */
  clicked(event) {
    const button = /** @type {Element} */ (event.target).closest(".col__menu");
    if (!button) return;
    if (this.closing !== button) this.open(button.closest("th").dataset.col, { fromHead: true });
    this.closing = null;
  }

  /** @param {MouseEvent} event */
  rightClicked(event) {
    const th = /** @type {Element} */ (event.target).closest("th[data-col]");
    if (!th || event.shiftKey || !th.querySelector(".col__menu")) return;
    event.preventDefault();
    this.open(th.dataset.col, { fromHead: true });
  }

  /** @param {KeyboardEvent} event  Alt+↓, Shift+F10 or the menu key, on a head or on a cell below it */
  keyPressed(event) {
    const wished = (event.altKey && event.key === "ArrowDown") || (event.shiftKey && event.key === "F10") || event.key === "ContextMenu";
    if (!wished || event.ctrlKey || event.metaKey) return;
    const th = /** @type {Element} */ (event.target).closest("th[data-col]");
    const onGrid = event.target === this.grid.table;
    const id = th ? th.dataset.col : onGrid ? this.grid.cursor.here?.column?.id : undefined;
    if (!id) return;
    event.preventDefault();
    event.stopPropagation();
    this.open(id, { fromHead: !onGrid });
  }

  /** @param {string} id @param {{fromHead: boolean}} how  where the keyboard goes back to */
  async open(id, { fromHead }) {
    const mine = ++this.asked;
    const held = document.activeElement;
    try {
      const { openColumnMenu } = await import("./column_menu.js");
      // Who has pressed another one or gone on meanwhile is not called back.
      if (mine !== this.asked || document.activeElement !== held || this.grid.editor.isOpen) return;
      openColumnMenu(this.grid, id, { fromHead });
    } catch {
      toast(t("The menu could not be opened. Try again in a moment."), { kind: "error" });
    }
  }

  /** @param {FocusEvent} event */
  edgeEntered(event) {
    const edge = /** @type {Element} */ (event.target).closest(".col__edge");
    edge?.setAttribute("aria-valuenow", String(Math.round(edge.closest("th").getBoundingClientRect().width)));
  }

  /** @param {KeyboardEvent} event */
  edgeKey(event) {
    const edge = /** @type {Element} */ (event.target).closest(".col__edge");
    if (!edge) return;
    const { look, table } = this.grid;
    const id = edge.closest("th").dataset.col;
    const size = event.shiftKey ? LEAP_PX : STEP_PX;
    const now = Number(edge.getAttribute("aria-valuenow"));
    if (event.key === "ArrowLeft" || event.key === "ArrowRight") look.widen(id, now + (keyAhead(event.key) === "ArrowRight" ? size : -size));
    else if (event.key === "Home") look.widen(id, LEAST);
    else if (event.key === "End") look.widen(id, MOST);
    else if (event.key === "Enter" || event.key === "Escape") table.focus({ preventScroll: true });
    else return;
    event.preventDefault();
    event.stopPropagation();
    if (event.key !== "Enter" && event.key !== "Escape") look.keep();
  }
}
