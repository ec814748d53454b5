// What is said before it is known which conversation is the latest: it waits for that, and goes on with it.

export class EarlyWords {
  /** @type {[string, string | undefined][] | null} */
  #waiting = [];

  /** @param {(text: string, type?: string) => void} send */
  constructor(send) {
    this.send = send;
  }

  get texts() {
    return (this.#waiting ?? []).map(([text]) => text);
  }

  /** @param {number} at  in `texts` @returns {string} the text that was withdrawn */
  withdraw(at) {
    return this.#waiting?.splice(at, 1)[0]?.[0] ?? "";
  }

  /** @param {string} text @param {string} [type] */
  say(text, type) {
    if (this.#waiting) this.#waiting.push([text, type]);
    else this.send(text, type);
  }

  /** It is known now, or nobody can tell. */
  begin() {
    const waiting = this.#waiting ?? [];
    this.#waiting = null;
    for (const said of waiting) this.send(...said);
  }
}
