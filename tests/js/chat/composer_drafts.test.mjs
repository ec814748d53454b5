// Text in the composer: written in this tab, or a stored draft that another tab may be sending.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Drafts, draftKey } from "../../../static/chat/composer.js";

const FRESH = { page: "table_view", objectId: "5", conversationId: "" };
const OPEN = { ...FRESH, conversationId: "c1" };

/** @param {Record<string, string>} items */
function tab(items = {}) {
  const store = {
    getItem: (key) => items[key] ?? null,
    setItem: (key, value) => { items[key] = value; },
    removeItem: (key) => { delete items[key]; },
  };
  const composer = { text: "", setText(text) { this.text = text; } };
  const here = { scope: FRESH, composer, items };
  here.drafts = new Drafts({ composer, scope: () => here.scope, store });
  here.opens = (scope, how) => {
    const arrived = here.drafts.beginSwitch();
    here.scope = scope;
    arrived(how);
  };
  return here;
}

test("a restored draft counts as written here only after it was changed", () => {
  const here = tab({ [draftKey(FRESH)]: "tell me" });
  assert.equal(here.drafts.untouched, true);
  here.opens(FRESH, { first: true });
  assert.deepEqual([here.composer.text, here.drafts.untouched], ["tell me", true]);
  here.composer.setText("tell me more");
  assert.equal(here.drafts.untouched, false);
});

test("a draft sent by another tab is removed here too", () => {
  const here = tab({ [draftKey(FRESH)]: "tell me " });
  here.opens(FRESH, { first: true });
  here.opens(OPEN, { first: true, sent: ["tell me something long"] });
  assert.equal(here.composer.text, "");
});

test("an unsent draft is not removed by another message of another tab", () => {
  const here = tab({ [draftKey(FRESH)]: "half a thought" });
  here.opens(FRESH, { first: true });
  here.opens(OPEN, { first: true, sent: ["something else"] });
  assert.equal(here.composer.text, "half a thought");
  assert.deepEqual(here.items, { [draftKey(OPEN)]: "half a thought" });
});

test("text written here is not removed even if another tab has sent the same", () => {
  const here = tab();
  here.opens(FRESH, { first: true });
  here.composer.setText("tell me");
  here.opens(OPEN, { first: true, sent: ["tell me"] });
  assert.equal(here.composer.text, "tell me");
});

test("each opened conversation has its own text", () => {
  const here = tab({ [draftKey(OPEN)]: "for that one" });
  here.composer.setText("for the new one");
  here.drafts.save();
  here.opens(OPEN, { first: false });
  assert.equal(here.composer.text, "for that one");
  here.opens(FRESH, { first: false });
  assert.equal(here.composer.text, "for the new one");
});
