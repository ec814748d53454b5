// The rate of the last minute, from which the time left of a fill follows.

const PERIOD_MS = 60_000;
const MIN_MS = 3000;

export class ProgressRate {
  constructor() {
    /** @type {{done: number, at: number}[]} */
    this.samples = [];
  }

  /** @param {number} done  number of answered rows @param {number} at  ms */
  add(done, at) {
    if (done < (this.samples.at(-1)?.done ?? 0)) this.samples = [];
    this.samples.push({ done, at });
    // One sample before the period remains, as the period starts with it.
    while (this.samples.length > 2 && this.samples[1].at <= at - PERIOD_MS) this.samples.shift();
  }

  /** @param {number} left  number of rows @returns {number | null} null if it is not known */
  secondsLeft(left) {
    const [first, last] = [this.samples[0], this.samples.at(-1)];
    if (!first || !last || last.at - first.at < MIN_MS || last.done === first.done) return null;
    return Math.round((left * (last.at - first.at)) / (last.done - first.done) / 1000);
  }
}
