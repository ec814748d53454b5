// What stands inside of a line of Markdown: emphasis, code, links, breaks. Goes over each sign once, whatever is written.

/** @typedef {{mark: string, left: number, size: number, opens: boolean, closes: boolean}} Run  of signs that may emphasise */

const LINKS = new Set(["http:", "https:", "mailto:"]);
const PUNCTUATION = /[\p{P}\p{S}]/u;
const NAMED = { amp: "&", lt: "<", gt: ">", quot: '"', apos: "'", nbsp: "\u00A0", hellip: "…", ndash: "–", mdash: "—", euro: "€", times: "×", rarr: "→" };
const PLAIN = /(?:(?!https?:\/\/)[^\\`*_~[\]!<&\n])+/y;
const ENTITY = /&(?:#(\d{1,7})|#[xX]([\da-fA-F]{1,6})|([a-z]{2,6}));/y;
const ANGLED = /<([A-Za-z][\w.+-]{1,31}:[^\s<>]*|[\w.!#$%&'*+/=?^`{|}~-]+@[\w.-]+)>/y;
const BARE = /https?:\/\/[^\s<>"`[\]*\\]+/y;
const TARGET = /\(\s{0,9}(?:<([^<>\n]*)>|((?:\\.|[^\s()\\]|\((?:\\.|[^\s()\\])*\))*))(?:\s{1,9}(?:"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\((?:\\.|[^()\\])*\)))?\s{0,9}\)/y;
const LABEL = /\[((?:\\.|[^[\]\\]){0,999})\]/y;
const MOST_OPEN = 100;

/** @param {string} url @returns {URL | null} null for everything but a complete http, https or mailto address */
export function safeUrl(url) {
  try {
    const parsed = new URL(url);
    return LINKS.has(parsed.protocol) ? parsed : null;
  } catch {
    return null;
  }
}

/** One stretch of text between blocks. */
export class Line {
  #at = 0;
  /** @type {(MdNode | Run | {bracket: string, at: number})[]} */
  #out = [];
  /** Places in `out` of brackets that are open. @type {number[]} */
  #brackets = [];
  /** How many of those that are open can be no link, for they hold one. */
  #blocked = 0;
  /** Where runs of so many backticks begin. @type {Map<number, number[]> | null} */
  #ticks = null;

  /** @param {string} text @param {(label: string) => string | undefined} leadsTo  what is said below the text */
  constructor(text, leadsTo) {
    this.text = text;
    this.leadsTo = leadsTo;
  }

  /** @returns {MdNode[]} */
  read() {
    while (this.#at < this.text.length) this.#step();
    return emphasised(this.#out);
  }

  #step() {
    const plain = this.#match(PLAIN);
    if (plain) this.#out.push(plain[0]);
    else if (!this.#marked(this.text[this.#at])) this.#take(1);
  }

  /** @param {string} sign  that stands here @returns {boolean} whether it meant anything; then it is gone over */
  #marked(sign) {
    switch (sign) {
      case "\\": return this.#escaped();
      case "\n": return this.#broken();
      case "`": return this.#code();
      case "<": return this.#angled();
      case "&": return this.#entity();
      case "*": case "_": case "~": return this.#run();
      case "[": return this.#open("[");
      case "!": return this.text[this.#at + 1] === "[" && this.#open("![");
      case "]": return this.#close();
      default: return this.#bare();
    }
  }

  /** @param {RegExp} pattern  sticky @returns {RegExpExecArray | null} what stands here; it is gone over */
  #match(pattern) {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.text);
    if (found) this.#at = pattern.lastIndex;
    return found;
  }

  /** @param {number} count  of signs that mean themselves */
  #take(count) {
    this.#out.push(this.text.slice(this.#at, this.#at + count));
    this.#at += count;
    return true;
  }

  #escaped() {
    const next = this.text[this.#at + 1] ?? "";
    if (!/^[\n!-/:-@[-`{-~]$/.test(next)) return false;
    this.#at += 1;
    return next === "\n" ? this.#broken() : this.#take(1);
  }

  #broken() {
    this.#at += 1;
    if (typeof this.#out.at(-1) === "string") this.#out.push(/** @type {string} */ (this.#out.pop()).trimEnd());
    this.#out.push({ tag: "br", children: [] });
    return true;
  }

  #code() {
    this.#ticks ??= runsOfTicks(this.text);
    let end = this.#at;
    while (this.text[end] === "`") end += 1;
    const size = end - this.#at;
    const places = this.#ticks.get(size) ?? [];
    while (places.length && places.at(-1) < end) places.pop();
    if (!places.length) return this.#take(size);
    const inside = this.text.slice(end, places.at(-1)).replaceAll("\n", " ");
    const isPadded = inside.startsWith(" ") && inside.endsWith(" ") && inside.trim() !== "";
    this.#out.push({ tag: "code", children: [isPadded ? inside.slice(1, -1) : inside] });
    this.#at = places.at(-1) + size;
    return true;
  }

  #angled() {
    const found = this.#match(ANGLED);
    if (!found) return false;
    const url = safeUrl(found[1].includes("@") && !found[1].includes(":") ? `mailto:${found[1]}` : found[1]);
    this.#out.push(url ? link(url, [found[1]]) : found[0]);
    return true;
  }

  #bare() {
    if (/[\p{L}\p{N}]/u.test(this.text[this.#at - 1] ?? "")) return false;
    BARE.lastIndex = this.#at;
    const found = BARE.exec(this.text);
    const words = found && withoutEnd(found[0]);
    const url = words ? safeUrl(words) : null;
    if (!url) return false;
    this.#out.push(link(url, [words]));
    this.#at += words.length;
    return true;
  }

  #entity() {
    const found = this.#match(ENTITY);
    if (!found) return false;
    const [whole, decimal, hex, name] = found;
    const number = name ? -1 : Number.parseInt(decimal ?? hex, decimal ? 10 : 16);
    const isSign = number > 0 && number <= 0x10ffff && !(number >= 0xd800 && number <= 0xdfff);
    this.#out.push((isSign ? String.fromCodePoint(number) : NAMED[name]) ?? whole);
    return true;
  }

  #run() {
    const mark = this.text[this.#at];
    let end = this.#at;
    while (this.text[end] === mark) end += 1;
    const size = end - this.#at;
    if (mark === "~" && size % 2) return this.#take(size);
    const before = beside(this.text[this.#at - 1]);
    const after = beside(this.text[end]);
    const opens = !after.space && (!after.mark || before.space || before.mark);
    const closes = !before.space && (!before.mark || after.space || after.mark);
    const isWithin = mark === "_" && opens && closes; // of a name_such_as_this
    this.#out.push({ mark, left: size, size, opens: opens && (!isWithin || before.mark), closes: closes && (!isWithin || after.mark) });
    this.#at = end;
    return true;
  }

  /** @param {string} bracket */
  #open(bracket) {
    this.#at += bracket.length;
    this.#brackets.push(this.#out.length);
    this.#out.push({ bracket, at: this.#at });
    return true;
  }

  /** Where a bracket closes: a link, a picture's description, or two brackets. */
  #close() {
    const place = this.#brackets.pop();
    if (place === undefined) return false;
    const depth = this.#brackets.length;
    const isBlocked = depth < this.#blocked;
    this.#blocked = Math.min(this.#blocked, depth);
    const opener = /** @type {{bracket: string, at: number}} */ (this.#out[place]);
    const isPicture = opener.bracket === "![";
    const end = this.#at;
    this.#at += 1;
    const target = isBlocked && !isPicture ? null : this.#target(this.text.slice(opener.at, end));
    const url = target === null ? null : safeUrl(target);
    if (!url && !(isPicture && target !== null)) {
      this.#at = end + 1;
      this.#out[place] = opener.bracket;
      this.#out.push("]");
      return true;
    }
    const inside = emphasised(this.#out.splice(place).slice(1));
    this.#out.push(isPicture ? wordsOf(inside) : link(url, inside));
    if (!isPicture) this.#blocked = depth;
    return true;
  }

  /** @param {string} words  between the brackets @returns {string | null} where they lead; it is gone over */
  #target(words) {
    const told = this.#match(TARGET);
    if (told) return (told[1] ?? told[2]).replace(/\\([!-/:-@[-`{-~])/g, "$1");
    const named = this.#match(LABEL)?.[1] || words;
    return named.length > 999 ? null : this.leadsTo(named) ?? null;
  }
}

/** @param {string} text @returns {Map<number, number[]>} the last first */
function runsOfTicks(text) {
  const found = new Map();
  for (const { 0: run, index } of text.matchAll(/`+/g)) found.set(run.length, found.get(run.length) ?? []).get(run.length).push(index);
  for (const places of found.values()) places.reverse();
  return found;
}

/**
 * @param {(MdNode | Run | {bracket: string})[]} parts @returns {MdNode[]} runs of signs are emphasis where they open and close,
 *   and themselves where they do not
 */
function emphasised(parts) {
  const out = [];
  /** Places of runs in `out` that may open. @type {number[]} */
  const open = [];
  /** How many of those were looked through for such a closing run, and do not fit. @type {Map<string, number>} */
  const looked = new Map();
  for (const part of parts) {
    out.push(part);
    if (typeof part === "string" || !("mark" in part)) continue;
    while (part.closes && part.left > 0) {
      const key = `${part.mark}${part.opens}${part.size % 3}`;
      let at = open.length - 1;
      const least = looked.get(key) ?? 0;
      while (at >= least && !fits(/** @type {Run} */ (out[open[at]]), part)) at -= 1;
      if (at < least) {
        looked.set(key, open.length);
        break;
      }
      out.pop();
      const place = open[at];
      const opener = /** @type {Run} */ (out[place]);
      const size = opener.left > 1 && part.left > 1 ? 2 : 1;
      const children = texts(out.splice(place + 1));
      opener.left -= size;
      part.left -= size;
      open.length = opener.left ? at + 1 : at;
      for (const [each, count] of looked) looked.set(each, Math.min(count, open.length));
      if (!opener.left) out.pop();
      out.push({ tag: part.mark === "~" ? "s" : size === 2 ? "strong" : "em", children }, part);
    }
    if (part.left === 0) out.pop();
    else if (part.opens && open.length < MOST_OPEN) open.push(out.length - 1);
  }
  return texts(out);
}

/** @param {Run} opener @param {Run} closer */
function fits(opener, closer) {
  const isOdd = (opener.closes || closer.opens) && (opener.size + closer.size) % 3 === 0 && opener.size % 3 !== 0;
  return opener.mark === closer.mark && !isOdd;
}

/** @param {any[]} parts @returns {MdNode[]} what came to nothing is text, and text is in one piece */
function texts(parts) {
  const nodes = [];
  for (const part of parts) {
    const node = typeof part === "string" ? part : (part.bracket ?? (part.mark ? part.mark.repeat(part.left) : part));
    if (typeof node === "string" && typeof nodes.at(-1) === "string") nodes[nodes.length - 1] += node;
    else if (node !== "") nodes.push(node);
  }
  return nodes;
}

/** @param {URL} url @param {MdNode[]} words @returns {MdNode} */
function link(url, words) {
  const host = url.protocol === "mailto:" ? url.pathname : url.host;
  return { tag: "a", attrs: { href: url.href, rel: "noopener noreferrer", target: "_blank", host }, children: words.flatMap(unlinked) };
}

/** A link holds no other. @param {MdNode} node @returns {MdNode[]} */
function unlinked(node) {
  if (typeof node === "string") return [node];
  const children = node.children.flatMap(unlinked);
  return node.tag === "a" ? children : [{ ...node, children }];
}

/** No picture is ever loaded; its description is read instead. @param {MdNode[]} nodes @returns {string} */
function wordsOf(nodes) {
  return nodes.map((node) => (typeof node === "string" ? node : wordsOf(node.children))).join("");
}

/** @param {string} url  as it was found in a sentence, whose signs follow it @returns {string} */
function withoutEnd(url) {
  let [end, open] = [0, 0];
  for (; end < url.length && open >= 0; end += 1) open += url[end] === "(" ? 1 : url[end] === ")" ? -1 : 0;
  if (open < 0) end -= 1;
  while (/[.,;:!?'_~]/.test(url[end - 1])) end -= 1;
  return url.slice(0, end);
}

/** @param {string} [sign]  none at either end */
function beside(sign = " ") {
  return { space: /\s/.test(sign), mark: PUNCTUATION.test(sign) };
}
