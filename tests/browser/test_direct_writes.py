"""What the assistant writes directly, with a tool, has its own Undo on the tool's card."""
from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.doing import say
from tests.browser.running import ADMINISTRATOR, RunningApp
from tests.scripted import ScriptedModel, use
from tests.scripted import say as reply


def test_a_row_a_tool_has_added_is_taken_back_from_its_card(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(scripted_app.link_for(ADMINISTRATOR))
    page.get_by_role("link", name="Job applications").first.click()
    page.wait_for_url("**/tables/*/")
    page.goto(f"{page.url}?search=Zeppelin")
    row = {"Company": "Zeppelin Works", "Position": "Pilot", "Status": "Applied"}
    scripted.add(use(("create_row", {"data": row})), reply("Added."))
    say(page, "add a row for Zeppelin Works")

    grid, card = page.get_by_role("grid"), page.get_by_role("log").locator("details.tool")
    expect(grid.get_by_text("Zeppelin Works")).to_be_visible()
    expect(page.get_by_role("log")).to_contain_text("Added.")
    card.locator("summary").click()
    card.get_by_role("button", name="Undo").click()

    expect(card.locator("summary")).to_contain_text("Undone")
    expect(grid.get_by_text("Zeppelin Works")).to_have_count(0)

    card.get_by_role("button", name="Redo").press("Enter")
    expect(grid.get_by_text("Zeppelin Works")).to_be_visible()
    expect(card.locator("summary")).to_contain_text("Zeppelin Works")
    expect(card.get_by_role("button", name="Undo")).to_be_focused()
