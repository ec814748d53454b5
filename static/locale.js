// How this reader writes numbers and dates: as they said in their profile, else as the browser does.

/** @param {string | undefined} said @returns {string | undefined} a tag that can be used; undefined for the browser's own */
export function usableLocale(said) {
  try {
    return Intl.getCanonicalLocales(said || [])[0];
  } catch {
    return undefined;
  }
}

export const readerLocale = usableLocale(globalThis.document?.documentElement.dataset.locale);
