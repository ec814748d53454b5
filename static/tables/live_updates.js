// Shows changes by other users in the open table, with a mark, and the other users who have it open.

import { el, load, toast } from "../element.js";
import { t } from "../locale.js";
import { LiveSocket, ownChanges } from "../api.js";

const GATHER_MS = 100;
const MAX_WAIT_MS = 3000;
const MARKED_MS = 2500;
const MAX_ROWS_READ = 50;

/** @param {number} ms */
const delay = (ms) => new Promise((resolve) => setTimeout(resolve, ms));

export class LiveTable {
  /** @param {TableGrid} grid @param {Element | null} parent  of the avatars, which are prepended */
  constructor(grid, parent) {
    this.grid = grid;
    this.feed = new ChangeFeed(Number(grid.dataset.version));
    this.avatars = el("div", { class: "avatars", role: "group", hidden: "" });
    parent?.prepend(this.avatars);
    /** Rows changed by others, with the end of their mark; Infinity until they are drawn. @type {Map<string, number>} */
    this.marked = new Map();
    grid.addEventListener("grid-drawn", () => this.mark());
    grid.addEventListener("rows-highlight", (event) => this.markRows(/** @type {CustomEvent} */ (event).detail.ids));
    const address = new URL(`/ws/tables/${grid.tableId}/`, location.href);
    address.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    this.socket = new LiveSocket({
      open: () => new WebSocket(address),
      later: (ms, run) => {
        const timer = setTimeout(run, ms);
        return () => clearTimeout(timer);
      },
      onMessage: (message) => this.receive(message),
      onRefused: () => this.onRefused(),
    });
    // The response was lost or did not include the change: read everything.
    ownChanges.onUnknown = () => this.readAll();
    document.addEventListener("visibilitychange", () => this.updateConnection());
    addEventListener("pageshow", () => this.updateConnection());
    addEventListener("pagehide", () => this.disconnect());
    addEventListener("online", () => this.updateConnection());
    this.updateConnection();
  }

  /** Disconnect while the page is hidden; catch up when it is visible again. */
  updateConnection() {
    if (document.visibilityState === "visible") this.socket.start();
    else this.disconnect();
  }

  disconnect() {
    this.socket.stop();
    this.grid.removeAttribute("data-live");
  }

  /** @param {any} message */
  receive(message) {
    this.grid.setAttribute("data-live", "");
    if (message.type === "change") this.feed.receive(message);
    if (message.type === "news") document.dispatchEvent(new CustomEvent("table-news", { detail: message }));
    if (message.type === "presence") {
      this.showAvatars(message.users.filter((person) => !person.you));
      this.feed.receiveVersion(message.version);
      this.setRole(message.role);
      this.grid.dispatchEvent(new CustomEvent("grid-reached"));
    }
    this.showTimer ??= delay(GATHER_MS).then(() => this.show());
  }

  /** @param {string} role  the user's current role, which may differ from the one of the page */
  setRole(role) {
    const before = this.grid.dataset.role;
    if (!role || role === before) return;
    this.grid.setRole(role);
    // An owner who has just transferred the table is informed in the dialog.
    if (before === "owner" && document.querySelector("dialog.modal[open]")) return;
    const messages = {
      owner: t("You now own this table."),
      editor: before === "owner" ? t("This table now has another owner. You can still edit it.") : t("You can edit this table now."),
      viewer: t("You can still view this table, but no longer edit it."),
    };
    this.roleToast?.remove();
    this.roleToast = toast(messages[role], { stays: true });
  }

  async show() {
    // Rows that are read while this page is writing may be outdated.
    await Promise.race([ownChanges.idle(), delay(MAX_WAIT_MS)]);
    this.showTimer = null;
    const changes = this.feed.takeChanges((change) => ownChanges.has(change));
    if (!changes) return;
    for (const id of changes.rows) this.marked.set(String(id), Infinity);
    const isRead = !changes.all && this.canReadOnly(changes.rows) && (await this.readOnly(changes.rows));
    if (isRead) this.mark();
    else await this.readAll();
  }

  /** Wait until no cell is edited and all edits are saved, as rows read earlier would be outdated. */
  async readAll() {
    const { editor, tableId } = this.grid;
    await Promise.race([ownChanges.idle(), delay(MAX_WAIT_MS)]);
    if (!editor.isOpen) {
      document.dispatchEvent(new CustomEvent("table-changed", { detail: { table_id: Number(tableId), version: this.feed.version } }));
      return;
    }
    editor.whenClosed("news", () => this.readAll());
  }

  /** @param {number[]} ids  rows to mark as if others had changed them */
  markRows(ids) {
    for (const id of ids) this.marked.set(String(id), Infinity);
    this.mark();
  }

  /** @param {number[]} ids @returns {boolean} whether no other row can have been added, removed or moved */
  canReadOnly(ids) {
    const { view, review, editor, store } = this.grid;
    if (review || view.search || view.filter || view.sort) return false;
    // The edited row is not redrawn until the edit ends.
    const edited = editor.session?.cell.closest("tr")?.dataset.row;
    return ids.length <= MAX_ROWS_READ && ids.every((id) => String(id) !== edited && store.indexOf(id) >= 0);
  }

  /** @param {number[]} ids @returns {Promise<boolean>} whether they were updated */
  async readOnly(ids) {
    const outdated = ownChanges.watch();
    const rows = await this.grid.reading.readRows(ids).catch(() => []);
    if (outdated() || rows.length !== ids.length || !this.canReadOnly(ids)) return false;
    for (const row of rows) this.grid.writer.onSaved(row);
    return true;
  }

  mark() {
    const now = Date.now();
    for (const [id, until] of this.marked) {
      const tr = this.grid.rowElement(id);
      if (until <= now) this.marked.delete(id);
      else if (tr) {
        tr.classList.add("is-highlighted");
        this.marked.set(id, Math.min(until, now + MARKED_MS));
      }
    }
    clearTimeout(this.unmarkTimer);
    this.unmarkTimer = setTimeout(() => {
      for (const tr of this.grid.rowsBody.querySelectorAll("tr.is-highlighted")) if (!(Number(this.marked.get(tr.dataset.row)) > Date.now())) tr.classList.remove("is-highlighted");
    }, MARKED_MS);
  }

  /** @param {{name: string, initials: string}[]} others */
  showAvatars(others) {
    this.others = others;
    if (others.length) load(() => import("./presence.js")).then(({ drawAvatars }) => drawAvatars(this.avatars, this.others), () => {});
    else this.avatars.hidden = true;
  }

  onRefused() {
    this.showAvatars([]);
    const again = { label: t("Reload"), run: () => location.reload() };
    toast(t("You no longer have access to this table, or you are signed out."), { kind: "error", action: again });
  }
}

/**
 * @typedef {{version: number, rows: number[] | "many", schema: boolean, moved?: boolean, change_id: number | null, actor:
 *   string | null, asked_as?: string}} Change
 */

/** Changes of a table, collected until they are shown. */
export class ChangeFeed {
  /** @param {number} version  of the table as shown */
  constructor(version) {
    this.version = version;
    /** @type {Map<number, Change>} */
    this.received = new Map();
  }

  /** @param {Change} change */
  receive(change) {
    if (change.version > this.version) this.received.set(change.version, change);
  }

  /** @param {number} version  the current version of the table; messages in between were missed */
  receiveVersion(version) {
    if (this.received.has(version)) return;
    this.receive({ version, rows: "many", schema: true, change_id: null, actor: null });
  }

  /**
   * @param {(change: Change) => boolean} isOwn  whether this tab made the change
   * @returns {{all: boolean, rows: number[]} | null} rows changed by others; all: whether everything must be read
   */
  takeChanges(isOwn) {
    const changes = [...this.received.values()].sort((one, other) => one.version - other.version);
    if (changes.length === 0) return null;
    const missed = changes.some((change, index) => change.version !== this.version + 1 + index);
    this.version = changes[changes.length - 1].version;
    this.received.clear();
    const others = changes.filter((change) => !isOwn(change));
    if (others.length === 0 && !missed) return null;
    const rows = new Set(others.flatMap((change) => (change.rows === "many" ? [] : change.rows)));
    return { all: missed || others.some((change) => change.schema || change.moved || change.rows === "many"), rows: [...rows] };
  }
}
