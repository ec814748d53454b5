"""The main journey with a scripted provider: real SDK, real HTTP, small chunks, tools, interruptions and stops."""
from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Page, expect

from tests.browser.actions import log_texts, send_message, watch_log
from tests.browser.app_process import RunningApp
from tests.scripted_model import Gate, Reply, ScriptedModel, use
from tests.scripted_model import say as reply

CHUNK_SIZES = (1, 2, 3, 4, 5, 6, 7)
NEW_TABLE = {
    "mode": "create",
    "reasoning": "To see where you stand",
    "table_name": "Job Applications",
    "table_description": "Where I applied",
    "operations": [
        {"action": "add", "column": {"name": "Company", "type": "text", "required": True}},
        {"action": "add", "column": {"name": "Status", "type": "select", "options": ["Applied", "Offer"]}},
        {"action": "add", "column": {"name": "Date Applied", "type": "date"}},
    ],
    "sample_rows": [{"Company": "Acme", "Status": "Applied", "Date Applied": "2026-03-15"}],
}
EIGHT_ROWS = {
    "reasoning": "Made up, to try it out",
    "operations": [{"action": "add", "data": {"Company": f"Company {n}", "Status": "Applied"}} for n in range(8)],
}


def proposal(marker: str, content: dict[str, Any]) -> Reply:
    return reply(f"Here is what I would do.\n\n**{marker}**: {json.dumps(content)}", sizes=CHUNK_SIZES)


def test_the_main_journey_works_with_a_provider(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(scripted_app.link_for_new_user())
    watch_log(page)
    scripted.add(proposal("SCHEMA_PROPOSAL", NEW_TABLE))
    send_message(page, "I want to track my job applications")
    page.get_by_role("region", name="Proposed table").get_by_role("button", name="Create table").wait_for()
    expect(page.get_by_text("demo model")).to_have_count(0)
    seen = log_texts(page)
    page.get_by_role("checkbox", name="Include the").uncheck()
    page.get_by_role("button", name="Create table").click()
    page.wait_for_url("**/tables/*/")

    watch_log(page)
    scripted.add(
        use(("describe_table", {}), text="Let me look. ", sizes=CHUNK_SIZES), proposal("DATA_PROPOSAL", EIGHT_ROWS)
    )
    send_message(page, "add 8 samples")
    boxes = page.get_by_role("grid").get_by_role("checkbox", name="Add ")
    expect(boxes).to_have_count(8)
    seen += log_texts(page)
    boxes.nth(0).uncheck()
    boxes.nth(7).uncheck()
    page.get_by_role("button", name="Apply 6").click()
    expect(page.get_by_role("log").get_by_text("Applied 6 of 8")).to_be_visible()
    page.get_by_role("log").get_by_role("button", name="Undo").last.click()
    expect(page.get_by_role("grid").locator('tbody[data-body="rows"] tr[data-row]')).to_have_count(0)

    flashes = [text for text in seen if "PROPOSAL" in text or '{"' in text or "operations" in text]
    assert not flashes, flashes[:3]
    assert [tool["name"] for tool in scripted.requests[1]["tools"]]


def test_a_reload_during_an_answer_continues_its_stream(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(scripted_app.link_for_new_user())
    gate = Gate()
    scripted.add(reply("First half, and second half.", sizes=(10,), gate=gate, gate_after=1))
    send_message(page, "tell me something long")
    expect(page.get_by_role("log")).to_contain_text("First half")
    page.reload()
    expect(page.get_by_role("log")).to_contain_text("First half")
    gate.open()
    expect(page.get_by_role("log")).to_contain_text("First half, and second half.")

    scripted.add(reply("And here is the next answer."))
    send_message(page, "go on")
    expect(page.get_by_role("log")).to_contain_text("And here is the next answer.")


def test_stop_ends_the_answer_and_the_next_one_works(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(scripted_app.link_for_new_user())
    scripted.add(reply("What was said stays, this does not.", sizes=(20,), gate=Gate(), gate_after=1))
    send_message(page, "tell me something long")
    expect(page.get_by_role("log")).to_contain_text("What was said stays")
    page.get_by_role("button", name="Stop").click()
    expect(page.get_by_role("log")).to_contain_text("Stopped")
    expect(page.get_by_role("log")).to_contain_text("What was said stays")

    scripted.add(reply("Still here."))
    send_message(page, "are you there?")
    expect(page.get_by_role("log")).to_contain_text("Still here.")
    assert scripted.left == 1
