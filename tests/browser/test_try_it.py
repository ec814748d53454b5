"""Trying a draft in the admin: a conversation beside the saved configuration, what differs, and stored tests."""
from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from playwright.sync_api import Locator, Page, expect

from tests.browser.app_process import RunningApp
from tests.scripted_model import Gate, Reply, ScriptedModel
from tests.scripted_model import say as reply

EDIT = "/admin/chat/override/page/table_view/edit/"
GRANT = (
    "from django.contrib.auth.models import Permission, User; u = User.objects.get(username='{name}'); "
    "u.is_staff = True; u.save(); u.user_permissions.add(Permission.objects.get(codename='tune_assistant')); "
    "from chat.models import PromptTest; PromptTest.objects.all().delete()"
)
LIBRARIAN = "You are a careful librarian."
PROPOSAL = {"operations": [{"action": "update", "where": {"column": "Company", "op": "eq", "value": "Acme"},
                            "changes": {"Salary": 70000}}]}  # fmt: skip
TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


def open_persona(app: RunningApp, open_page: Callable[..., Page], *, name: str) -> Page:
    """Open the persona of a page as a user who may only change the configuration; there are no stored tests."""
    link = app.link_for_new_user(name)
    app.manage("shell", "--no-imports", "-c", GRANT.format(name=name))
    page = open_page(sign_in=link)
    page.goto(app.address + EDIT)
    return page


def by_persona(*, saved: Reply, draft: Reply) -> Callable[[dict[str, Any]], Reply]:
    """Return a reply for each configuration, in whatever order they ask."""
    return lambda request: draft if LIBRARIAN in json.dumps(request["system"]) else saved


def last_exchange(section: Locator) -> Locator:
    return section.locator(".exchange").last


def store_and_run_all(section: Locator) -> None:
    """Store the conversation as the only test, and run it."""
    section.get_by_role("button", name="Store as test").click()
    section.get_by_role("textbox", name="Title of the test").press("Enter")
    tests = section.get_by_role("region", name="Stored tests of Table")
    expect(tests.get_by_role("link", name="Where are the books?")).to_be_visible()
    tests.get_by_role("button", name="Run all").click()
    expect(tests).to_contain_text("1 of 1 tests done, 1 different")
    tests.get_by_text("Answers in full").click()
    expect(tests.get_by_role("button", name="Mark differences")).to_have_count(2)


def test_a_draft_is_tried_in_a_conversation_beside_the_saved_configuration(
    scripted_app: RunningApp, scripted: ScriptedModel, open_page: Callable[..., Page]
) -> None:
    page = open_persona(scripted_app, open_page, name="edda")
    page.get_by_role("textbox", name="Persona and workflow").fill(LIBRARIAN)
    section = page.get_by_role("region", name="Try it")
    section.get_by_role("button", name="Send").click()
    expect(section.get_by_role("alert")).to_contain_text("Enter a message first")

    message = section.get_by_role("textbox", name="Message")
    message.fill("Where are the books?")
    waiting = reply("Over there, behind", sizes=(4,), gate=Gate(), gate_after=3)
    scripted.add(waiting, waiting)
    message.press("Control+Enter")
    answers = [section.get_by_role("region", name=name, exact=True) for name in ("Saved", "Draft")]
    for answer in answers:
        expect(answer).to_contain_text("Over there")
    section.get_by_role("button", name="Stop").press("Enter")
    for answer in answers:
        expect(answer).to_contain_text("Stopped")
    expect(message).to_be_focused()

    both = by_persona(
        saved=reply("Two shelves hold the maps."),
        draft=reply(f"Two boxes hold the maps. DATA_PROPOSAL: {json.dumps(PROPOSAL)}"),
    )
    scripted.add(both, both)
    message.fill("And the maps?")
    section.get_by_role("button", name="Send").click()
    exchange = last_exchange(section)
    expect(exchange).to_contain_text("Different")
    proposal = exchange.get_by_role("region", name="Data proposal")
    expect(proposal).to_contain_text("Preview only: it cannot be applied here.")
    expect(exchange.get_by_text("tokens in")).to_have_count(2)
    assert all("Where are the books?" in json.dumps(request["messages"]) for request in scripted.requests[-2:])
    exchange.get_by_role("button", name="Mark differences").click()
    expect(exchange.locator("del")).to_have_text("shelves")
    expect(exchange.locator("ins").first).to_have_text("boxes")
    exchange.get_by_text("Trace").last.click()
    expect(exchange).to_contain_text("Messages as sent")

    scripted.add(both, both, both, both)
    store_and_run_all(section)
    page.set_viewport_size({"width": 390, "height": 844})
    assert page.evaluate(TOO_WIDE) <= 0
