// Our reading of Markdown beside markdown-it's, with the settings that answers call for: what a model ordinarily writes
// comes out the same.

import assert from "node:assert/strict";
import { test } from "node:test";

import { markdownTree } from "../../../static/chat/markdown.js";
import MarkdownIt from "../../browser/vendor/markdown-it.mjs";

const DOCUMENTS = 1000;
const TAGS = { h1: "h3", h2: "h3", h3: "h4", h4: "h4", h5: "h4", h6: "h4" };
const other = new MarkdownIt({ html: false, linkify: true, breaks: true, typographer: false });
other.disable("code");
other.linkify.set({ fuzzyLink: false, fuzzyEmail: false, fuzzyIP: false });

/** As browsers write it. */
function address(token) {
  const href = token.attrGet("href");
  return href === null ? null : new URL(href).href;
}

function theirs(tokens) {
  const root = [];
  const open = [root];
  for (const token of tokens) {
    if (token.type === "inline") open.at(-1).push(...theirs(token.children));
    else if (token.nesting === 1 && token.hidden) open.push(open.at(-1));
    else if (token.nesting === 1) {
      const node = [TAGS[token.tag] ?? token.tag, address(token) ?? token.attrGet("start") ?? (/right/.test(token.attrGet("style")) ? "r" : "")];
      open.at(-1).push(node);
      open.push(node);
    } else if (token.nesting === -1) open.pop();
    else if (/break$/.test(token.type)) open.at(-1).push(["br", ""]);
    else if (token.type === "hr") open.at(-1).push(["hr", ""]);
    else if (token.type === "fence") open.at(-1).push(["pre", "", ["code", "", token.content.replace(/\n$/, "")]]);
    else if (token.type === "code_inline") open.at(-1).push(["code", "", token.content]);
    else if (token.type === "image") open.at(-1).push(token.children.map(({ content }) => content).join(""));
    else open.at(-1).push(token.content);
  }
  return root;
}

function ours(nodes) {
  return nodes.map((node) => (typeof node === "string" ? node : [node.tag, String(node.attrs?.href ?? node.attrs?.start ?? node.attrs?.class ?? ""), ...ours(node.children)]));
}

/** Neighbouring text in one piece, none where it is empty. */
function inOnePiece(nodes) {
  const merged = [];
  for (const node of nodes) {
    if (Array.isArray(node)) merged.push([node[0], String(node[1]), ...inOnePiece(node.slice(2))]);
    else if (typeof merged.at(-1) === "string") merged[merged.length - 1] += node;
    else if (node !== "") merged.push(node);
  }
  return merged;
}

/** The same row of numbers for the same seed. */
function dice(seed) {
  let state = seed;
  return (count) => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) % count;
  };
}

const WORDS = [
  "Acme", "the table", "snake_case_name", "**bold**", "*it*", "_it too_", "***both***", "**a *b* c**", " ~~gone~~ ", "`code`", "`` a ` b ``",
  "[guide](https://example.org/a?b=1)", "[**b** c](https://e.org/x_y)", '[t](https://e.org "Title")', " https://example.org/a_b(c). ", "(https://e.org/x) ",
  "<https://e.org/>", "<b>html</b>", "&amp; &lt;", "&#8364;", "it's", "2 * 3 * 4", "a*b*c", "\\*plain\\*", "5 < 6", "[not a link]", "![a *cat*](https://e.org/c.png)",
  "**Note:**", "“quoted”", "x**y**z", "a_b", "50 %", "~ ", "!", "#1", "- 3", "e.g.", "**unclosed", "`open", "[x](", "]", "*", "[ref]", "**é**", "日本**語**",
];

function line(roll) {
  // What begins a block at the start of a line is not what these are about.
  return ["So", ...Array.from({ length: 1 + roll(5) }, () => WORDS[roll(WORDS.length)])].join(roll(6) ? " " : "");
}

const BLOCKS = [
  (roll) => line(roll),
  (roll) => `${line(roll)}\n${line(roll)}`,
  (roll) => `${line(roll)}  \n${line(roll)}.\\\n${line(roll)}`,
  (roll) => `${"#".repeat(1 + roll(6))} ${line(roll)}`,
  (roll) => `- ${line(roll)}\n- ${line(roll)}\n  - ${line(roll)}\n  - ${line(roll)}\n- ${line(roll)}`,
  (roll) => `* ${line(roll)}\n\n* ${line(roll)}`,
  (roll) => `1. ${line(roll)}\n2. ${line(roll)}\n   - ${line(roll)}\n3. ${line(roll)}`,
  (roll) => `${2 + roll(9)}. ${line(roll)}\n\n   ${line(roll)}\n\n9. ${line(roll)}`,
  (roll) => `> ${line(roll)}\n> ${line(roll)}\n>\n> ${line(roll)}`,
  (roll) => `> - ${line(roll)}\n> - ${line(roll)}`,
  (roll) => `\`\`\`js\n${line(roll)}\n\n    ${line(roll)}\n\`\`\``,
  (roll) => `- ${line(roll)}\n  ~~~\n  ${line(roll)}\n  ~~~`,
  (roll) => `| ${line(roll)} | b |\n|---|--:|\n| ${line(roll)} | ${line(roll)} |\n| x |`,
  (roll) => `${line(roll)}\n| a | b |\n| :-- | --- |\n| 1 | 2 |`,
  () => "---",
  (roll) => `${line(roll)}\n===`,
  (roll) => `${line(roll)}\n- ${line(roll)}\n- ${line(roll)}`,
  () => "[ref]: https://e.org/ref",
];

test("what a model ordinarily writes comes out as markdown-it has it", () => {
  for (let seed = 1; seed <= DOCUMENTS; seed += 1) {
    const roll = dice(seed);
    const source = Array.from({ length: 1 + roll(4) }, () => BLOCKS[roll(BLOCKS.length)](roll)).join("\n\n");
    assert.deepEqual(inOnePiece(ours(markdownTree(source))), inOnePiece(theirs(other.parse(source, {}))), JSON.stringify(source));
  }
});

const LONG = 40_000;
const ENDLESS = {
  "[": "[", "![": "![", "[a](": "[a](", "*": "*", "*a ": "*a ", "a* ": "a* ", "**a __b ~~": "**a __b ~~", "`a``b": "`a``b", "> ": "> ", "- ": "- ",
  "- a\n": "- a\n", "|": "|", "<a": "<a", "&#": "&#", '[a](b "': '[a](b "', "#": "#", "\n": "\n",
};
for (const [name, piece] of Object.entries(ENDLESS)) {
  test(`a page goes on however often it reads ${JSON.stringify(name)}`, () => {
    assert.ok(Array.isArray(markdownTree(piece.repeat(LONG / piece.length))));
  });
}
