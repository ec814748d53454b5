"""A message said in other words begins a branch of its own: in the tray, for the model, and after a reload."""

from __future__ import annotations

import json
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.actions import answered, say
from tests.browser.app_process import RunningApp
from tests.scripted_model import ScriptedModel
from tests.scripted_model import say as reply

EDIT = "Edit and send again"
FIELD = "Edit message"
NEW_TABLE = {
    "mode": "create", "reasoning": "To keep them", "table_name": "Books", "table_description": "",
    "operations": [{"action": "add", "column": {"name": "Title", "type": "text"}}], "sample_rows": [],
}  # fmt: skip


def test_what_was_asked_is_asked_in_other_words_in_its_place(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(scripted_app.link_for_new_user())
    log = page.get_by_role("log")
    scripted.add(reply("The first answer."), reply("The second answer."), reply("Another answer."), reply("The next."))
    say(page, "one")
    expect(log).to_contain_text("The first answer.")
    say(page, "two")
    expect(log).to_contain_text("The second answer.")

    log.get_by_role("button", name=EDIT).first.click()
    field = page.get_by_role("textbox", name=FIELD)
    expect(field).to_be_focused()
    field.press("Escape")
    expect(log.get_by_role("button", name=EDIT).first).to_be_focused()
    page.keyboard.press("Enter")
    field.fill("one, in other words")
    field.press("Enter")

    for _ in range(2):
        answered(page, "Another answer.")
        expect(log).to_contain_text("one, in other words")
        expect(log).not_to_contain_text("The first answer.")
        expect(log).not_to_contain_text("two")
        page.reload()
    said = scripted.requests[-1]["messages"]
    assert [message["role"] for message in said] == ["user"]
    assert said[0]["content"][-1]["text"] == "one, in other words"

    say(page, "three")
    expect(log).to_contain_text("The next.")
    told = [m["content"][-1]["text"] for m in scripted.requests[-1]["messages"]]
    assert told == ["one, in other words", "Another answer.", "three"]


def test_a_proposal_that_is_set_aside_with_its_branch_is_not_open_any_more(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(scripted_app.link_for_new_user())
    scripted.add(reply(f"Here is a table.\n\nSCHEMA_PROPOSAL: {json.dumps(NEW_TABLE)}"), reply("As you like."))
    say(page, "I want to track my books")
    create = page.get_by_role("button", name="Create table")
    expect(create).to_be_visible()

    page.get_by_role("log").get_by_role("button", name=EDIT).click()
    page.get_by_role("textbox", name=FIELD).fill("never mind")
    page.get_by_role("textbox", name=FIELD).press("Enter")

    expect(page.get_by_role("log")).to_contain_text("As you like.")
    expect(create).to_be_hidden()


def test_what_was_said_before_is_one_step_away_and_can_be_gone_on_from(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(scripted_app.link_for_new_user())
    log = page.get_by_role("log")
    scripted.add(reply("The first answer."), reply("Another answer."), reply("Answered again."), reply("From there."))
    say(page, "one")
    expect(log).to_contain_text("The first answer.")
    log.get_by_role("button", name=EDIT).click()
    page.get_by_role("textbox", name=FIELD).fill("one, in other words")
    page.get_by_role("textbox", name=FIELD).press("Enter")
    expect(log).to_contain_text("Another answer.")
    expect(log).to_contain_text("2 / 2")
    log.get_by_role("button", name="Try again").click()
    expect(log).to_contain_text("Answered again.")
    expect(log.get_by_text("2 / 2")).to_have_count(2)

    log.get_by_role("button", name="Version before").last.click()
    expect(log).to_contain_text("Another answer.")
    expect(log.get_by_role("button", name="Version after").last).to_be_focused()
    log.get_by_role("button", name="Version before").first.click()
    expect(log).to_contain_text("The first answer.")
    expect(log).not_to_contain_text("in other words")
    expect(log.get_by_text("1 / 2")).to_have_count(1)

    say(page, "and then?")
    expect(log).to_contain_text("From there.")
    told = [m["content"][-1]["text"] for m in scripted.requests[-1]["messages"]]
    assert told == ["one", "The first answer.", "and then?"]
    page.reload()
    expect(log).to_contain_text("From there.")
    expect(log.get_by_text("1 / 2")).to_have_count(1)
