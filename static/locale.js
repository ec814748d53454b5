// How this reader writes numbers and dates: as they said in their profile, else as the browser does; and moments in words.

const DAY = 24 * 60 * 60 * 1000;

/** @param {string | undefined} said @returns {string | undefined} a tag that can be used; undefined for the browser's own */
export function usableLocale(said) {
  try {
    return Intl.getCanonicalLocales(said || [])[0];
  } catch {
    return undefined;
  }
}

export const readerLocale = usableLocale(globalThis.document?.documentElement.dataset.locale);

/** @param {Date} moment @param {string} [locale] @returns {string} day and time */
export function momentText(moment, locale = readerLocale) {
  return new Intl.DateTimeFormat(locale, { dateStyle: "medium", timeStyle: "short" }).format(moment);
}

/**
 * @param {Date} moment @param {Date} now @param {string} [locale]
 * @returns {string} "5 minutes ago", "yesterday", and a plain day after a week
 */
export function agoText(moment, now, locale = readerLocale) {
  const words = new Intl.RelativeTimeFormat(locale, { numeric: "auto" });
  const minutes = Math.round((moment.getTime() - now.getTime()) / 60000);
  if (minutes > -1) return words.format(0, "second");
  if (minutes > -60) return words.format(minutes, "minute");
  const days = Math.round((startOfDay(moment) - startOfDay(now)) / DAY);
  if (days === 0) return words.format(Math.round(minutes / 60), "hour");
  if (days > -7) return words.format(days, "day");
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
