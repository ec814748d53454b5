// Finds the decimal separator of pasted numbers from all of them: 12,5 is unambiguous, 1.200 is not.

const MARKS = String.raw`[-+\u2212\p{Sc}%\s]*`;
/**
 * @param {string} groupSign  must be the same throughout a number @param {string} decimal  as in a regular expression
 * @returns {RegExp} numbers with this decimal separator
 */
const numbers = (groupSign, decimal) => new RegExp(`^${MARKS}(?:(?:0|[1-9]\\d*|[1-9]\\d{0,2}(${groupSign})\\d{3}(?:\\1\\d{3})*)(?:${decimal}\\d+)?)${MARKS}$`, "u");
const WITH_POINT = numbers("[,\\s'\u2019]", "\\.");
const WITH_COMMA = numbers("[.\\s]", ",");

/** @param {string} text @returns {"." | "," | ""} the only possible separator; "" if ambiguous, or for other texts */
export function separatorOf(text) {
  if (!/[.,]/.test(text)) return "";
  const [point, comma] = [WITH_POINT.test(text), WITH_COMMA.test(text)];
  return point === comma ? "" : point ? "." : ",";
}

/** @param {string[]} texts @returns {"." | "," | ""} their separator; "" if ambiguous or contradictory */
function commonSeparator(texts) {
  const found = new Set(texts.map(separatorOf).filter(Boolean));
  return found.size === 1 ? [...found][0] : "";
}

/**
 * @template C
 * @param {Map<C, string[]>} columns  pasted number texts by column
 * @returns {Map<C, "." | "," | "">} the decimal separator of each column: from its own numbers, else from all; "": the user's
 */
export function separatorsOf(columns) {
  const found = new Map([...columns].map(([column, texts]) => [column, commonSeparator(texts)]));
  const shown = new Set([...found.values()].filter(Boolean));
  const other = shown.size === 1 ? [...shown][0] : "";
  // Columns with contradictory numbers do not use the separator of the others.
  return new Map([...columns].map(([column, texts]) => [column, found.get(column) || (texts.some(separatorOf) ? "" : other)]));
}
