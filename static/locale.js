// The words of this page's language, and how this reader writes numbers and dates: as they said in their profile, else as
// the browser does; and moments in words.

const DAY = 24 * 60 * 60 * 1000;

/** @param {string | undefined} said @returns {string | undefined} a tag that can be used; undefined for the browser's own */
export function usableLocale(said) {
  try {
    return Intl.getCanonicalLocales(said || [])[0];
  } catch {
    return undefined;
  }
}

/** @param {string} tag @returns {string} its language: "de" of "de-AT" */
function languageOf(tag) {
  return tag.split("-")[0].toLowerCase();
}

/**
 * @param {{said?: string, page: string, browser: string, translated: boolean}} one  what the profile says, the language of the
 *   page, that of the browser, and whether the page was translated into its language
 * @returns {string | undefined} how numbers and dates are written; undefined: as the browser does
 */
export function localeOf({ said, page, browser, translated }) {
  const wanted = usableLocale(said);
  if (wanted) return wanted;
  // Who reads German in an English browser has said so somewhere; English is also what those get whose language is not there.
  return translated && languageOf(page) !== languageOf(browser) ? usableLocale(page) : undefined;
}

const page = globalThis.document?.documentElement;
/** The texts in the page's language; in English there is nothing to load. @type {Words | undefined} */
const words = globalThis.tableChatWords;
/** The language of all words: without a catalogue, English. */
const pageLanguage = (words && usableLocale(page?.lang)) ?? "en";

export const readerLocale = localeOf({
  said: page?.dataset.locale, page: pageLanguage, browser: globalThis.navigator?.language ?? "en", translated: Boolean(words),
});

const PLACE = /\{(\w+)\}/g;
/** @typedef {Record<string, string | number>} Values  numbers are written as the reader writes them */
/**
 * @typedef {Record<string, string | Record<string, string>>} Words  from English texts to the page's language; what depends on
 *   a number from "one\u0000many" to one text for each plural category of the language
 */

/** @param {string} text @param {Values} values @returns {string} what is put in is never looked through again */
function filled(text, values) {
  return text.replace(PLACE, (place, name) => {
    if (!Object.hasOwn(values, name)) return place;
    const value = values[name];
    return typeof value === "number" ? value.toLocaleString(readerLocale) : value;
  });
}

/** @param {string | undefined} text @param {Values} values */
function isWhole(text, values) {
  return typeof text === "string" && [...text.matchAll(PLACE)].every(([, name]) => Object.hasOwn(values, name));
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
      const said = /** @type {string | undefined} */ (known(text));
      return filled(isWhole(said, values) ? /** @type {string} */ (said) : text, values);
    },
    /**
     * @param {string} one  in English: "{count} row" @param {string} many  "{count} rows"
     * @param {number} count  is put in for `{count}` @param {Values} [values]
     * @returns {string} in the page's language, else the English
     */
    tn(one, many, count, values = {}) {
      const all = { count, ...values };
      const forms = /** @type {Record<string, string> | undefined} */ (known(`${one}\u0000${many}`));
      const said = forms && (forms[rules.select(count)] ?? forms.other);
      return filled(isWhole(said, all) ? said : count === 1 ? one : many, all);
    },
  };
}

/** Every text that somebody sees or hears goes through these two; their first arguments are literals, since they are collected. */
export const { t, tn } = wordsFrom(words ?? {}, pageLanguage);

/** Stands in a text of `t` for an element: `around(t("Add {column}", { column: HOLE }), node)`. */
export const HOLE = "\uFFFC";

/** @template T @param {string} text  with a hole @param {T} node @returns {(string | T)[]} the node, and the words before and after it */
export function around(text, node) {
  const [before, ...after] = text.split(HOLE);
  return [before, node, after.join(HOLE)].filter((part) => part !== "");
}

/** @param {string} [locale] @returns {string} for words that come with a moment: the page's language, however dates are written */
function spokenIn(locale) {
  const own = locale ?? globalThis.navigator?.language ?? pageLanguage;
  return languageOf(own) === languageOf(pageLanguage) ? own : pageLanguage;
}

/** @param {Date} moment @param {string} [locale] @returns {string} day and time */
export function momentText(moment, locale = readerLocale) {
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }).format(moment);
}

/** @param {Date} moment @param {string} [locale] @returns {string} "2:05 PM", "14:05" */
export function timeText(moment, locale = readerLocale) {
  return new Intl.DateTimeFormat(locale, { timeStyle: "short" }).format(moment);
}

/**
 * @param {Date} moment @param {Date} now @param {string} [locale]
 * @returns {string} "5 minutes ago", "yesterday", and a plain day after a week
 */
export function agoText(moment, now, locale = readerLocale) {
  const spoken = new Intl.RelativeTimeFormat(spokenIn(locale), { numeric: "auto" });
  const minutes = Math.round((moment.getTime() - now.getTime()) / 60000);
  if (minutes > -1) return spoken.format(0, "second");
  if (minutes > -60) return spoken.format(minutes, "minute");
  const days = Math.round((startOfDay(moment) - startOfDay(now)) / DAY);
  if (days === 0) return spoken.format(Math.round(minutes / 60), "hour");
  if (days > -7) return spoken.format(days, "day");
  return dayText(moment, locale);
}

/** @param {Date} moment @param {string} [locale] @returns {string} */
export function dayText(moment, locale = readerLocale) {
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium" }).format(moment);
}

/** @param {Date} moment */
function startOfDay(moment) {
  return new Date(moment.getFullYear(), moment.getMonth(), moment.getDate()).getTime();
}
