// A proposal in its two stages: first as it arrives, then to be looked over until it is answered or gives way to another. What
// draws it is fetched with the first one, for most visits see none. Knows nothing of what is proposed, nor where it is drawn.

import { late } from "../element.js";
import { t } from "../locale.js";

const ARRIVING = "arriving";

/**
 * @typedef {object} Kind  of proposal, as the others on the page know it
 * @property {(to: Kind) => (() => void) | null} giveWay  shows nothing any more; returns what brings it back
 * @property {() => boolean} shows  whether there is anything of it in sight
 * @property {() => void} rest  what is in sight of it stays for a moment, and cannot be answered any more
 */

/** Of several kinds only one is in sight; the one that was asked for last may still be on its way. @type {Kind | null} */
let inSight = null;
/** @type {Kind | null} */
let asked = null;
/** Shows the proposal that was asked for last, as long as it is not in sight. @type {(() => void) | null} */
let coming = null;

/**
 * @typedef {object} Incoming  shows a proposal that is arriving
 * @property {(event: any) => void} take
 * @property {() => void} end
 *
 * @typedef {object} Review  shows one that is there, until it is answered
 * @property {Proposal} proposal
 * @property {() => void} end  before it is answered
 *
 * @typedef {object} Stages
 * @property {() => Promise<() => Incoming>} incoming  fetches what makes the first
 * @property {() => Promise<{Proposal: new (payload: Payload) => Proposal, show: (proposal: Proposal, ended: () => void) => Review}>} review
 *   and the second; it says when it has ended
 * @property {(review: Review | null) => void} focus
 * @property {{headerTitle: string, headerIcon: string}} renderOptions
 */

/** @param {Stages} stages @returns {PayloadHandler} */
export function inTwoStages({ incoming: fetchIncoming, review: fetchReview, focus, renderOptions }) {
  /** @type {Review | null} */
  let shown = null;
  /** @type {Incoming | null} */
  let incoming = null;
  /** @type {any[]} events of one that is arriving, in order, until what draws it is there */
  const waiting = [];
  /** What brings back the proposal that gave way to one that is arriving. @type {(() => void) | null} */
  let before = null;
  /** What is to be seen once what draws it is there: the id of a payload, or ARRIVING. */
  let wanted = "";
  /** The id of the proposal that is being read while something else is still in sight. */
  let read = "";

  const isShown = (/** @type {Payload} */ { id }) => shown?.proposal.id === id && !shown.proposal.over;
  const clear = () => {
    incoming?.end();
    incoming = null;
    const left = shown;
    left?.end();
    left?.proposal.leave();
    shown = null;
  };
  /** @type {Kind} */
  const kind = {
    giveWay: (to) => {
      const payload = shown?.proposal.payload;
      const back = incoming ? before : payload ? () => review(payload) : null;
      if (to !== kind) wanted = "";
      clear();
      return back;
    },
    shows: () => Boolean(incoming || shown),
    rest: () => shown?.proposal.rest(),
  };
  const comeForward = () => {
    const back = inSight?.giveWay(kind) ?? null;
    inSight = kind;
    return back;
  };
  const review = async (payload) => {
    wanted = payload.id;
    asked = kind;
    coming = () => review(payload);
    const isDue = () => wanted === payload.id && asked === kind && !isShown(payload);
    const { Proposal, show } = await late(t("The proposal could not be loaded."), fetchReview);
    // Asked for twice before it could be drawn, it is drawn once.
    if (!isDue() || read === payload.id) return;
    const proposal = new Proposal(payload);
    const reading = proposal.refresh();
    if (inSight?.shows()) {
      // Until there is something to see of this one, the page does not empty.
      inSight.rest();
      read = payload.id;
      await reading;
      if (read === payload.id) read = "";
      if (!isDue()) {
        proposal.leave();
        return;
      }
    }
    coming = null;
    comeForward();
    let ended = false;
    /** @type {Review | null} */
    let made = null;
    made = show(proposal, () => {
      ended = true;
      if (shown === made) shown = null;
    });
    if (!ended) shown = made;
  };
  const take = async (event) => {
    if (wanted !== ARRIVING) waiting.length = 0;
    wanted = ARRIVING;
    asked = kind;
    waiting.push(event);
    const begin = await late(t("The proposal could not be loaded."), fetchIncoming);
    if (wanted !== ARRIVING) return;
    if (!incoming) {
      const gaveWay = comeForward();
      before = coming ?? gaveWay;
      coming = null;
      incoming = begin();
    }
    for (const next of waiting.splice(0)) incoming.take(next);
  };

  document.addEventListener("payload-dropped", () => {
    if (wanted !== ARRIVING) return;
    wanted = "";
    // Where a proposal of another kind came of it, that clears what arrived once there is something to see of it.
    if (asked !== kind && coming) return;
    const back = incoming ? before : coming;
    if (incoming) clear();
    if (asked === kind) back?.();
  });
  return {
    onProgress: take,
    render: (payload) => {
      if (!isShown(payload)) review(payload);
    },
    focus: () => {
      uncover();
      focus(shown && isShown({ id: wanted }) ? shown : null);
    },
    renderOptions,
  };
}

/** On a phone the chat lies over the page: it steps aside so that a proposal can be seen. */
export function uncover() {
  const tray = document.getElementById("tray");
  if (tray?.matches(":popover-open")) tray.hidePopover();
}
