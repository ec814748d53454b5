// The number of results to review, by kind, between two counts of the server.

/** @typedef {Record<string, number>} Counts */

/**
 * @param {Counts} reviewed  results by kind, when the server counted them @param {Counts} then  results of the fill by state at that time
 * @param {Counts} now  the same, later
 * @returns {Counts} with what was found since, whose confidence is not known yet
 */
export function countsSince(reviewed, then, now) {
  const { open = 0, conflict = 0, invalid = 0, deleted = 0, applied = 0 } = reviewed;
  const found = open + (now.found ?? 0) - (then.found ?? 0);
  return { ...reviewed, open: Math.max(0, Math.min(found, (now.found ?? 0) - conflict - invalid - deleted - applied)), empty: now.empty ?? 0, failed: now.failed ?? 0 };
}
