// At most three toasts are shown at a time, each for five seconds.

import assert from "node:assert/strict";
import { test } from "node:test";

import { createWriter, messages } from "./tables/writer_setup.mjs";

const { toast, toastsToRemove } = await import("../../static/element.js");

const stays = (name) => name.startsWith("question");

test("a fourth toast replaces the oldest one that needs no answer", () => {
  assert.deepEqual(toastsToRemove(["saved", "question 1"], stays), []);
  assert.deepEqual(toastsToRemove(["question 1", "saved", "copied"], stays), ["saved"]);
  assert.deepEqual(toastsToRemove(["question 1", "question 2", "question 3"], stays), []);
});

test("a repeated message is shown once, and one with an action again", () => {
  createWriter();
  const action = { label: "Undo", run: () => {} };
  for (const text of ["Cannot be edited", "Cannot be edited"]) toast(text);
  toast("Deleted", { action });
  toast("Deleted", { action });
  assert.deepEqual(messages(), ["Cannot be edited", "Deleted", "Deleted"]);
});

test("a toast is removed after five seconds without pointer and focus, and an error is not removed", ({ mock }) => {
  createWriter();
  mock.timers.enable({ apis: ["setTimeout"] });
  toast("It failed", { kind: "error" });
  toast("Saved");
  mock.timers.tick(4_999);
  assert.deepEqual(messages(), ["It failed", "Saved"]);
  mock.timers.tick(1);
  assert.deepEqual(messages(), ["It failed"]);
  for (const [enter, leave] of [["pointerenter", "pointerleave"], ["focusin", "focusout"]]) {
    const note = toast("Copied");
    note.dispatchEvent(new Event(enter));
    mock.timers.tick(60_000);
    assert.deepEqual(messages(), ["It failed", "Copied"]);
    note.dispatchEvent(new Event(leave));
    mock.timers.tick(4_999);
    assert.deepEqual(messages(), ["It failed", "Copied"]);
    mock.timers.tick(1);
    assert.deepEqual(messages(), ["It failed"]);
  }
});

test("the focus returns from a removed toast to where it was, or to the grid", () => {
  createWriter();
  const [table, field] = [document.createElement("table"), document.createElement("input")];
  document.append(table, field);
  document.querySelector = () => table;
  const undo = (/** @type {any} */ before) => {
    const note = /** @type {any} */ (toast("Applied", { action: { label: "Undo", run: () => {} } }));
    const button = note.within.find((/** @type {any} */ one) => one.textContent === "Undo");
    note.dispatchEvent(Object.assign(new Event("focusin"), { relatedTarget: before }));
    button.focus();
    button.dispatchEvent(new Event("click"));
    return document.activeElement;
  };
  assert.equal(undo(field), field);
  assert.equal(undo(null), table);
  field.remove();
  assert.equal(undo(field), table);
  // It is elsewhere: it stays there.
  toast("Saved").remove();
  assert.equal(document.activeElement, table);
});
