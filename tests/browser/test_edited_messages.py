"""An edited message starts a new branch: in the tray, for the model, and after a reload."""

from __future__ import annotations

import json
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.actions import send_message, wait_for_answer
from tests.browser.app_process import RunningApp
from tests.scripted_model import ScriptedModel
from tests.scripted_model import say as reply

EDIT = "Edit and send again"
EDIT_FIELD = "Edit message"
NEW_TABLE = {
    "mode": "create", "reasoning": "To keep them", "table_name": "Books", "table_description": "",
    "operations": [{"action": "add", "column": {"name": "Title", "type": "text"}}], "sample_rows": [],
}  # fmt: skip


def test_an_edited_message_replaces_the_original(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(scripted_app.link_for_new_user())
    log = page.get_by_role("log")
    scripted.add(reply("The first answer."), reply("The second answer."), reply("Another answer."), reply("The next."))
    send_message(page, "one")
    expect(log).to_contain_text("The first answer.")
    send_message(page, "two")
    expect(log).to_contain_text("The second answer.")

    log.get_by_role("button", name=EDIT).first.click()
    field = page.get_by_role("textbox", name=EDIT_FIELD)
    expect(field).to_be_focused()
    field.press("Escape")
    expect(log.get_by_role("button", name=EDIT).first).to_be_focused()
    page.keyboard.press("Enter")
    field.fill("one, in other words")
    field.press("Enter")

    for _ in range(2):
        wait_for_answer(page, "Another answer.")
        expect(log).to_contain_text("one, in other words")
        expect(log).not_to_contain_text("The first answer.")
        expect(log).not_to_contain_text("two")
        page.reload()
    messages = scripted.requests[-1]["messages"]
    assert [message["role"] for message in messages] == ["user"]
    assert messages[0]["content"][-1]["text"] == "one, in other words"

    send_message(page, "three")
    expect(log).to_contain_text("The next.")
    sent = [m["content"][-1]["text"] for m in scripted.requests[-1]["messages"]]
    assert sent == ["one, in other words", "Another answer.", "three"]


def test_a_proposal_of_an_inactive_branch_cannot_be_applied(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(scripted_app.link_for_new_user())
    scripted.add(reply(f"Here is a table.\n\nSCHEMA_PROPOSAL: {json.dumps(NEW_TABLE)}"), reply("As you like."))
    send_message(page, "I want to track my books")
    create = page.get_by_role("button", name="Create table")
    expect(create).to_be_visible()

    page.get_by_role("log").get_by_role("button", name=EDIT).click()
    page.get_by_role("textbox", name=EDIT_FIELD).fill("never mind")
    page.get_by_role("textbox", name=EDIT_FIELD).press("Enter")

    expect(page.get_by_role("log")).to_contain_text("As you like.")
    expect(create).to_be_hidden()


def test_an_earlier_version_can_be_selected_and_continued(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(scripted_app.link_for_new_user())
    log = page.get_by_role("log")
    scripted.add(reply("The first answer."), reply("Another answer."), reply("Answered again."), reply("From there."))
    send_message(page, "one")
    expect(log).to_contain_text("The first answer.")
    log.get_by_role("button", name=EDIT).click()
    page.get_by_role("textbox", name=EDIT_FIELD).fill("one, in other words")
    page.get_by_role("textbox", name=EDIT_FIELD).press("Enter")
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

    send_message(page, "and then?")
    expect(log).to_contain_text("From there.")
    sent = [m["content"][-1]["text"] for m in scripted.requests[-1]["messages"]]
    assert sent == ["one", "The first answer.", "and then?"]
    page.reload()
    expect(log).to_contain_text("From there.")
    expect(log.get_by_text("1 / 2")).to_have_count(1)
