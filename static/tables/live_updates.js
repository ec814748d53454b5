// What others do to the open table shows here within a moment, lightly marked; and who else is looking.

import { el, load, toast } from "../element.js";
import { t } from "../locale.js";
import { LiveSocket, ownChanges } from "../api.js";

const GATHER_MS = 100;
const PATIENCE_MS = 3000;
const MARKED_MS = 2500;
const MOST_READ_ALONE = 50;

/** @param {number} ms */
const passed = (ms) => new Promise((go) => setTimeout(go, ms));

export class LiveTable {
  /** @param {TableGrid} grid @param {Element | null} place  where the faces of others go, before everything else */
  constructor(grid, place) {
    this.grid = grid;
    this.feed = new ChangeFeed(Number(grid.dataset.version));
    this.faces = el("div", { class: "faces", role: "group", hidden: "" });
    place?.prepend(this.faces);
    /** Rows that others changed, until when they are marked; from when they are first seen on. @type {Map<string, number>} */
    this.marked = new Map();
    grid.addEventListener("grid-drawn", () => this.mark());
    grid.addEventListener("rows-of-note", (event) => this.note(/** @type {CustomEvent} */ (event).detail.ids));
    const address = new URL(`/ws/tables/${grid.tableId}/`, location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    this.socket = new LiveSocket({
      open: () => new WebSocket(address),
      later: (ms, run) => {
        const timer = setTimeout(run, ms);
        return () => clearTimeout(timer);
      },
      onMessage: (message) => this.hear(message),
      onRefused: () => this.sentAway(),
    });
    // Its answer was lost, or tells of something else: what it did is read, only not as news of others.
    ownChanges.onUnknown = () => this.readAll();
    document.addEventListener("visibilitychange", () => this.follow());
    addEventListener("pageshow", () => this.follow());
    addEventListener("pagehide", () => this.rest());
    addEventListener("online", () => this.follow());
    this.follow();
  }

  /** A page nobody sees hears nothing; once it is seen again, it catches up. */
  follow() {
    if (document.visibilityState === "visible") this.socket.start();
    else this.rest();
  }

  rest() {
    this.socket.stop();
    this.grid.removeAttribute("data-live");
  }

  /** @param {any} message */
  hear(message) {
    this.grid.setAttribute("data-live", "");
    if (message.type === "change") this.feed.hear(message);
    if (message.type === "presence") {
      this.showFaces(message.users.filter((person) => !person.you));
      this.feed.hearVersion(message.version);
      this.hearRole(message.role);
      this.grid.dispatchEvent(new CustomEvent("grid-reached"));
    }
    this.gathering ??= passed(GATHER_MS).then(() => this.show());
  }

  /** @param {string} role  what the person may do here now, which the page was perhaps not drawn for */
  hearRole(role) {
    const before = this.grid.dataset.role;
    if (!role || role === before) return;
    this.grid.takeRole(role);
    // Whoever has just given the table away is told there what that means.
    if (before === "owner" && document.querySelector("dialog.modal[open]")) return;
    const words = {
      owner: t("This table belongs to you now."),
      editor: before === "owner" ? t("This table has another owner now. You can still edit it.") : t("You can edit this table now."),
      viewer: t("You can read this table from now on, but no longer change it."),
    };
    this.told?.remove();
    this.told = toast(words[role], { stays: true });
  }

  async show() {
    // What is read while this page still writes may be older than what it shows.
    await Promise.race([ownChanges.quiet(), passed(PATIENCE_MS)]);
    this.gathering = null;
    const news = this.feed.take((change) => ownChanges.has(change));
    if (!news) return;
    for (const id of news.rows) this.marked.set(String(id), Infinity);
    const done = !news.all && this.canReadAlone(news.rows) && (await this.readAlone(news.rows));
    if (done) this.mark();
    else await this.readAll();
  }

  /** Not while somebody edits a cell, nor before what they wrote is saved: what is read meanwhile would be older. */
  async readAll() {
    const { editor, tableId } = this.grid;
    await Promise.race([ownChanges.quiet(), passed(PATIENCE_MS)]);
    if (!editor.isOpen) {
      document.dispatchEvent(new CustomEvent("table-changed", { detail: { table_id: Number(tableId), version: this.feed.version } }));
      return;
    }
    editor.whenClosed("news", () => this.readAll());
  }

  /** @param {number[]} ids  rows that somebody looks for are marked like those that others changed */
  note(ids) {
    for (const id of ids) this.marked.set(String(id), Infinity);
    this.mark();
  }

  /** @param {number[]} ids @returns {boolean} whether no other row can have come, gone or moved */
  canReadAlone(ids) {
    const { view, review, editor, store } = this.grid;
    if (review || view.search || view.filter || view.sort) return false;
    // The row under somebody's hands stays as it is until they are done; the grid waits for that before it reads again.
    const edited = editor.session?.cell.closest("tr")?.dataset.row;
    return ids.length <= MOST_READ_ALONE && ids.every((id) => String(id) !== edited && store.indexOf(id) >= 0);
  }

  /** @param {number[]} ids @returns {Promise<boolean>} whether that was all there is to show */
  async readAlone(ids) {
    const outdated = ownChanges.watch();
    const rows = await this.grid.reading.readRows(ids).catch(() => []);
    if (outdated() || rows.length !== ids.length || !this.canReadAlone(ids)) return false;
    for (const row of rows) this.grid.writer.settled(row);
    return true;
  }

  mark() {
    const now = Date.now();
    for (const [id, until] of this.marked) {
      const tr = this.grid.rowElement(id);
      if (until <= now) this.marked.delete(id);
      else if (tr) {
        tr.classList.add("is-news");
        this.marked.set(id, Math.min(until, now + MARKED_MS));
      }
    }
    clearTimeout(this.unmarking);
    this.unmarking = setTimeout(() => {
      for (const tr of this.grid.rowsBody.querySelectorAll("tr.is-news")) if (!(Number(this.marked.get(tr.dataset.row)) > Date.now())) tr.classList.remove("is-news");
    }, MARKED_MS);
  }

  /** @param {{name: string, initials: string}[]} others */
  showFaces(others) {
    this.others = others;
    if (others.length) load(() => import("./presence.js")).then(({ drawFaces }) => drawFaces(this.faces, this.others), () => {});
    else this.faces.hidden = true;
  }

  sentAway() {
    this.showFaces([]);
    const again = { label: t("Reload"), run: () => location.reload() };
    toast(t("This table is not open to you any more, or you have signed out."), { kind: "error", action: again });
  }
}

/** @typedef {{version: number, rows: number[] | "many", schema: boolean, moved?: boolean, change_id: number | null, actor: string | null, asked_as?: string}} Change */

/** The news of a table's changes, gathered until they are shown: what is to be read again. */
export class ChangeFeed {
  /** @param {number} version  of the table as the page shows it */
  constructor(version) {
    this.version = version;
    /** @type {Map<number, Change>} */
    this.gathered = new Map();
  }

  /** @param {Change} change */
  hear(change) {
    if (change.version > this.version) this.gathered.set(change.version, change);
  }

  /** @param {number} version  what the table has now: whatever lies in between was missed */
  hearVersion(version) {
    if (this.gathered.has(version)) return;
    this.hear({ version, rows: "many", schema: true, change_id: null, actor: null });
  }

  /**
   * @param {(change: Change) => boolean} isOwn  whether this tab made it, and shows it already
   * @returns {{all: boolean, rows: number[]} | null} the rows that others changed, and whether reading just those will do
   */
  take(isOwn) {
    const changes = [...this.gathered.values()].sort((one, other) => one.version - other.version);
    if (changes.length === 0) return null;
    const missed = changes.some((change, place) => change.version !== this.version + 1 + place);
    this.version = changes[changes.length - 1].version;
    this.gathered.clear();
    const others = changes.filter((change) => !isOwn(change));
    if (others.length === 0 && !missed) return null;
    const rows = new Set(others.flatMap((change) => (change.rows === "many" ? [] : change.rows)));
    return { all: missed || others.some((change) => change.schema || change.moved || change.rows === "many"), rows: [...rows] };
  }
}
