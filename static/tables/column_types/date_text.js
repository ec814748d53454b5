// Parses dates as users write them, in the user's language and in English.

const DAY = 24 * 60 * 60 * 1000;
const SEPARATORS = /[\s,./\-–]+/;

/**
 * @typedef {object} DateWords  of a locale, followed by those of English
 * @property {string[]} order  "day", "month" and "year" as the locale writes them
 * @property {[string, number][]} months  names, lower case, with their number from 1
 * @property {Map<string, number>} days  "today" and its neighbours, with the number of days from today
 * @property {[string, Unit][]} units  names of units, lower case
 * @property {[string, number][]} weekdays  names, lower case, with their number from 0 for Sunday
 * @property {Set<string>} beforeWeekdays  words before a weekday that refer to its next occurrence
 * @property {{before: string, after: string, unit: Unit, sign: 1 | -1}[]} distances  the words around the number in "in 3 days"
 * @property {Set<string>} fillers  words between the parts of a date, as in "24 de diciembre"
 */
/** @typedef {"day" | "week" | "month" | "year"} Unit */

/** @type {Unit[]} */
const UNITS = ["day", "week", "month", "year"];

/** Words that refer to the next occurrence of a weekday, which Intl does not provide. @type {Record<string, string[]>} */
const NEXT_WORDS = {
  en: ["next", "coming", "on"],
  de: ["nächster", "nächsten", "kommender", "kommenden", "am"],
};

/** @type {Map<string | undefined, DateWords>} */
const cache = new Map();

/** @param {string | undefined} locale @returns {DateWords} */
function wordsOf(locale) {
  let words = cache.get(locale);
  if (!words) {
    words = buildWords(locale);
    cache.set(locale, words);
  }
  return words;
}

/** @param {string} text @returns {string} lower case, without the dot of an abbreviation */
const folded = (text) => text.toLowerCase().replace(/\.$/, "");

/** @param {string | undefined} locale @returns {DateWords} */
function buildWords(locale) {
  const calendar = { calendar: "gregory", numberingSystem: "latn", timeZone: "UTC" };
  const sample = new Date(Date.UTC(2026, 11, 24));
  const order = new Intl.DateTimeFormat(locale, { ...calendar, day: "numeric", month: "numeric", year: "numeric" })
    .formatToParts(sample).map((part) => part.type).filter((type) => ["day", "month", "year"].includes(type));
  const words = /** @type {DateWords} */ ({
    order, months: [], days: new Map(), units: [], weekdays: [], beforeWeekdays: new Set(), distances: [], fillers: new Set(["of"]),
  });
  for (const language of [locale, "en"]) {
    for (const style of [{ month: "long" }, { month: "short" }, { month: "long", day: "numeric" }, { month: "short", day: "numeric" }]) {
      const format = new Intl.DateTimeFormat(language, /** @type {Intl.DateTimeFormatOptions} */ ({ ...calendar, ...style }));
      for (let month = 1; month <= 12; month += 1) {
        const name = format.formatToParts(new Date(Date.UTC(2026, month - 1, 1))).find((part) => part.type === "month")?.value ?? "";
        words.months.push([folded(name), month]);
      }
    }
    for (const weekday of /** @type {const} */ (["long", "short"])) {
      const format = new Intl.DateTimeFormat(language, { ...calendar, weekday });
      for (let day = 0; day < 7; day += 1) words.weekdays.push([folded(format.format(utcDay(2026, 11, 1 + day))), day]);
    }
    const ownLanguage = new Intl.DateTimeFormat(language).resolvedOptions().locale.split("-")[0];
    for (const word of NEXT_WORDS[ownLanguage] ?? []) words.beforeWeekdays.add(word);
    words.distances.push(...distancesIn(language));
    const relative = new Intl.RelativeTimeFormat(language, { numeric: "auto" });
    for (const days of [0, 1, -1, 2, -2]) {
      const name = relative.format(days, "day").toLowerCase();
      if (!words.days.has(name)) words.days.set(name, days);
    }
    for (const unit of UNITS) {
      const names = new Intl.NumberFormat(language, { style: "unit", unit, unitDisplay: "long" });
      for (const count of [1, 7]) {
        const name = names.formatToParts(count).find((part) => part.type === "unit")?.value ?? "";
        words.units.push([folded(name), unit]);
      }
    }
    for (const part of new Intl.DateTimeFormat(language, { ...calendar, dateStyle: "long" }).formatToParts(sample)) {
      if (part.type === "literal") for (const word of part.value.match(/\p{L}+/gu) ?? []) words.fillers.add(word.toLowerCase());
    }
  }
  return words;
}

/** @param {string | undefined} language @returns {DateWords["distances"]} */
function distancesIn(language) {
  const format = new Intl.RelativeTimeFormat(language, { numeric: "always" });
  return UNITS.flatMap((unit) => [1, 2, 7, -1, -2, -7].flatMap((count) => {
    const parts = format.formatToParts(count, unit);
    const at = parts.findIndex((part) => part.type === "integer");
    const wordsOfParts = (/** @type {typeof parts} */ some) => some.map((part) => part.value).join("").trim().toLowerCase();
    const [before, after] = [wordsOfParts(parts.slice(0, at)), wordsOfParts(parts.slice(at + 1))];
    return at < 0 ? [] : [{ before, after, unit, sign: /** @type {1 | -1} */ (Math.sign(count)) }];
  }));
}

/**
 * @param {string} text  as typed: "2026-12-24", "24.12.", "12/24/2026", "Thu, Dec 24", "today", "friday", "in 3 days", "+7d"
 * @param {{today: Date, locale?: string}} how  `locale` defines the order of day and month; default: the browser's
 * @returns {string | null} YYYY-MM-DD; null if the text cannot be parsed
 */
export function readDate(text, { today, locale }) {
  const words = wordsOf(locale);
  const written = text.replace(/[\u200e\u200f]/g, "").trim().toLowerCase();
  const days = words.days.get(written);
  if (days !== undefined) return addUnits(today, days, "day");
  const offset = /^([+\-−])\s*(\d{1,4})\s*(\p{L}*)$/u.exec(written);
  if (offset) {
    const unit = unitOf(offset[3], words);
    return unit && addUnits(today, Number(offset[2]) * (offset[1] === "+" ? 1 : -1), unit);
  }
  const distance = /^(\D*)(\d{1,4})(\D*)$/.exec(written);
  const found = distance && words.distances.find(({ before, after }) => before === distance[1].trim() && after === distance[3].trim());
  if (found) return addUnits(today, Number(distance[2]) * found.sign, found.unit);
  const compact = /^(\d{4})(\d{2})(\d{2})$/.exec(written);
  if (compact) return isoDay(Number(compact[1]), Number(compact[2]), Number(compact[3]));
  return readParts(written, words, today);
}

/**
 * @param {string[]} tokens  possibly with a word such as "next" before the weekday
 * @param {DateWords} words @param {Date} today @returns {string | null} the next date with that weekday, never today
 */
function nextWeekday(tokens, words, today) {
  const [name, ...more] = words.beforeWeekdays.has(tokens[0]) ? tokens.slice(1) : tokens;
  const weekday = more.length || !name ? null : numberNamed(name, words.weekdays);
  return weekday === null ? null : addUnits(today, ((weekday - today.getDay() + 6) % 7) + 1, "day");
}

/** @param {string} iso @param {string} [locale] @returns {string} the date in full with its weekday */
export function fullDate(iso, locale) {
  const [year, month, day] = iso.split("-").map(Number);
  const format = new Intl.DateTimeFormat(locale, { weekday: "long", day: "numeric", month: "long", year: "numeric", timeZone: "UTC" });
  return format.format(utcDay(year, month, day));
}

/** @param {string} written @param {DateWords} words @param {Date} today @returns {string | null} */
function readParts(written, words, today) {
  const spaced = written.replace(/(\d)(?:st|nd|rd|th)\b/g, "$1").replace(/(\d)(?=\p{L})|(\p{L})(?=\d)/gu, "$& ");
  const tokens = spaced.split(SEPARATORS).filter((token) => token && !words.fillers.has(token));
  return nextWeekday(tokens, words, today) ?? readTokens(tokens, written, words, today) ?? withWeekday(tokens, written, words, today);
}

/**
 * @param {string[]} tokens
 * @param {string} written @param {DateWords} words @param {Date} today @returns {string | null} a date with a weekday before or
 *   after it; null if they do not match
 */
function withWeekday(tokens, written, words, today) {
  for (const [name, rest] of [[tokens[0], tokens.slice(1)], [tokens.at(-1), tokens.slice(0, -1)]]) {
    const weekday = name ? numberNamed(/** @type {string} */ (name), words.weekdays) : null;
    const day = weekday === null ? null : readTokens(/** @type {string[]} */ (rest), written, words, today);
    if (day && new Date(day).getUTCDay() === weekday) return day;
  }
  return null;
}

/** @param {string[]} tokens @param {string} written  the whole text @param {DateWords} words @param {Date} today @returns {string | null} */
function readTokens(tokens, written, words, today) {
  const numbers = tokens.filter((token) => /^\d{1,4}$/.test(token));
  const names = tokens.filter((token) => !/^\d/.test(token));
  if (numbers.length + names.length !== tokens.length || tokens.length > 3) return null;
  if (names.length === 1) return withMonth(numberNamed(names[0], words.months), numbers, today);
  if (names.length || numbers.length < 2) return null;
  // In "24.12." with two dots the day is always first.
  const order = /(^|\s)\d{1,2}\.\s*\d{1,2}\.$/.test(written) ? ["day", "month", "year"] : words.order;
  return withNumbers(numbers, order, today);
}

/** @param {number | null} month @param {string[]} numbers  the day, and possibly a year @param {Date} today */
function withMonth(month, numbers, today) {
  if (!month || !numbers.length || numbers.length > 2) return null;
  const [day, year] = numbers[0].length === 4 ? [numbers[1], numbers[0]] : numbers;
  return dayOf({ year, month: String(month), day }, today);
}

/** @param {string[]} numbers  two, or three with a year @param {string[]} order @param {Date} today @returns {string | null} */
function withNumbers(numbers, order, today) {
  if (numbers[0].length === 4) {
    const [year, month, day] = numbers;
    return dayOf({ year, month, day }, today);
  }
  const withoutYear = order.filter((part) => part !== "year");
  let parts = withoutYear;
  if (numbers.length === 3) parts = numbers[2].length === 4 ? [...withoutYear, "year"] : order;
  const swapped = parts.map((part) => ({ day: "month", month: "day" })[part] ?? part);
  for (const named of [parts, swapped]) {
    const found = dayOf(Object.fromEntries(named.map((part, index) => [part, numbers[index]])), today);
    if (found) return found;
  }
  return null;
}

/**
 * @param {{year?: string, month?: string, day?: string}} parts  the current year by default @param {Date} today
 * @returns {string | null} null if the date does not exist
 */
function dayOf({ year, month, day }, today) {
  if (!day || !month || day.length > 2 || month.length > 2) return null;
  const fullYearNumber = year === undefined ? today.getFullYear() : fullYear(year, today);
  return fullYearNumber === null ? null : isoDay(fullYearNumber, Number(month), Number(day));
}

/** @param {string} year @param {Date} today @returns {number | null} two digits: the year is at most 20 years in the future */
function fullYear(year, today) {
  if (year.length === 4) return Number(year);
  if (year.length !== 2) return null;
  const latest = today.getFullYear() + 20;
  return latest - ((((latest - Number(year)) % 100) + 100) % 100);
}

/**
 * @param {string} name
 * @param {[string, number][]} names @returns {number | null} the number of the month or weekday with that name or unique prefix
 */
function numberNamed(name, names) {
  const exact = names.find(([one]) => one === name);
  if (exact) return exact[1];
  const started = new Set(name.length < 3 ? [] : names.filter(([one]) => one.startsWith(name)).map(([, number]) => number));
  return started.size === 1 ? [...started][0] : null;
}

/** @param {string} name  "", "d", "day" or "days" @param {DateWords} words @returns {Unit | null} */
function unitOf(name, { units }) {
  return name ? units.find(([one]) => one.startsWith(name))?.[1] ?? null : "day";
}

/** @param {Date} today @param {number} count @param {Unit} unit @returns {string | null} */
function addUnits(today, count, unit) {
  const [year, month, day] = [today.getFullYear(), today.getMonth() + 1, today.getDate()];
  if (unit === "day" || unit === "week") {
    const then = new Date(utcDay(year, month, day).getTime() + count * (unit === "week" ? 7 : 1) * DAY);
    return isoDay(then.getUTCFullYear(), then.getUTCMonth() + 1, then.getUTCDate());
  }
  const months = year * 12 + month - 1 + count * (unit === "year" ? 12 : 1);
  const [thenYear, thenMonth] = [Math.floor(months / 12), (((months % 12) + 12) % 12) + 1];
  const lastDay = utcDay(thenYear, thenMonth + 1, 0).getUTCDate();
  return isoDay(thenYear, thenMonth, Math.min(day, lastDay));
}

/** @param {number} year @param {number} month @param {number} day @returns {Date} also for years before 100 */
function utcDay(year, month, day) {
  const date = new Date(0);
  date.setUTCFullYear(year, month - 1, day);
  return date;
}

/** @param {number} year @param {number} month @param {number} day @returns {string | null} null if the date does not exist */
function isoDay(year, month, day) {
  const date = utcDay(year, month, day);
  const exists = year >= 1 && year <= 9999 && date.getUTCMonth() === month - 1 && date.getUTCDate() === day;
  return exists ? date.toISOString().slice(0, 10) : null;
}
