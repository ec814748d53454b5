"""The tray in a real browser: what the model writes is shown and does nothing else, and no message is lost."""
from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Browser, Page, expect

from tests.browser.actions import say
from tests.browser.app_process import RunningApp
from tests.browser.small_table import OpenTable, send
from tests.scripted_model import Gate, ScriptedModel, interrupted
from tests.scripted_model import say as reply

HOSTILE = """\
A picture: ![of a **cat**](https://evil.example/pixel.png)

<img src="https://evil.example/pixel.png" onerror="document.title='taken'"><script>document.title='taken'</script>

A [way out](javascript:document.title='taken'), a [page](https://example.org/a) and [bank.example](https://evil.example/).

| a | b |
|---|--:|
| 1 | 2 |
"""


def test_markdown_is_shown_and_what_is_hidden_in_it_does_nothing(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(scripted_app.link_for_new_user())
    title = page.title()
    scripted.add(reply(HOSTILE, sizes=(7,)))
    say(page, "show me")
    log = page.get_by_role("log")
    expect(log.get_by_role("cell", name="2")).to_be_visible()
    expect(log).to_contain_text("A picture: of a cat")
    expect(log).to_contain_text("<script>document.title='taken'</script>")
    expect(log.locator("img, script, iframe, style")).to_have_count(0)
    expect(log.get_by_role("link")).to_have_text(["https://evil.example/pixel.png", "page", "bank.example"])
    expect(log).to_contain_text("page (example.org)")
    expect(log).to_contain_text("bank.example (evil.example)")
    assert page.title() == title  # and no foreign request: the fixture watches


def one_waits(page: Page, scripted: ScriptedModel) -> Gate:
    """While the first of two messages is answered the second waits; what lets the first come to its end."""
    gate = Gate()
    scripted.add(reply("The first answer.", sizes=(9,), gate=gate, gate_after=1), reply("The second answer."))
    say(page, "one")
    expect(page.get_by_role("log")).to_contain_text("The first")
    say(page, "two")
    return gate


def test_a_message_sent_meanwhile_waits_its_turn_also_through_a_reload(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(scripted_app.link_for_new_user())
    gate = one_waits(page, scripted)
    expect(page.get_by_text("Waiting: two")).to_be_visible()
    page.reload()
    expect(page.get_by_text("Waiting: two")).to_be_visible()
    gate.open()
    expect(page.get_by_role("log")).to_contain_text("The second answer.")
    expect(page.get_by_text("Waiting: two")).to_be_hidden()


def test_what_waits_is_withdrawn_or_taken_back_to_be_edited_and_neither_it_nor_a_draft_is_lost(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(scripted_app.link_for_new_user())
    gate = one_waits(page, scripted)
    say(page, "three")
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


def test_an_answer_that_failed_can_be_asked_for_again(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(scripted_app.link_for_new_user())
    scripted.add(interrupted("It begins, but then"), reply("Now it works."))
    say(page, "hello there")
    expect(page.get_by_role("log").get_by_role("alert")).to_be_visible()
    page.get_by_role("button", name="Try again").first.click()
    log = page.get_by_role("log")
    expect(log).to_contain_text("Now it works.")
    expect(log.get_by_role("alert")).to_have_count(0)
    expect(log.get_by_text("hello there")).to_have_count(1)


def test_who_is_signed_out_meanwhile_keeps_the_text(app: RunningApp, browser: Browser) -> None:
    context = browser.new_context()
    page = context.new_page()
    page.goto(app.link_for_new_user("leaving"))
    expect(page.get_by_role("button", name="What tables do I have?")).to_be_visible()
    context.clear_cookies(name="sessionid")
    say(page, "Precious words")
    expect(page.get_by_text("You are signed out. Your text is saved.")).to_be_visible()
    expect(page.get_by_role("textbox", name="Message the assistant")).to_have_value("Precious words")
    context.close()


def test_a_long_name_of_a_table_leaves_the_buttons_within_reach(
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


def test_a_message_that_is_too_long_stays_whole_and_rows_are_offered_to_be_imported(open_table: OpenTable) -> None:
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


def test_on_a_phone_the_chat_is_a_sheet_over_the_table(app: RunningApp, open_page: Callable[..., Page]) -> None:
    page = open_page(app.link_for_new_user("on_the_phone"), width=390, height=844)
    expect(page.get_by_role("log")).to_be_hidden()
    page.get_by_role("button", name="Describe a table, or ask").click()
    say(page, "Track my plants with name and height")
    page.get_by_role("button", name="New table: Plants").click()
    expect(page.get_by_role("log")).to_be_hidden()
    expect(page.get_by_role("button", name="Create table").locator("visible=true").first).to_be_in_viewport()


def test_a_proposal_that_nothing_on_the_page_shows_can_be_answered_from_its_card(
    app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page()
    # A page that registers no handlers, as for a type that was added without code.
    nothing = {"body": "", "content_type": "text/javascript"}
    page.route(re.compile(r"/chat/pages/tables_list\.[^/]*$"), lambda route: route.fulfill(**nothing))
    page.goto(app.link_for_new_user("no_handler"))
    say(page, "Track my plants with name and height")
    log = page.get_by_role("log")
    card = log.get_by_role("region", name="Proposed columns")
    expect(card.get_by_text("Show the data")).to_be_visible()

    card.get_by_role("button", name="Dismiss").click()
    expect(log).to_contain_text("Dismissed the new table")

    say(page, "Track my books with title and author")
    card.get_by_role("button", name="Apply all").click()
    expect(log.get_by_role("link", name="Created Books")).to_be_visible()
