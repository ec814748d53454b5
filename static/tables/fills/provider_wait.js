// How long a fill waits for a provider that has no capacity. It goes on by itself.

import { t, timeText, tn } from "../../locale.js";

/** From this time on, the time of day is shown in place of the seconds. */
const LONG_S = 90;

/** @param {{wait?: {seconds: number} | null}} fill @param {number} now  ms @returns {number} ms, when the fill goes on; 0 if it does not wait */
export function waitEnd({ wait }, now) {
  return wait ? now + 1000 * wait.seconds : 0;
}

/** @param {number} end  ms, of `waitEnd` @param {number} now  ms @returns {string} "" if the wait is over */
export function waitText(end, now) {
  const seconds = Math.ceil((end - now) / 1000);
  if (seconds <= 0) return "";
  if (seconds < LONG_S) return tn("Waiting for the provider, continues in {count} second", "Waiting for the provider, continues in {count} seconds", seconds);
  return t("Waiting for the provider, continues at {time}", { time: timeText(new Date(end)) });
}
