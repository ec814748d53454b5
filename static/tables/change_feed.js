// The news of a table's changes, gathered until they are shown: what is to be read again. Knows neither page nor server.

/** @typedef {{version: number, rows: number[] | "many", schema: boolean, change_id: number | null, actor: string | null}} Change */

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
   * @param {(changeId: number | null) => boolean} isOwn  whether this tab made it, and shows it already
   * @returns {{all: boolean, rows: number[]} | null} the rows that others changed, and whether reading just those will do
   */
  take(isOwn) {
    const changes = [...this.gathered.values()].sort((one, other) => one.version - other.version);
    if (changes.length === 0) return null;
    const missed = changes.some((change, place) => change.version !== this.version + 1 + place);
    this.version = changes[changes.length - 1].version;
    this.gathered.clear();
    const others = changes.filter((change) => !isOwn(change.change_id));
    if (others.length === 0 && !missed) return null;
    const rows = new Set(others.flatMap((change) => (change.rows === "many" ? [] : change.rows)));
    return { all: missed || others.some((change) => change.schema || change.rows === "many"), rows: [...rows] };
  }
}
