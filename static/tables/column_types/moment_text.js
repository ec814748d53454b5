// Parses dates with a time as users write them, in the user's time zone.

import { readerLocale } from "../../locale.js";
import { readDate } from "./date_text.js";
import { isoText, localTime, ownZone, storedMoment } from "./local_time.js";

const ZONED = /^(\d{4}-\d\d-\d\d)[t ]([01]\d|2[0-3]):([0-5]\d)(?::[0-5]\d(?:[.,]\d{1,9})?)? ?(z|[+\-−]\d\d:?\d\d)$/i;
// A time of day at the end: 15:30, 3:30 pm, 3pm, 15 Uhr, 15.30 Uhr; seconds are dropped.
const CLOCK = /^(.*?)(?:^|[\s,]+(?:at\s+|um\s+|@\s*)?|(?<=\d{4}-\d\d-\d\d)t)(\d{1,2})(?:([:.])(\d\d))?(?::\d\d(?:[.,]\d{1,9})?)?\s*([ap]\.?m\.?|uhr|h)?$/i;

/** @param {string} text @returns {{day: string, minutes: number} | null} the text before the time, and the minutes from midnight */
function splitTime(text) {
  const found = CLOCK.exec(text);
  if (!found) return null;
  const [, day, hours, separator, minutes = "0", unit = ""] = found;
  const half = /^[ap]/i.exec(unit)?.[0].toLowerCase();
  // Without a unit, 24 and 24.12 are parts of a date.
  if (!unit && separator !== ":") return null;
  if (half ? Number(hours) < 1 || Number(hours) > 12 : Number(hours) > 23) return null;
  if (Number(minutes) > 59) return null;
  return { day, minutes: (half ? (Number(hours) % 12) + (half === "p" ? 12 : 0) : Number(hours)) * 60 + Number(minutes) };
}

/**
 * @param {string} text  "2026-12-24 15:30", "24.12. 15 Uhr", "Dec 24, 3:30 pm", "tomorrow 9:00", "15:30", "2026-12-24T15:30Z"; a day alone is its midnight
 * @param {{now?: number, locale?: string, zone?: string}} how  `zone`: of the user
 * @returns {{moment: string, isDay: boolean} | null} null if the text cannot be parsed
 */
export function readMoment(text, { now = Date.now(), locale = readerLocale, zone = ownZone }) {
  const written = text.replace(/[\u200e\u200f]/g, "").replace(/[\u202f\u00a0]/g, " ").trim();
  if (written.length > 100) return null;
  const zoned = ZONED.exec(written);
  if (zoned) {
    const [, day, hour, minute, offset] = zoned;
    const exists = readDate(day, { today: new Date(now), locale: "en" }) === day;
    const [, sign, hours, minutes] = /^([+-])(\d\d):?(\d\d)$/.exec(offset.replace("−", "-")) ?? [];
    const shift = sign ? Number(`${sign}1`) * (Number(hours) * 60 + Number(minutes)) : 0;
    if (!exists || Number(hours) > 23 || Number(minutes) > 59) return null;
    const moment = storedMoment(Date.parse(`${day}T${hour}:${minute}Z`) - shift * 60_000, "UTC");
    return moment ? { moment, isDay: false } : null;
  }
  const today = new Date(localTime(now, zone));
  const how = { today: new Date(today.getUTCFullYear(), today.getUTCMonth(), today.getUTCDate()), locale };
  const timed = splitTime(written);
  const day = timed && !timed.day.trim() ? today.toISOString().slice(0, 10) : readDate(timed ? timed.day.replace(/,\s*$/, "") : written, how);
  if (!day) return null;
  const moment = storedMoment(Date.parse(`${day}T00:00Z`) + (timed?.minutes ?? 0) * 60_000, zone);
  return moment ? { moment, isDay: !timed } : null;
}

/** @param {string} text @param {{now?: number, locale?: string, zone?: string}} how @returns {string | null} YYYY-MM-DD for all of a day, else a moment */
export function readOperand(text, how) {
  const found = readMoment(text, how);
  return found && (found.isDay ? new Date(localTime(Date.parse(found.moment), how.zone)).toISOString().slice(0, 10) : found.moment);
}

/** @param {string} moment @param {string} [locale] @param {string} [zone] @returns {string} in full with its weekday and time zone */
export function fullMoment(moment, locale = readerLocale, zone = ownZone) {
  const parts = /** @type {const} */ ({ weekday: "long", day: "numeric", month: "long", year: "numeric", hour: "numeric", minute: "2-digit", timeZoneName: "short" });
  return new Intl.DateTimeFormat(locale, { ...parts, timeZone: zone }).format(Date.parse(moment));
}

/** @param {string} text @param {{now?: number, locale?: string}} how @returns {string} the moment of a typed text in full; "" if it cannot be parsed */
export function hint(text, how) {
  const found = readMoment(text, how);
  return found ? fullMoment(found.moment, how.locale) : "";
}

/** @param {any} value @returns {string} local time; the later of two equal ones has its offset */
export function editText(value) {
  const time = /T/.test(value) ? Date.parse(value) : NaN;
  if (Number.isNaN(time)) return String(value);
  const local = localTime(time);
  const text = isoText(local).replace("T", " ");
  if (!text || storedMoment(local) === value) return text || value;
  const minutes = Math.round((local - time) / 60_000);
  const clock = [Math.floor(Math.abs(minutes) / 60), Math.abs(minutes) % 60].map((part) => String(part).padStart(2, "0")).join(":");
  return `${text}${minutes < 0 ? "-" : "+"}${clock}`;
}

/** @param {any} value @param {string | undefined} format @returns {any} the value after a change of the column's format: midnight, or the day */
export function reformatted(value, format) {
  const isMoment = /T/.test(value);
  if (format === "datetime") return isMoment ? value : storedMoment(Date.parse(`${value}T00:00Z`)) || value;
  return isMoment ? isoText(localTime(Date.parse(value))).slice(0, 10) || value : value;
}
