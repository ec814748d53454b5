// Words in the composer: which were written here, and which are a draft that another tab may be sending.

import assert from "node:assert/strict";
import { test } from "node:test";

import { Drafts, draftKey } from "../../../static/chat/composer.js";

const FRESH = { page: "table_view", objectId: "5", conversationId: "" };
const OPEN = { ...FRESH, conversationId: "c1" };

/** @param {Record<string, string>} kept */
function tab(kept = {}) {
  const store = {
    getItem: (key) => kept[key] ?? null,
    setItem: (key, value) => { kept[key] = value; },
    removeItem: (key) => { delete kept[key]; },
  };
  const composer = { text: "", setText(text) { this.text = text; } };
  const here = { scope: FRESH, composer, kept };
  here.drafts = new Drafts({ composer, scope: () => here.scope, store });
  here.opens = (scope, how) => {
    const arrived = here.drafts.beginSwitch();
    here.scope = scope;
    arrived(how);
  };
  return here;
}

test("a draft that came from the store was not written here; once it says something else, it was", () => {
  const here = tab({ [draftKey(FRESH)]: "tell me" });
  assert.equal(here.drafts.untouched, true);
  here.opens(FRESH, { first: true });
  assert.deepEqual([here.composer.text, here.drafts.untouched], ["tell me", true]);
  here.composer.setText("tell me more");
  assert.equal(here.drafts.untouched, false);
});

test("a draft that another tab has sent meanwhile is gone here too", () => {
  const here = tab({ [draftKey(FRESH)]: "tell me " });
  here.opens(FRESH, { first: true });
  here.opens(OPEN, { first: true, sent: ["tell me something long"] });
  assert.equal(here.composer.text, "");
});

test("a draft that nobody has sent stays, whatever another tab has said", () => {
  const here = tab({ [draftKey(FRESH)]: "half a thought" });
  here.opens(FRESH, { first: true });
  here.opens(OPEN, { first: true, sent: ["something else"] });
  assert.equal(here.composer.text, "half a thought");
  assert.deepEqual(here.kept, { [draftKey(OPEN)]: "half a thought" });
});

test("words that were written here stay, even where another tab has said the same", () => {
  const here = tab();
  here.opens(FRESH, { first: true });
  here.composer.setText("tell me");
  here.opens(OPEN, { first: true, sent: ["tell me"] });
  assert.equal(here.composer.text, "tell me");
});

test("each conversation that a person opens has its own words", () => {
  const here = tab({ [draftKey(OPEN)]: "for that one" });
  here.composer.setText("for the new one");
  here.drafts.save();
  here.opens(OPEN, { first: false });
  assert.equal(here.composer.text, "for that one");
  here.opens(FRESH, { first: false });
  assert.equal(here.composer.text, "for the new one");
});
