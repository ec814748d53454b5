// Hostile and very large Markdown: limited depth, limited work, and no lost text.

import assert from "node:assert/strict";
import { Session } from "node:inspector/promises";
import { test } from "node:test";

// Started first, because only functions compiled after it have block coverage.
const session = new Session();
session.connect();
await session.post("Profiler.enable");
await session.post("Profiler.startPreciseCoverage", { callCount: true, detailed: true });
const { MAX_BLOCK_DEPTH, MAX_INLINE_DEPTH, MAX_MARKS, markdownTree, sections } = await import("../../../static/markdown.js");

const LENGTH = 40_000;
const repeated = (part, length = LENGTH) => part.repeat(Math.ceil(length / part.length)).slice(0, length);
const ladder = (lines, line) => Array.from({ length: lines }, (_, at) => line(at)).join("");

function depth(nodes) {
  return Math.max(0, ...nodes.map((node) => (typeof node === "string" ? 0 : 1 + depth(node.children))));
}
function text(nodes) {
  return nodes.map((node) => (typeof node === "string" ? node : node.tag === "br" ? "\n" : text(node.children))).join("");
}
function tags(nodes, tag) {
  return nodes.reduce((sum, node) => (typeof node === "string" ? sum : sum + (node.tag === tag) + tags(node.children, tag)), 0);
}

// As in tests/chat/reader/test_code.py: code at the maximum depth is text one level deeper.
const FENCES = {
  quotes: (levels) => `${"> ".repeat(levels)}~~~\n${"> ".repeat(levels)}x`,
  lists: (levels) => `${"- ".repeat(levels)}~~~\n${"  ".repeat(levels)}x`,
};
for (const [name, source] of Object.entries(FENCES)) {
  test(`${name} are drawn up to ${MAX_BLOCK_DEPTH} levels; deeper marks are text`, () => {
    assert.equal(tags(markdownTree(source(MAX_BLOCK_DEPTH)), "pre"), 1);
    assert.equal(tags(markdownTree(source(MAX_BLOCK_DEPTH + 1)), "pre"), 0);
  });
}

test("a list nested 500 levels deep has all its items within the maximum depth", () => {
  const tree = markdownTree(ladder(500, (at) => `${" ".repeat(2 * at)}- x${at}.\n`));
  assert.ok(depth(tree) <= 2 * MAX_BLOCK_DEPTH + 1);
  for (const item of [0, 31, 32, 499]) assert.ok(text(tree).includes(`x${item}.`));
});

test("emphasis is limited to its maximum depth, without losing words", () => {
  const tree = markdownTree(`${"*a **b ".repeat(50)}x${" c** d*".repeat(50)}`);
  assert.equal(depth(tree), 1 + MAX_INLINE_DEPTH);
  assert.match(text(tree), /x c/);
});

const HOSTILE = {
  "asterisks": repeated("*a **b*"), "underscores": repeated("_a "), "brackets": repeated("["), "images": repeated("![["),
  "links": repeated("[a]("), "backticks": ladder(600, (at) => `${"`".repeat(at)} `), "quotes": repeated(">"),
  "quoted lines": repeated("> a\n"), "ladder of quotes": ladder(600, (at) => `${">".repeat(at)}a\n`), "bars": repeated("|"),
  "a wide table": `${"|a".repeat(200)}\n${"|-".repeat(200)}\n${repeated("|a\n")}`, "list": repeated("- a\n"),
  "nested lists": repeated("- - - - a\n"), "addresses": repeated("https://a.b/c "), "entities": repeated("&#"), "lines": repeated("a\n"),
  "headings": repeated("# a\n"), "definitions": repeated("[a]: b\n"), "tildes": repeated("~~a"), "spaces": repeated(" "), "a word": repeated("x"),
};

/** @returns {Promise<number>} the number of executed code blocks of the parser and of the app, equal in each run */
async function work(source) {
  await session.post("Profiler.takePreciseCoverage"); // counts from here
  markdownTree(source);
  const { result } = await session.post("Profiler.takePreciseCoverage");
  const ours = result.filter(({ url }) => /static\/(chat|vendor)\/markdown/.test(url));
  return ours.flatMap(({ functions }) => functions).flatMap(({ ranges }) => ranges).reduce((sum, { count }) => sum + count, 0);
}

for (const [name, source] of Object.entries(HOSTILE)) {
  test(`the work for ${name} grows linearly with their length`, async () => {
    const [half, whole] = [await work(source.slice(0, source.length / 2)), await work(source)];
    assert.ok(whole <= 2.5 * half + 10_000, `${half} steps for half of it, ${whole} for all`);
  });

  test(`${name} are not parsed in one long step`, () => {
    let from = 0;
    for (const section of sections(source)) {
      if (!section) continue;
      assert.ok(section.end > from && section.settledEnd >= from);
      from = section.end;
    }
    assert.equal(from, source.length);
  });
}

test("a long list is split without losing or repeating items", () => {
  const tree = markdownTree(ladder(6000, (at) => `${at + 1}. item\n`));
  assert.ok(tree.length > 1);
  assert.ok(tree.every(({ tag }) => tag === "ol"));
  assert.equal(tags(tree, "li"), 6000);
  const starts = tree.slice(1).map(({ attrs }) => Number(attrs.start) - 1);
  assert.deepEqual(starts, tree.slice(1).map((_, at) => tags(tree.slice(0, at + 1), "li")));
});

test("tables and code of any length are not split", () => {
  assert.equal(markdownTree(`|a|b|\n|-|-|\n${"| one | two words and more |\n".repeat(2000)}`).length, 1);
  assert.equal(markdownTree(`~~~\n${"let a;\n".repeat(4000)}~~~`).length, 1);
});

test("only the unfinished part of a growing text is parsed again", () => {
  const source = "A paragraph of **words**.\n\n- a\n- b\n\n".repeat(500);
  let settled = { end: 0, marks: 0 };
  let parsed = 0;
  for (let end = 40; end <= source.length; end += 40) {
    const from = settled.end;
    parsed += end - from;
    for (const section of sections(source.slice(0, end), { from, marks: settled.marks })) {
      if (section) settled = { end: section.settledEnd, marks: section.settledMarks };
    }
  }
  assert.ok(parsed < 4 * source.length, `${parsed} of ${source.length}`);
});

test("text after the maximum number of marks is plain text", () => {
  const tree = markdownTree(`${"**a** b\n\n".repeat(MAX_MARKS / 4)}`);
  assert.ok(tree.some(({ attrs }) => attrs?.class === "plain"));
  assert.equal(text(tree).match(/a/g).length, MAX_MARKS / 4);
});

// Each text in pieces that split marks: parsing a growing text gives the same result as parsing the whole.
const GROWING = [
  "para\n- a\n- b\n\n  c\n\n---\n\na|b\n-|-\n1|2\n\n> q\nlazy\n\n```\ncode\n```\nafter\n===\n\n1. x\n\n2. y\n* z\n",
  "a\n-\n\n-\n\n- x\n\n**\n\n*\n~~~\n\n\n> ~~~\n~~~\n\n[x](http://a.b)\n#\n# h\n\n    i\n\t\n| a |\n|---|\n\nlast",
];
for (const [at, source] of GROWING.entries()) {
  test(`parsing a growing text incrementally gives the same result as parsing it whole: ${at}`, () => {
    let settled = { end: 0, marks: 0, blocks: [] };
    for (let end = 1; end <= source.length; end += 1) {
      const grown = source.slice(0, end);
      const blocks = [...settled.blocks];
      for (const section of sections(grown, { from: settled.end, marks: settled.marks })) {
        if (!section) continue;
        const before = blocks.length;
        blocks.push(...section.blocks.map(({ node }) => node));
        settled = { end: section.settledEnd, marks: section.settledMarks, blocks: blocks.slice(0, before + section.settled) };
      }
      assert.deepEqual(blocks, markdownTree(grown), JSON.stringify(grown));
    }
    assert.ok(settled.end > source.length / 2);
  });
}
