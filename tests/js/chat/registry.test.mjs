// The handler of a payload, and its title, width and icon.

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  clientAction, declarePayloadTypes, declareTools, isDeclared, loadPayloadHandlers, payloadHandler, readPageContext, registerClientAction,
  registerLazyHandlers, registerPageContext, registerPayloadHandler, renderOptions, toolName,
} from "../../../static/chat/registry.js";

const handler = (more = {}) => ({ render() {}, ...more });

test("a handler of a page has precedence over a global one, in any order of registration", () => {
  const [own, global] = [handler(), handler()];
  registerPayloadHandler("papers", own);
  registerPayloadHandler("papers", global, { global: true });
  assert.equal(payloadHandler("papers"), own);
  const [later, earlier] = [handler(), handler()];
  registerPayloadHandler("charts", earlier, { global: true });
  assert.equal(payloadHandler("charts"), earlier);
  registerPayloadHandler("charts", later);
  assert.equal(payloadHandler("charts"), later);
  assert.equal(payloadHandler("nothing"), undefined);
});

test("title, width and icon come from the handler, then the server, then the defaults", () => {
  declarePayloadTypes([{ name: "list_of_papers", frontend_config: { panel_width: "640px", title: "Papers", icon: "book-open" } }, { name: "bare" }]);
  assert.deepEqual(renderOptions("list_of_papers"), { panelWidth: "640px", headerTitle: "Papers", headerIcon: "book-open" });
  registerPayloadHandler("list_of_papers", handler({ renderOptions: { headerTitle: "Found" } }));
  assert.deepEqual(renderOptions("list_of_papers"), { panelWidth: "640px", headerTitle: "Found", headerIcon: "book-open" });
  assert.deepEqual(renderOptions("some_thing"), { panelWidth: "", headerTitle: "Some thing", headerIcon: "info" });
  assert.ok(isDeclared("bare"));
  assert.ok(!isDeclared("some_thing"));
});

test("a tool has the label and the icon from the server, else its own name", () => {
  declareTools([{ name: "search_papers", label: "Search papers", icon: "search" }, { name: "count_words", label: "", icon: "" }]);
  assert.deepEqual(toolName("search_papers"), { title: "Search papers", icon: "search" });
  assert.deepEqual(toolName("count_words"), { title: "Count words", icon: "activity" });
  assert.equal(toolName("constructor").title, "Constructor");
});

test("a client action runs only its registered handler", () => {
  const ran = [];
  registerClientAction("open_paper", (data) => ran.push(data));
  clientAction("open_paper")({ paper_id: 7 });
  assert.deepEqual(ran, [{ paper_id: 7 }]);
  assert.equal(clientAction("format_disk"), undefined);
});

test("the page provides the context of what is visible", () => {
  assert.deepEqual(readPageContext(), {});
  registerPageContext(() => ({ active_tab: "library" }));
  assert.deepEqual(readPageContext(), { active_tab: "library" });
});

test("lazy handlers are loaded once, also when they are needed again meanwhile", async () => {
  let loads = 0;
  registerLazyHandlers(async () => { loads += 1; });
  await Promise.all([loadPayloadHandlers(), loadPayloadHandlers()]);
  await loadPayloadHandlers();
  assert.equal(loads, 1);
});
