"""States of the chat and of proposals in German, for screenshots only."""
from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.small_table import send
from tests.browser.states.german_reading import open_german_table
from tests.browser.states.stage import Stage, State
from tests.scripted_model import Gate, interrupted, use
from tests.scripted_model import say as reply

PROPOSED_COLUMNS: dict[str, Any] = {
    "mode": "update", "reasoning": "Damit sich nach dem Wichtigsten sortieren lässt", "operations": [
        {"action": "add", "column": {"name": "Priorität", "type": "select", "options": ["Hoch", "Niedrig"]},
         "after_column_id": "Firma"},
        {"action": "modify", "column_id": "Gehalt", "changes": {"name": "Grundgehalt"}},
        {"action": "modify", "column_id": "Status", "changes": {"type": "number"}},
        {"action": "remove", "column_id": "Nachfassdatum"},
    ],
}  # fmt: skip
PROPOSED_TABLE: dict[str, Any] = {
    "mode": "create", "reasoning": "Was man von einer Pflanze wissen möchte", "table_name": "Zimmerpflanzen",
    "table_description": "Was wo wächst", "operations": [
        {"action": "add", "column": {"name": "Name", "type": "text", "required": True}},
        {"action": "add", "column": {"name": "Höhe in Zentimetern", "type": "number"}},
        {"action": "add", "column": {"name": "Licht", "type": "select", "options": ["Sonne", "Schatten"]}},
        {"action": "add", "column": {"name": "Zuletzt gegossen", "type": "date"}},
    ],
    "sample_rows": [{"Name": "Farn", "Höhe in Zentimetern": 40.5, "Licht": "Schatten"},
                    {"Name": "Basilikum", "Höhe in Zentimetern": 25, "Zuletzt gegossen": "2026-11-20"}],
}  # fmt: skip


def _apply(page: Page) -> Locator:
    return page.get_by_role("button", name="übernehmen").locator("visible=true").first


def german_rows(stage: Stage) -> Iterator[State]:
    """Proposed rows: in the chat, under review, with a conflict, applied."""
    page = stage.open_as_new_user()
    address = open_german_table(stage, page)
    api = f"/api{address.removeprefix(stage.app.address)}rows/"
    first, _, third = [row["id"] for row in send(page, "GET", api)["rows"]]
    stage.propose(page, "DATA_PROPOSAL", {"reasoning": "Wie gewünscht", "operations": [
        {"action": "add", "data": {"Firma": "Dyno", "Status": "Gespräch", "Gehalt": "3.000,00 €"}},
        {"action": "add", "data": {"Firma": "Echo", "Status": "Eingestellt"}},
        {"action": "update", "row_id": first, "changes": {"Status": "Abgelehnt"}, "reason": "Keine Antwort"},
        {"action": "delete", "row_id": third, "reason": "Leer"},
    ]})  # fmt: skip
    expect(page.locator("[data-op]").first).to_be_attached()
    yield State("review-rows-in-chat", page)
    stage.hide_chat(page)
    expect(_apply(page)).to_be_enabled()
    yield State("review-rows", page)
    send(page, "PATCH", f"{api}{first}/", {"data": {"Status": "Gespräch"}})
    page.reload()
    expect(page.locator("td.is-conflict")).to_be_attached()
    expect(_apply(page)).to_be_enabled()
    page.locator("td.is-conflict").click()
    yield State("review-rows-conflict", page)
    _apply(page).click()
    expect(page.locator("#toasts button").first).to_be_visible()
    yield State("review-rows-applied", page)
    stage.show_chat(page)
    yield State("review-rows-receipt", page)


def german_column_changes(stage: Stage) -> Iterator[State]:
    """Proposed columns: under review, refused, applied; and a proposed table."""
    page = stage.open_as_new_user()
    stage.propose(page, "SCHEMA_PROPOSAL", PROPOSED_TABLE)
    expect(page.get_by_role("log")).to_contain_text("Zimmerpflanzen")
    yield State("list-proposed-in-chat", page)
    stage.hide_chat(page)
    expect(page.locator('th[data-column="2"]')).to_be_visible()
    yield State("list-proposed-table", page)
    open_german_table(stage, page)
    stage.propose(page, "SCHEMA_PROPOSAL", PROPOSED_COLUMNS)
    expect(page.get_by_role("region", name=stage.translate("Proposed column changes"))).to_be_attached()
    stage.hide_chat(page)
    expect(_apply(page)).to_be_enabled()
    yield State("review-columns", page)
    _apply(page).click()
    expect(page.get_by_role("alert").first).to_be_visible()
    yield State("review-columns-refused", page)
    page.locator(".op__confirm input").check()
    page.get_by_role("button", name=stage.translate("Close")).last.click()
    _apply(page).click()
    expect(page.locator("#toasts button").first).to_be_visible()
    yield State("review-columns-applied", page)


def german_chat(stage: Stage) -> Iterator[State]:
    """An empty chat, waiting messages, answers with tools, a failure, and the list of conversations."""
    page = stage.open_as_new_user()
    open_german_table(stage, page)
    log = page.get_by_role("log")
    stage.show_chat(page)
    expect(log.locator(".prompts button").first).to_be_visible()
    yield State("chat-empty", page)
    gate = Gate()
    stage.ask(page, "Was ist offen?", reply("Ich sehe nach und sage es.", sizes=(4,), gate=gate, gate_after=2))
    expect(log).to_contain_text("Ich sehe")
    stage.ask(page, "Und dann?")
    yield State("chat-waiting", page)
    stage.model.add(use(("get_rows", {"limit": 2})), reply("Zwei sind offen.\n\nSUGGESTED_VALUES: [\"Welche?\"]"))
    gate.open()
    expect(log).to_contain_text("Zwei sind offen.")
    log.locator("details.tool > summary").last.click()
    yield State("chat-tool-open", page)
    added = use(("create_row", {"data": {"Firma": "Dyno"}}))
    stage.ask(page, "Dyno hinzufügen", added, reply("Dyno ist da."))
    expect(log).to_contain_text("Dyno ist da.")
    yield State("chat-wrote", page)
    stage.ask(page, "Und nun?", reply(f"Bitte. DATA_PROPOSAL: {json.dumps({'operations': 'alle'})}"),
              reply("Bitte. DATA_PROPOSAL: {}"))  # fmt: skip
    expect(log.locator("details").last).to_be_attached()
    yield State("chat-unreadable", page)
    stage.ask(page, "Noch etwas?", interrupted("Es beginnt, aber dann"))
    expect(log.get_by_role("alert")).to_be_visible()
    yield State("chat-failed", page)
    page.locator("[data-part=title]").click()
    expect(page.locator("#chat-conversations")).to_be_visible()
    yield State("conversations", page)
