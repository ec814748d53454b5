// Moments as local time of a time zone, and local time as moments.

import { cachedByLocale, readerZone } from "../../locale.js";

const clockFormat = cachedByLocale((zone) => new Intl.DateTimeFormat("en", { calendar: "gregory", hourCycle: "h23", year: "numeric", month: "numeric", day: "numeric", hour: "numeric", minute: "numeric", era: "narrow", timeZone: zone }));
/** The time zone of the user. */
export const ownZone = readerZone();
const DAY = 24 * 60 * 60_000;

/** @param {number} time @returns {string} YYYY-MM-DDTHH:MM; "" outside of the years 1 to 9999 */
export const isoText = (time) => (time >= -62_135_596_800_000 && time < 253_402_300_800_000 ? new Date(time).toISOString().slice(0, 16) : "");

/** @param {number} time @param {string} [zone] @returns {number} what clocks in the zone show then, as the same time in UTC */
export function localTime(time, zone = ownZone) {
  const { year, month, day, hour, minute, era } = Object.fromEntries(clockFormat(zone).formatToParts(time).map((part) => [part.type, part.value]));
  const local = new Date(0);
  local.setUTCFullYear(era === "B" ? 1 - Number(year) : Number(year), Number(month) - 1, Number(day));
  return local.setUTCHours(Number(hour), Number(minute));
}

/**
 * @param {number} local  as of `localTime` @param {string} [zone]
 * @returns {string} the stored moment: the earlier of two, later by the difference if clocks skip it; "" outside of the years 1 to 9999
 */
export function storedMoment(local, zone = ownZone) {
  const [before, after] = [local - DAY, local + DAY].map((near) => local - (localTime(near, zone) - near));
  const text = isoText(localTime(before, zone) !== local && localTime(after, zone) === local ? after : before);
  return text && `${text}Z`;
}
