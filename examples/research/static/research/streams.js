// The list of streams: the assistant can fill in the form.

import { registerClientAction } from "../chat/registry.js";

const form = document.getElementById("new-stream").elements;

registerClientAction("fill_form", ({ name, purpose }) => {
  const before = { name: form.name.value, purpose: form.purpose.value };
  fill({ name, purpose });
  return { text: "Form filled in", state: before };
}, { undo: fill });

/** @param {{name: string, purpose: string}} values */
function fill({ name, purpose }) {
  form.name.value = name;
  form.purpose.value = purpose;
}
