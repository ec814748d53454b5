"""The tray: text of the model is displayed without effects, and no message is lost."""
from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.actions import send_message
from tests.browser.app_process import RunningApp
from tests.browser.interception import intercept
from tests.browser.small_table import OpenTable, send
from tests.scripted_model import Gate, ScriptedModel
from tests.scripted_model import say as reply

HOSTILE = """\
A picture: ![of a **cat**](https://evil.example/pixel.png)

<img src="https://evil.example/pixel.png" onerror="document.title='taken'"><script>document.title='taken'</script>

A [way out](javascript:document.title='taken'), a [page](https://example.org/a) and [bank.example](https://evil.example/).

| a | b |
|---|--:|
| 1 | 2 |
"""


def queue_message(page: Page, scripted: ScriptedModel) -> Gate:
    """Send two messages, the second of which waits; return the gate that completes the answer of the first."""
    gate = Gate()
    scripted.add(reply("The first answer.", sizes=(9,), gate=gate, gate_after=1), reply("The second answer."))
    send_message(page, "one")
    expect(page.get_by_role("log")).to_contain_text("The first")
    send_message(page, "two")
    return gate


def test_hostile_markup_has_no_effect_and_a_reload_continues_an_answer(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(scripted_app.link_for_new_user())
    title = page.title()
    scripted.add(reply(HOSTILE, sizes=(7,)))
    send_message(page, "show me")
    log = page.get_by_role("log")
    expect(log.get_by_role("cell", name="2")).to_be_visible()
    expect(log).to_contain_text("A picture: of a cat")
    expect(log).to_contain_text("<script>document.title='taken'</script>")
    expect(log.locator("img, script, iframe, style")).to_have_count(0)
    expect(log.get_by_role("link")).to_have_text(["https://evil.example/pixel.png", "page", "bank.example"])
    expect(log).to_contain_text("page (example.org)")
    expect(log).to_contain_text("bank.example (evil.example)")
    assert page.title() == title  # the fixture also checks that there was no foreign request

    # A reload during an answer continues its stream, and a waiting message is not lost.
    gate = queue_message(page, scripted)
    expect(page.get_by_text("Waiting: two")).to_be_visible()
    page.reload()
    expect(log).to_contain_text("The first")
    expect(page.get_by_text("Waiting: two")).to_be_visible()
    gate.open()
    expect(log).to_contain_text("The first answer.")
    expect(log).to_contain_text("The second answer.")
    expect(page.get_by_text("Waiting: two")).to_be_hidden()


def test_a_waiting_message_can_be_withdrawn_or_edited_without_losing_a_draft(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(scripted_app.link_for_new_user())
    gate = queue_message(page, scripted)
    send_message(page, "three")
    composer = page.get_by_role("textbox", name="Message the assistant")
    composer.fill("a draft")
    page.get_by_role("button", name="Withdraw", exact=True).nth(1).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Waiting: three")).to_have_count(0)
    expect(composer).to_be_focused()
    page.get_by_role("button", name="Edit", exact=True).focus()
    page.keyboard.press("Enter")
    expect(page.get_by_text("Waiting:")).to_have_count(0)
    expect(composer).to_be_focused()
    expect(composer).to_have_value("two\n\na draft")

    page.reload()
    expect(composer).to_have_value("two\n\na draft")
    composer.press("Enter")
    expect(page.get_by_text("Waiting: two")).to_be_visible()
    gate.open()
    expect(page.get_by_role("log")).to_contain_text("The second answer.")


def test_a_long_table_name_does_not_push_buttons_out_of_the_window(
    app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(sign_in=app.link_for_new_user("long_names"))
    columns = [{"name": "Company", "type": "text"}]
    name = "Applications for the autumn in Berlin, " * 6
    table = send(page, "POST", "/api/tables/", {"name": name, "columns": columns})
    page.goto(f"{app.address}/tables/{table['id']}/")
    page.get_by_role("textbox", name="Message the assistant").fill("How many rows are there?")
    page.get_by_role("button", name="Send").click()
    expect(page.get_by_role("log")).to_contain_text("0 rows")


def test_a_too_long_message_is_not_cut_and_its_rows_can_be_imported(open_table: OpenTable) -> None:
    page = open_table()
    composer = page.get_by_role("textbox", name="Message the assistant")
    send_button = page.get_by_role("button", name="Send", exact=True)
    rows = f"Acme\t{'x' * 1_000}\n" * 35
    composer.fill(rows)
    expect(composer).to_have_value(rows)
    expect(send_button).to_be_disabled()
    expect(page.get_by_text("Your message has 35,209 characters. At most 32,000 can be sent.")).to_be_visible()
    expect(page.get_by_role("link", name="Import these rows instead")).to_be_visible()
    composer.fill("Acme")
    expect(send_button).to_be_enabled()
    expect(page.get_by_text("At most 32,000 can be sent.")).to_have_count(0)


def test_the_chat_is_a_sheet_over_the_table_on_a_phone(app: RunningApp, open_page: Callable[..., Page]) -> None:
    page = open_page(app.link_for_new_user("on_the_phone"), width=390, height=844)
    expect(page.get_by_role("log")).to_be_hidden()
    page.get_by_role("button", name="Describe a table, or ask").click()
    send_message(page, "Track my plants with name and height")
    page.get_by_role("button", name="New table: Plants").click()
    expect(page.get_by_role("log")).to_be_hidden()
    expect(page.get_by_role("button", name="Create table").locator("visible=true").first).to_be_in_viewport()


def test_a_proposal_without_a_handler_can_be_applied_from_its_card(
    app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page()
    # The page registers no handlers, as for a payload type added without code.
    nothing = {"body": "", "content_type": "text/javascript"}
    intercept(page, re.compile(r"/chat/pages/tables_list\.[^/]*$"), lambda route: route.fulfill(**nothing))
    page.goto(app.link_for_new_user("no_handler"))
    send_message(page, "Track my plants with name and height")
    log = page.get_by_role("log")
    card = log.get_by_role("region", name="Proposed columns")
    expect(card.get_by_role("checkbox", name="Select all")).to_be_checked()

    card.get_by_role("button", name="Dismiss").click()
    expect(log.get_by_text("Dismissed", exact=True)).to_be_visible()

    send_message(page, "Track my books with title and author")
    card.get_by_role("button", name="Apply all").click()
    expect(log.get_by_text("Applied", exact=True)).to_be_visible()
