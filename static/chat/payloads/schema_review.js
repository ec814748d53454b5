// The review of a schema proposal, on the pages of tables and for a new table.

/**
 * Review a proposal in a view, which calls `ended`.
 * @param {Proposal} proposal
 * @param {{show: (proposal: Proposal, ended: () => void) => {draw: () => void, end: () => void},
 *   ended: () => void, answered: (answer: any) => void}} how
 */
export function startReview(proposal, { show, ended, answered }) {
  let closed = false;
  const changed = () => {
    if (closed) return;
    if (!proposal.over) {
      view.draw();
      return;
    }
    view.end();
    answered(proposal.answer);
  };
  const view = show(proposal, () => {
    closed = true;
    ended();
  });
  proposal.changed = changed;
  changed();
  return { proposal, end: () => view.end() };
}
