// Translated texts, and numbers, dates and relative times in the user's locale, which the server has chosen.

const DAY = 24 * 60 * 60 * 1000;

/** @param {string | undefined} tag @returns {string | undefined} a valid locale tag; undefined if it is not valid */
export function validLocale(tag) {
  try {
    return Intl.getCanonicalLocales(tag || [])[0];
  } catch {
    return undefined;
  }
}

/** @param {string} tag @returns {string} its language: "de" of "de-AT" */
function languageOf(tag) {
  return tag.split("-")[0].toLowerCase();
}

/** @param {string} tag @returns {string} the locale with the calendar and the digits that all locales have on the server */
export function formatLocale(tag) {
  return `${tag}-u-ca-gregory-nu-latn`;
}

const page = globalThis.document?.documentElement;
/** The texts in the page's language; English needs none. @type {Words | undefined} */
const words = globalThis.tableChatWords;
/** The language of all texts: English without a catalogue. */
const pageLanguage = (words && validLocale(page?.lang)) ?? "en";

/** The locale of numbers and dates, in which the server has rendered those of the page. */
export const readerLocale = formatLocale(validLocale(page?.dataset.locale) ?? pageLanguage);

/** @param {string} [zone]  of the user's profile @returns {string} UTC for none, and for one that the browser does not know */
export function readerZone(zone = page?.dataset.zone) {
  try {
    return new Intl.DateTimeFormat("en", { timeZone: zone || "UTC" }).resolvedOptions().timeZone;
  } catch {
    return "UTC";
  }
}

/**
 * @template T
 * @param {(locale: string | undefined) => T} build  an expensive constructor
 * @returns {(locale: string | undefined) => T} cached by locale
 */
export function cachedByLocale(build) {
  /** @type {Map<string | undefined, T>} */
  const cache = new Map();
  return (locale) => {
    if (!cache.has(locale)) cache.set(locale, build(locale));
    return /** @type {T} */ (cache.get(locale));
  };
}

const PLACEHOLDER = /\{(\w+)\}/g;
/** @typedef {Record<string, string | number>} Values  numbers are formatted with the user's locale */
/**
 * @typedef {Record<string, string | Record<string, string>>} Words  English texts to translations; plurals: "one\u0000many" to
 *   a text for each plural category
 */

/**
 * @param {string} text @param {Values} values @returns {string} with the values; placeholders within values stay as they are
 */
function interpolate(text, values) {
  return text.replace(PLACEHOLDER, (placeholder, name) => {
    if (!Object.hasOwn(values, name)) return placeholder;
    const value = values[name];
    return typeof value === "number" ? value.toLocaleString(readerLocale) : value;
  });
}

/** @param {string | undefined} text @param {Values} values */
function hasAllValues(text, values) {
  return typeof text === "string" && [...text.matchAll(PLACEHOLDER)].every(([, name]) => Object.hasOwn(values, name));
}

/** @param {Words} catalogue @param {string} language */
export function wordsFrom(catalogue, language) {
  const rules = new Intl.PluralRules(language);
  const known = (/** @type {string} */ key) => (Object.hasOwn(catalogue, key) ? catalogue[key] : undefined);
  return {
    /**
     * @param {string} text  in English, as a whole: "Applied {done} of {all}" @param {Values} [values]
     * @returns {string} in the page's language, else the English
     */
    t(text, values = {}) {
      const translated = /** @type {string | undefined} */ (known(text));
      return interpolate(hasAllValues(translated, values) ? /** @type {string} */ (translated) : text, values);
    },
    /**
     * @param {string} one  in English: "{count} row" @param {string} many  "{count} rows"
     * @param {number} count  is put in for `{count}` @param {Values} [values]
     * @returns {string} in the page's language, else the English
     */
    tn(one, many, count, values = {}) {
      const all = { count, ...values };
      const forms = /** @type {Record<string, string> | undefined} */ (known(`${one}\u0000${many}`));
      const translated = forms && (forms[rules.select(count)] ?? forms.other);
      return interpolate(hasAllValues(translated, all) ? translated : count === 1 ? one : many, all);
    },
  };
}

/** Translate all texts for users; the arguments are literals, since they are extracted. */
export const { t, tn } = wordsFrom(words ?? {}, pageLanguage);

/** Marks the position of an element in a text of `t`: `withNode(t("Add {column}", { column: NODE_SLOT }), node)`. */
export const NODE_SLOT = "\uFFFC";

/**
 * @template T @param {string} text  with NODE_SLOT @param {T} node @returns {(string | T)[]} the node between the texts before
 *   and after it
 */
export function withNode(text, node) {
  const [before, ...after] = text.split(NODE_SLOT);
  return [before, node, after.join(NODE_SLOT)].filter((part) => part !== "");
}

/** @param {string} [locale] @returns {string} the locale for words in times: always in the page's language */
function wordLocale(locale = readerLocale) {
  return languageOf(locale) === languageOf(pageLanguage) ? locale : pageLanguage;
}

/** @param {Date} moment @param {string} [locale] @returns {string} day and time */
export function momentText(moment, locale = readerLocale) {
  return plainSpaces(new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }).format(moment));
}

/** @param {string} time @returns {string} a date or time without narrow spaces, which only some browsers have */
export function plainSpaces(time) {
  return time.replaceAll("\u202f", " ");
}

/** @param {Date} moment @param {string} [locale] @returns {string} "2:05 PM", "14:05" */
export function timeText(moment, locale = readerLocale) {
  return plainSpaces(new Intl.DateTimeFormat(locale, { timeStyle: "short" }).format(moment));
}

/**
 * @param {Date} moment @param {Date} now @param {string} [locale]
 * @returns {string} "5 minutes ago", "yesterday", and a plain day after a week
 */
export function agoText(moment, now, locale = readerLocale) {
  const relative = new Intl.RelativeTimeFormat(wordLocale(locale), { numeric: "auto" });
  const minutes = Math.round((moment.getTime() - now.getTime()) / 60000);
  if (minutes > -1) return relative.format(0, "second");
  if (minutes > -60) return relative.format(minutes, "minute");
  const days = Math.round((startOfDay(moment) - startOfDay(now)) / DAY);
  if (days === 0) return relative.format(Math.round(minutes / 60), "hour");
  if (days > -7) return relative.format(days, "day");
  return dayText(moment, locale);
}

/** @param {Date} moment @param {string} [locale] @returns {string} */
export function dayText(moment, locale = readerLocale) {
  return plainSpaces(new Intl.DateTimeFormat(locale, { dateStyle: "medium" }).format(moment));
}

/** @param {Date} moment */
function startOfDay(moment) {
  return new Date(moment.getFullYear(), moment.getMonth(), moment.getDate()).getTime();
}
