// The turn whose stream is followed. Who goes on to something else lets go of it, but not before the server has taken it.

export class Followed {
  /** The person wants it stopped, and the server has not said its id yet. */
  stop = false;
  #dropped = false;
  /** @type {{leave: () => void} | null} */
  #handle = null;

  /**
   * @param {{key: string, body: any, instead: boolean, turnId: string, cancel: (turnId: string) => any}} turn
   *   body: what it is begun with, null for one that is taken up; instead: whether it stands in the place of others;
   *   turnId: "" until the server has said it
   */
  constructor({ key, body, instead, turnId, cancel }) {
    Object.assign(this, { key, body, instead, turnId, cancel });
  }

  /**
   * @param {(listener: any) => {done: Promise<string>, leave: () => void}} begin
   * @param {{onEvent: (numbered: any) => void, onConnection: (state: "open" | "broken", seconds: number) => void,
   *   onFinal: () => void, onRefused: (error: unknown) => void}} listener  hears nothing any more once it is dropped
   */
  follow(begin, { onEvent, onConnection, onFinal, onRefused }) {
    const handle = begin({
      onEvent: (numbered) => this.#take(numbered, onEvent),
      onConnection: (state, seconds) => this.#dropped || onConnection(state, seconds),
    });
    this.#handle = handle;
    handle.done.then(
      (end) => this.#dropped || (end === "final" && onFinal()),
      (error) => this.#dropped || onRefused(error));
  }

  /** @param {{seq: number, event: any}} numbered @param {(numbered: any) => void} onEvent */
  #take(numbered, onEvent) {
    const isNew = this.turnId === "";
    this.turnId ||= numbered.event.turn_id ?? "";
    if (isNew && this.turnId && this.stop) this.cancel(this.turnId);
    if (!this.#dropped) onEvent(numbered);
    else if (this.turnId) this.leave();
  }

  /** Lets go of the stream; the turn itself goes on. */
  leave() {
    this.#handle?.leave();
  }

  /** Nobody looks at it any more. A message that may not have arrived yet goes out all the same. */
  drop() {
    this.#dropped = true;
    if (this.turnId) this.leave();
  }
}
