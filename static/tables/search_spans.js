// Where the words of a search stand in a text; tables/views/grid/cells.py finds the same. Pure.

/** @param {string} text @returns {string} without regard to case, as the server's `casefold` makes it */
function fold(text) {
  return text.toLowerCase().replaceAll("ß", "ss").replaceAll("ς", "σ");
}

/** @param {string} text @returns {{folded: string, places: number[]}} without regard to case, and where each part of it was */
function folding(text) {
  let folded = "";
  const places = [];
  let at = 0;
  for (const letter of text) {
    const part = fold(letter);
    folded += part;
    for (let unit = 0; unit < part.length; unit += 1) places.push(at);
    at += letter.length;
  }
  places.push(at);
  return { folded, places };
}

/** @param {string} search @returns {string[]} each word once, without regard to case */
export function wordsOf(search) {
  return [...new Set(fold(search).split(/\s+/).filter(Boolean))];
}

/** @param {any[]} values  of a row @param {string[]} words  as `wordsOf` gives them @returns {boolean} whether each word is in one of them; the search leaves booleans out */
export function holdsAll(values, words) {
  const texts = values.map((value) => (typeof value === "boolean" ? "" : fold(String(value ?? ""))));
  return words.every((word) => texts.some((text) => text.includes(word)));
}

/**
 * @param {string} shown @param {string} stored  what the search looks through: a date is found as 2026-03-15, however it is
 *   shown; then the whole is marked
 * @param {string[]} words  as `wordsOf` gives them
 * @returns {[number, number][]} from where to where, in their order, none in another
 */
export function spansOf(shown, stored, words) {
  const through = fold(stored);
  const { folded, places } = folding(shown);
  const found = [];
  for (const word of words) {
    if (!through.includes(word)) continue;
    let start = folded.indexOf(word);
    if (start < 0) return shown ? [[0, shown.length]] : [];
    for (; start >= 0; start = folded.indexOf(word, start + word.length)) {
      const last = start + word.length - 1;
      const end = places.slice(last + 1).find((place) => place > places[last]) ?? shown.length;
      found.push([places[start], end]);
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
