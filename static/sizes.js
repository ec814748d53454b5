// Sizes of files as text.

import { readerLocale } from "./locale.js";

const UNITS = /** @type {const} */ (["byte", "kilobyte", "megabyte", "gigabyte"]);

/** @param {number} bytes @returns {string} "1.2 MB", in units of 1,024 as in all limits */
export function sizeText(bytes) {
  const step = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log2(bytes) / 10));
  const format = new Intl.NumberFormat(readerLocale, { style: "unit", unit: UNITS[step], unitDisplay: step ? "short" : "long", maximumFractionDigits: step > 1 ? 1 : 0 });
  return format.format(bytes / 1024 ** step);
}
