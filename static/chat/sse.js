// Reads a text/event-stream however its bytes are cut: mid-line, mid-character, between CR and LF.

/**
 * @typedef {object} StreamMessage
 * @property {string} id    the last `id:` seen, "" before the first
 * @property {string} data  the `data:` lines joined with a newline
 */

export class SseParser {
  #decoder = new TextDecoder();
  #rest = "";
  #id = "";
  /** @type {string[]} */
  #data = [];

  /**
   * @param {Uint8Array} bytes  the next piece, of any size
   * @returns {StreamMessage[]} the messages that it completes
   */
  feed(bytes) {
    return this.feedText(this.#decoder.decode(bytes, { stream: true }));
  }

  /** @param {string} text @returns {StreamMessage[]} */
  feedText(text) {
    const messages = [];
    const all = this.#rest + text;
    let start = 0;
    for (;;) {
      const end = nextLineEnd(all, start);
      if (end === null) break;
      const message = this.#line(all.slice(start, end.at));
      if (message) messages.push(message);
      start = end.next;
    }
    this.#rest = all.slice(start);
    return messages;
  }

  /** @param {string} line @returns {StreamMessage | null} the message that an empty line completes */
  #line(line) {
    if (line === "") {
      if (this.#data.length === 0) return null;
      const message = { id: this.#id, data: this.#data.join("\n") };
      this.#data = [];
      return message;
    }
    const colon = line.indexOf(":");
    if (colon === 0) return null; // a comment: the heartbeat
    const field = colon < 0 ? line : line.slice(0, colon);
    const raw = colon < 0 ? "" : line.slice(colon + 1);
    const value = raw.startsWith(" ") ? raw.slice(1) : raw;
    if (field === "data") this.#data.push(value);
    else if (field === "id" && !value.includes("\0")) this.#id = value;
    return null;
  }
}

/**
 * @param {string} text @param {number} from
 * @returns {{at: number, next: number} | null} null too for a CR at the very end: an LF may still follow it
 */
function nextLineEnd(text, from) {
  for (let at = from; at < text.length; at += 1) {
    const code = text.charCodeAt(at);
    if (code === 10) return { at, next: at + 1 };
    if (code !== 13) continue;
    if (at + 1 === text.length) return null;
    return { at, next: text.charCodeAt(at + 1) === 10 ? at + 2 : at + 1 };
  }
  return null;
}

/**
 * @param {StreamMessage} message
 * @returns {{seq: number, event: Record<string, any>} | null} null for what is not one of our events
 */
export function readEvent(message) {
  try {
    const event = JSON.parse(message.data);
    if (event === null || typeof event !== "object" || typeof event.type !== "string") return null;
    return { seq: Number.parseInt(message.id, 10) || 0, event };
  } catch {
    return null;
  }
}
