// One socket for a page: opened while the page is seen, opened again when it breaks, given up when it is refused.

const DELAYS_MS = [500, 1000, 2000, 5000, 10_000, 30_000];
// Not signed in any more, or nothing there to see.
const REFUSED = [4403, 4404];

export class LiveSocket {
  /**
   * @param {{
   *   open: () => WebSocket,
   *   later: (ms: number, run: () => void) => () => void,
   *   onMessage: (message: any) => void,
   *   onRefused: () => void,
   *   chance?: () => number,
   * }} means  `later` runs something after a while and returns how to call that off; `chance` is from 0 to 1
   */
  constructor({ open, later, onMessage, onRefused, chance = Math.random }) {
    this.means = { open, later, onMessage, onRefused, chance };
    this.failures = 0;
    this.refused = false;
    /** @type {WebSocket | null} */
    this.socket = null;
    this.callOff = () => {};
  }

  /** The page is seen: at once, whatever was waited for. */
  start() {
    this.callOff();
    if (this.socket || this.refused) return;
    const socket = (this.socket = this.means.open());
    socket.addEventListener("message", (event) => {
      if (this.socket !== socket) return;
      this.failures = 0;
      this.means.onMessage(JSON.parse(event.data));
    });
    socket.addEventListener("close", (event) => {
      if (this.socket === socket) this.ended(event.code);
    });
  }

  /** The page is out of sight. */
  stop() {
    this.callOff();
    const { socket } = this;
    this.socket = null;
    socket?.close();
  }

  /** @param {number} code */
  ended(code) {
    this.socket = null;
    if (REFUSED.includes(code)) {
      this.refused = true;
      this.means.onRefused();
      return;
    }
    const delay = DELAYS_MS[Math.min(this.failures, DELAYS_MS.length - 1)];
    this.failures += 1;
    // Not all at the same moment when a server comes back.
    this.callOff = this.means.later(delay * (0.5 + this.means.chance() / 2), () => this.start());
  }
}
