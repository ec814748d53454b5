// Markdown as a tree without dangerous elements or URLs.

import assert from "node:assert/strict";
import { test } from "node:test";

import { plainText, segments } from "../../../static/chat/answer_view.js";
import { markdownTree } from "../../../static/markdown.js";

const TAGS = new Set([
  "p", "h3", "h4", "ul", "ol", "li", "blockquote", "table", "thead", "tbody", "tr", "th", "td", "pre", "code", "strong",
  "em", "s", "a", "br", "hr",
]);

function nodes(tree) {
  return tree.flatMap((node) => (typeof node === "string" ? [] : [node, ...nodes(node.children)]));
}
function text(tree) {
  return tree.map((node) => (typeof node === "string" ? node : text(node.children))).join("");
}

const HOSTILE = [
  "<script>alert(1)</script>",
  "<img src=x onerror=alert(1)>",
  "[x](javascript:alert(1))",
  "[x](JaVaScRiPt:alert(1))",
  "[x](data:text/html,<script>alert(1)</script>)",
  "[x](vbscript:x)",
  "[x](//evil.example/a)",
  "[x](/admin/)",
  "<javascript:alert(1)>",
  "![x](https://evil.example/pixel.png)",
  "![x][1]\n\n[1]: https://evil.example/pixel.png",
  "[![x](https://evil.example/p.png)](javascript:alert(1))",
  '<a href="https://evil.example" onclick="x()">x</a>',
  "<svg/onload=alert(1)>",
  "a\u0000b",
  `${"> ".repeat(3000)}x`,
  `${"[".repeat(5000)}x`,
];
for (const source of HOSTILE) {
  test(`only known elements and URLs, and no images: ${JSON.stringify(source.slice(0, 50))}`, () => {
    for (const node of nodes(markdownTree(source))) {
      assert.ok(TAGS.has(node.tag), node.tag);
      for (const [name, value] of Object.entries(node.attrs ?? {})) {
        assert.ok(["href", "rel", "target", "host", "start", "class", "address"].includes(name), name);
        if (name === "href") assert.match(value, /^(https?:|mailto:)/);
        // It is a link only if the server has sent its URL.
        if (name === "address") assert.match(value, /^[a-z]\w*:[\w-]+$/);
      }
    }
  });
}

test("HTML is text", () => {
  assert.equal(text(markdownTree("a <b>bold</b> <img src=x>")), "a <b>bold</b> <img src=x>");
});

test("an image is shown as its description", () => {
  assert.equal(text(markdownTree("See ![two *red* cars](https://evil.example/x.png) here")), "See two red cars here");
});

test("a link opens in a new tab, without an opener, and shows its host", () => {
  const [link] = nodes(markdownTree("[guide](https://example.org/a?b=1)")).filter((node) => node.tag === "a");
  assert.deepEqual(link.attrs, {
    href: "https://example.org/a?b=1", rel: "noopener noreferrer", target: "_blank", host: "example.org",
  });
});

test("headings are small, tables have their alignment, and lists their first number", () => {
  const tree = nodes(markdownTree("# A\n\n|a|b|\n|-|-:|\n|1|2|\n\n7. x"));
  assert.ok(tree.some((node) => node.tag === "h3"));
  assert.deepEqual(tree.filter((node) => node.attrs?.class === "r").map((node) => node.tag), ["th", "td"]);
  assert.equal(tree.find((node) => node.tag === "ol").attrs.start, "7");
});

// Text parsed as code by the server (tests/chat/reader/test_code.py) is code here too.
const CODE = {
  "`a`": "a",
  "`a\nb`": "a b",
  "``a ` b``": "a ` b",
  "\\``a`": "a",
  "```js\na\n```": "a",
  "~~~ a `b`\nc\n~~~~": "c",
  "> ```\n> a\n> ```": "a",
  "- ~~~\n  a\n  ~~~": "a",
  "> `a\nb`": "a b",
};
for (const [source, code] of Object.entries(CODE)) {
  test(`code: ${JSON.stringify(source)}`, () => {
    assert.deepEqual(nodes(markdownTree(source)).filter((node) => node.tag === "code").map((node) => text([node])), [code]);
  });
}
for (const source of ["a\n\n    b", "    a", "\ta", "- a\n\n      b\n\n          c", "a ` b\n\nc ` d", "\\`a`", "a ` b\n# c `"]) {
  test(`no code: ${JSON.stringify(source)}`, () => {
    assert.deepEqual(nodes(markdownTree(source)).filter((node) => node.tag === "code"), []);
  });
}

test("an incomplete text is never an error", () => {
  const source = "# A **b\n\n- [x](https://e.org)\n\n```js\nlet a;\n```\n|a|b|\n|-|-|\n|`1`|2|";
  for (let end = 0; end <= source.length; end += 1) markdownTree(source.slice(0, end));
});

test("tool marks split a message, and other brackets do not", () => {
  assert.deepEqual(segments("Hi [[tool:0]]\n[[tool:1]] there [[tool:x]]"), [
    { text: "Hi " }, { tool: 0 }, { tool: 1 }, { text: " there [[tool:x]]" },
  ]);
  assert.deepEqual(segments("[[\u200btool:0]]"), [{ text: "[[\u200btool:0]]" }]);
});

test("announced text has no Markdown marks", () => {
  assert.equal(plainText("[[tool:0]]**Two** rows:\n\n- a\n- `b`"), "Two rows: a b");
});
