// Finds the words of a search in a text; tables/views/grid/cells.py has the same rules. No DOM.

/** @param {string} text @returns {string} case-folded as by the server's `casefold` */
function fold(text) {
  return text.toLowerCase().replaceAll("ß", "ss").replaceAll("ς", "σ");
}

/** @param {string} text @returns {{folded: string, offsets: number[]}} the case-folded text, and the original offset of each character */
function folding(text) {
  let folded = "";
  const offsets = [];
  let at = 0;
  for (const character of text) {
    const part = fold(character);
    folded += part;
    for (let unit = 0; unit < part.length; unit += 1) offsets.push(at);
    at += character.length;
  }
  offsets.push(at);
  return { folded, offsets };
}

/** @param {string} search @returns {string[]} distinct case-folded words */
export function wordsOf(search) {
  return [...new Set(fold(search).split(/\s+/).filter(Boolean))];
}

/** @param {any} value  of a cell @returns {string} in which a search finds words: the names of files, one per line */
export const searchedText = (value) => [value ?? ""].flat().map((item) => item?.name ?? String(item)).join("\n");

/**
 * @param {any[]} values  searched ones of a row
 * @param {string[]} words  from `wordsOf` @returns {boolean} whether each word is in one of the values
 */
export function containsAll(values, words) {
  const texts = values.map((value) => fold(searchedText(value)));
  return words.every((word) => texts.some((text) => text.includes(word)));
}

/**
 * @param {string} shown @param {string} stored  the searched text: a date is searched as 2026-03-15; if a word is not in the
 *   displayed text, all of it is marked
 * @param {string[]} words  from `wordsOf`
 * @returns {[number, number][]} start and end offsets, sorted, without overlaps
 */
export function spansOf(shown, stored, words) {
  const searched = fold(stored);
  const { folded, offsets } = folding(shown);
  const found = [];
  for (const word of words) {
    if (!searched.includes(word)) continue;
    let start = folded.indexOf(word);
    if (start < 0) return shown ? [[0, shown.length]] : [];
    for (; start >= 0; start = folded.indexOf(word, start + word.length)) {
      const last = start + word.length - 1;
      const end = offsets.slice(last + 1).find((offset) => offset > offsets[last]) ?? shown.length;
      found.push([offsets[start], end]);
    }
  }
  found.sort(([one], [other]) => one - other);
  /** @type {[number, number][]} */
  const spans = [];
  for (const [start, end] of found) {
    const before = spans.at(-1);
    if (before && start <= before[1]) before[1] = Math.max(before[1], end);
    else spans.push([start, end]);
  }
  return spans;
}
