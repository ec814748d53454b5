// The difference of two texts, word by word, in bounded time. No DOM.

const WORDS = /\s+|[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu;
// Pairs of words up to which the smallest difference is computed.
const MAX_PAIRS = 4_000_000;

/**
 * @typedef {{text: string, marked: boolean}} Piece  `marked`: not in the other text
 *
 * @param {string} before @param {string} after
 * @returns {{before: Piece[], after: Piece[]}} both texts in pieces
 */
export function wordDifference(before, after) {
  const [old, now] = [before, after].map((text) => text.match(WORDS) ?? []);
  const start = commonLength(old, now);
  const end = commonLength(old.slice(start).reverse(), now.slice(start).reverse());
  const middle = [old.slice(start, old.length - end), now.slice(start, now.length - end)];
  const common = middle[0].length * middle[1].length > MAX_PAIRS ? [[], []] : commonWords(middle[0], middle[1]);
  const [first, second] = [old, now].map((words, side) => {
    const shared = new Set(common[side].map((at) => at + start));
    return pieces(words.map((text, at) => ({ text, marked: at >= start && at < words.length - end && !shared.has(at) })));
  });
  return { before: first, after: second };
}

/** @param {string[]} one @param {string[]} other  how many words at the start are equal */
function commonLength(one, other) {
  let count = 0;
  while (count < one.length && count < other.length && one[count] === other[count]) count += 1;
  return count;
}

/**
 * The longest common subsequence.
 * @param {string[]} old @param {string[]} now @returns {[number[], number[]]} the positions of its words in both
 */
function commonWords(old, now) {
  const width = now.length + 1;
  const lengths = new Uint16Array((old.length + 1) * width);
  for (let i = old.length - 1; i >= 0; i -= 1) {
    for (let j = now.length - 1; j >= 0; j -= 1) {
      lengths[i * width + j] = old[i] === now[j]
        ? lengths[(i + 1) * width + j + 1] + 1
        : Math.max(lengths[(i + 1) * width + j], lengths[i * width + j + 1]);
    }
  }
  /** @type {[number[], number[]]} */
  const found = [[], []];
  for (let i = 0, j = 0; i < old.length && j < now.length; ) {
    if (old[i] === now[j]) {
      found[0].push(i);
      found[1].push(j);
      i += 1;
      j += 1;
    } else if (lengths[(i + 1) * width + j] >= lengths[i * width + j + 1]) i += 1;
    else j += 1;
  }
  return found;
}

/** @param {Piece[]} words @returns {Piece[]} neighbours of the same kind joined */
function pieces(words) {
  /** @type {Piece[]} */
  const joined = [];
  for (const { text, marked } of words) {
    const last = joined.at(-1);
    if (last?.marked === marked) last.text += text;
    else joined.push({ text, marked });
  }
  return joined;
}
