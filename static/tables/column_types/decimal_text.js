// The decimal separator of pasted numbers, from all of them: 12,5 decides, 1.200 alone does not.

const MARKS = String.raw`[-+\u2212\p{Sc}%\s]*`;
/**
 * @param {string} groupSign  one and the same in a number @param {string} decimal  as in a regular expression
 * @returns {RegExp} numbers with this decimal separator
 */
const numbers = (groupSign, decimal) => new RegExp(`^${MARKS}(?:(?:0|[1-9]\\d*|[1-9]\\d{0,2}(${groupSign})\\d{3}(?:\\1\\d{3})*)(?:${decimal}\\d+)?)${MARKS}$`, "u");
const WITH_POINT = numbers("[,\\s'\u2019]", "\\.");
const WITH_COMMA = numbers("[.\\s]", ",");

/** @param {string} text @returns {"." | "," | ""} the separator that a number must have; "" where it could have either, and for other texts */
export function separatorOf(text) {
  if (!/[.,]/.test(text)) return "";
  const [point, comma] = [WITH_POINT.test(text), WITH_COMMA.test(text)];
  return point === comma ? "" : point ? "." : ",";
}

/** @param {string[]} texts @returns {"." | "," | ""} the separator that they show; "" where they show none, or both */
function shownBy(texts) {
  const found = new Set(texts.map(separatorOf).filter(Boolean));
  return found.size === 1 ? [...found][0] : "";
}

/**
 * @template C
 * @param {Map<C, string[]>} columns  texts of the numbers of each column of what is pasted
 * @returns {Map<C, "." | "," | "">} the decimal separator of each column: that of its own numbers, else of all; "": the reader's
 */
export function separatorsOf(columns) {
  const found = new Map([...columns].map(([column, texts]) => [column, shownBy(texts)]));
  const shown = new Set([...found.values()].filter(Boolean));
  const other = shown.size === 1 ? [...shown][0] : "";
  // A column whose numbers contradict each other is not decided by the others either.
  return new Map([...columns].map(([column, texts]) => [column, found.get(column) || (texts.some(separatorOf) ? "" : other)]));
}
