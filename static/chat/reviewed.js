// What the composer says while a proposal is looked over in the page.

/**
 * @typedef {object} Reviewed
 * @property {string} id  of the payload
 * @property {string} label @property {string} context  what the assistant sees
 *
 * @param {Reviewed | null} before @param {string} subject  what the page is about
 * @param {{payload_id: string, selected?: number, total?: number, over?: boolean}} told  with the event `proposal-review`
 * @returns {Reviewed | null}
 */
export function reviewed(before, subject, { payload_id: id, selected = 0, total = 0, over = false }) {
  // The end of one that gave way to another says nothing about that one.
  if (over) return before?.id === id ? null : before;
  return { id, label: `${selected} of ${total}`, context: `${subject}, ${total} proposed ${total === 1 ? "change" : "changes"}` };
}
