// The payload handler of proposals, in two stages: while one is streamed, and its review until it is answered or replaced. The
// modules for each stage are loaded on demand. Independent of what is proposed and where it is shown.

import { lazy } from "../element.js";
import { t } from "../locale.js";

const ARRIVING = "arriving";

/**
 * @typedef {object} ProposalKind  of proposal
 * @property {(to: ProposalKind) => (() => void) | null} remove  removes its proposal from the page; returns a function that restores it
 * @property {() => boolean} isShowing  whether it is showing something
 * @property {() => void} disable  disables the shown proposal until it is removed
 */

/** Only one kind is shown at a time; the latest requested one may still be loading. @type {ProposalKind | null} */
let shownKind = null;
/** @type {ProposalKind | null} */
let requestedKind = null;
/** Shows the latest requested proposal while it is not shown yet. @type {(() => void) | null} */
let showRequested = null;

/**
 * @typedef {object} Incoming  shows a proposal that is being streamed
 * @property {(event: any) => void} update
 * @property {() => void} end
 *
 * @typedef {object} Review  shows a complete proposal until it is answered
 * @property {Proposal} proposal
 * @property {() => void} end  without an answer
 *
 * @typedef {object} Stages
 * @property {() => Promise<() => Incoming>} incoming  loads the first stage
 * @property {() => Promise<{Proposal: new (payload: Payload) => Proposal, show: (proposal: Proposal, ended: () => void) => Review}>} review
 *   loads the second stage, which calls `ended`
 * @property {(review: Review | null) => void} focus
 * @property {{headerTitle: string, headerIcon: string}} renderOptions
 */

/** @param {Stages} stages @returns {PayloadHandler} */
export function stagedHandler({ incoming: fetchIncoming, review: fetchReview, focus, renderOptions }) {
  /** @type {Review | null} */
  let shown = null;
  /** @type {Incoming | null} */
  let incoming = null;
  /** @type {any[]} events of a streamed proposal, in order, until its module is loaded */
  const waiting = [];
  /** Restores the proposal that was replaced by a streamed one. @type {(() => void) | null} */
  let restore = null;
  /** What to show when its module is loaded: a payload id, or ARRIVING. */
  let wanted = "";
  /** Id of the proposal that is being read while another one is still shown. */
  let readingId = "";

  const isShown = (/** @type {Payload} */ { id }) => shown?.proposal.id === id && !shown.proposal.over;
  const removeShown = () => {
    incoming?.end();
    incoming = null;
    const previous = shown;
    previous?.end();
    previous?.proposal.close();
    shown = null;
  };
  /** @type {ProposalKind} */
  const kind = {
    remove: (to) => {
      const payload = shown?.proposal.payload;
      const restoreThis = incoming ? restore : payload ? () => review(payload) : null;
      if (to !== kind) wanted = "";
      removeShown();
      return restoreThis;
    },
    isShowing: () => Boolean(incoming || shown),
    disable: () => shown?.proposal.disable(),
  };
  const takeOver = () => {
    const restoreRemoved = shownKind?.remove(kind) ?? null;
    shownKind = kind;
    return restoreRemoved;
  };
  const review = async (payload) => {
    wanted = payload.id;
    requestedKind = kind;
    showRequested = () => review(payload);
    const isDue = () => wanted === payload.id && requestedKind === kind && !isShown(payload);
    const { Proposal, show } = await lazy(t("The proposal could not be loaded."), fetchReview);
    // Requested twice before its module was loaded.
    if (!isDue() || readingId === payload.id) return;
    const proposal = new Proposal(payload);
    const reading = proposal.refresh();
    if (shownKind?.isShowing()) {
      // Keep the current proposal until the new one can be shown.
      shownKind.disable();
      readingId = payload.id;
      await reading;
      if (readingId === payload.id) readingId = "";
      if (!isDue()) {
        proposal.close();
        return;
      }
    }
    showRequested = null;
    takeOver();
    let ended = false;
    /** @type {Review | null} */
    let current = null;
    current = show(proposal, () => {
      ended = true;
      if (shown === current) shown = null;
    });
    if (!ended) shown = current;
  };
  const take = async (event) => {
    if (wanted !== ARRIVING) waiting.length = 0;
    wanted = ARRIVING;
    requestedKind = kind;
    waiting.push(event);
    const begin = await lazy(t("The proposal could not be loaded."), fetchIncoming);
    if (wanted !== ARRIVING) return;
    if (!incoming) {
      const restoreReplaced = takeOver();
      restore = showRequested ?? restoreReplaced;
      showRequested = null;
      incoming = begin();
    }
    for (const next of waiting.splice(0)) incoming.update(next);
  };

  document.addEventListener("payload-dropped", () => {
    if (wanted !== ARRIVING) return;
    wanted = "";
    // Another kind of proposal was the result; it clears the streamed one when it is shown.
    if (requestedKind !== kind && showRequested) return;
    const restoreThis = incoming ? restore : showRequested;
    if (incoming) removeShown();
    if (requestedKind === kind) restoreThis?.();
  });
  return {
    onProgress: take,
    render: (payload) => {
      if (!isShown(payload)) review(payload);
    },
    focus: () => {
      closeTraySheet();
      focus(shown && isShown({ id: wanted }) ? shown : null);
    },
    renderOptions,
  };
}

/** Close the chat where it covers the page, so that the proposal is visible. */
export function closeTraySheet() {
  const tray = document.getElementById("tray");
  if (tray?.matches(":popover-open")) tray.hidePopover();
}
