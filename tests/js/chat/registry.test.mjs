// Which handler shows a payload, and under which title, width and icon.

import assert from "node:assert/strict";
import { test } from "node:test";

import {
  clientAction, declarePayloadTypes, declareTools, isDeclared, payloadHandler, readPageContext, registerClientAction, registerPageContext,
  registerPayloadHandler, renderOptions, toolLabel,
} from "../../../static/chat/registry.js";

const handler = (more = {}) => ({ render() {}, ...more });

test("a page's own handler wins over a global one, in whatever order they come", () => {
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

test("title, width and icon are the handler's, else the server's, else plain", () => {
  declarePayloadTypes([{ name: "list_of_papers", frontend_config: { panel_width: "640px", title: "Papers", icon: "book-open" } }, { name: "bare" }]);
  assert.deepEqual(renderOptions("list_of_papers"), { panelWidth: "640px", headerTitle: "Papers", headerIcon: "book-open" });
  registerPayloadHandler("list_of_papers", handler({ renderOptions: { headerTitle: "Found" } }));
  assert.deepEqual(renderOptions("list_of_papers"), { panelWidth: "640px", headerTitle: "Found", headerIcon: "book-open" });
  assert.deepEqual(renderOptions("some_thing"), { panelWidth: "", headerTitle: "Some thing", headerIcon: "info" });
  assert.ok(isDeclared("bare"));
  assert.ok(!isDeclared("some_thing"));
});

test("a running tool is called what the server calls it", () => {
  declareTools([{ name: "search_papers", label: "Searching papers" }]);
  assert.equal(toolLabel("search_papers"), "Searching papers");
  assert.equal(toolLabel("fly_kite"), "");
});

test("a client action runs what was registered for it, and nothing else", () => {
  const ran = [];
  registerClientAction("open_paper", (data) => ran.push(data));
  clientAction("open_paper")({ paper_id: 7 });
  assert.deepEqual(ran, [{ paper_id: 7 }]);
  assert.equal(clientAction("format_disk"), undefined);
});

test("the page says what is on screen", () => {
  assert.deepEqual(readPageContext(), {});
  registerPageContext(() => ({ active_tab: "library" }));
  assert.deepEqual(readPageContext(), { active_tab: "library" });
});
