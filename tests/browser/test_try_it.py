"""Trying out a draft in the admin: streaming, stopping and the usage below the answer."""
from __future__ import annotations

import json
from collections.abc import Callable

from playwright.sync_api import Locator, Page, expect

from tests.browser.app_process import RunningApp
from tests.scripted_model import Gate, ScriptedModel, use
from tests.scripted_model import say as reply

EDIT = "/admin/chat/override/page/table_view/edit/"
GRANT = (
    "from django.contrib.auth.models import Permission, User; u = User.objects.get(username='{name}'); "
    "u.is_staff = True; u.is_superuser = {all}; u.save(); "
    "u.user_permissions.add(Permission.objects.get(codename='tune_assistant'))"
)
TABLE = (
    "from django.contrib.auth.models import User; from tables.operations import Origin; "
    "from tables.services import create_table; "
    "print(create_table(user=User.objects.get(username='ada'), name='Secret recipes', "
    "columns=[{'name': 'Dish', 'type': 'text'}], rows=[{'Dish': 'Soup'}], origin=Origin('api')).pk)"
)
PROPOSAL = {"operations": [{"action": "update", "where": {"column": "Company", "op": "eq", "value": "Acme"},
                            "changes": {"Salary": 70000}}]}  # fmt: skip


def open_persona(app: RunningApp, open_page: Callable[..., Page], *, name: str, superuser: bool = False) -> Page:
    """Open the persona of a page as a new superuser, or as a user who may only change the configuration."""
    link = app.link_for_new_user(name)
    app.manage("shell", "--no-imports", "-c", GRANT.format(name=name, all=superuser))
    page = open_page(sign_in=link, dark=superuser, width=390 if superuser else 1280)
    page.goto(app.address + EDIT)
    return page


def trial(page: Page) -> Locator:
    return page.get_by_role("region", name="Try it")


def test_an_unsaved_persona_is_tried_stopped_and_tried_again(
    scripted_app: RunningApp, scripted: ScriptedModel, open_page: Callable[..., Page]
) -> None:
    page = open_persona(scripted_app, open_page, name="edda")
    persona = page.get_by_role("textbox", name="Persona and workflow")
    persona.fill("You are a careful librarian.")
    section = trial(page)
    expect(section.get_by_label("User", exact=True)).to_have_count(0)
    section.get_by_role("button", name="Run").click()
    expect(section.get_by_role("alert")).to_contain_text("Enter a message first")

    message = section.get_by_role("textbox", name="Message")
    message.fill("Where are the books?")
    scripted.add(reply("Over there, behind", sizes=(4,), gate=Gate(), gate_after=3))
    section.get_by_role("button", name="Run").click()
    expect(section.get_by_role("log")).to_contain_text("Over there")
    section.get_by_role("button", name="Stop").press("Enter")
    expect(section.get_by_role("log")).to_contain_text("Stopped")
    expect(section.get_by_role("button", name="Run")).to_be_focused()
    expect(section).to_contain_text("Outcome")

    scripted.add(use(("get_rows", {"limit": 2})), reply('Here. SUGGESTED_VALUES: ["And the maps?"]'))
    message.press("Control+Enter")
    expect(section.get_by_role("log")).to_contain_text("And the maps?")
    expect(section.get_by_role("log")).to_contain_text("Read rows")
    expect(section.get_by_role("log")).not_to_contain_text("Stopped")
    section.locator("summary").filter(has_text="This page").click()
    expect(section.get_by_text("You are a careful librarian.")).to_be_visible()
    assert "You are a careful librarian." in scripted.requests[-1]["system"][1]["text"]
    page.reload()
    expect(persona).not_to_have_value("You are a careful librarian.")


def test_a_superuser_tries_a_draft_with_a_users_table_and_applies_nothing(
    scripted_app: RunningApp, scripted: ScriptedModel, open_page: Callable[..., Page]
) -> None:
    scripted_app.link_for_new_user("ada")
    table = scripted_app.manage("shell", "--no-imports", "-c", TABLE).split()[-1]
    page = open_persona(scripted_app, open_page, name="root", superuser=True)
    section = trial(page)
    section.get_by_label("User", exact=True).fill("ada")
    section.get_by_label("Object ID").fill(table)
    section.get_by_role("textbox", name="Message").fill("What is there?")
    scripted.add(use(("create_row", {"data": {"Dish": "Pie"}})), reply("Soup."))
    section.get_by_role("button", name="Run").click()
    expect(section.get_by_role("log")).to_contain_text("Soup.")
    assert "Nothing was written" in json.dumps(scripted.requests[-1]["messages"])
    assert "Secret recipes" in json.dumps(scripted.requests[-1]["messages"])
    too_wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
    expect(section).to_contain_text("Messages as sent")
    assert page.evaluate(too_wide) <= 0

    section.get_by_label("User", exact=True).fill("")
    section.get_by_label("Object ID").fill("")
    scripted.add(reply(f"Like this. DATA_PROPOSAL: {json.dumps(PROPOSAL)}"))
    section.get_by_role("button", name="Run").click()
    proposal = section.get_by_role("region", name="Data proposal")
    expect(proposal).to_contain_text("1 to change")
    expect(proposal).to_contain_text("Preview only: it cannot be applied here.")
    expect(section.get_by_role("button", name="Apply")).to_have_count(0)
    expect(section).to_contain_text("Messages as sent")
    assert page.evaluate(too_wide) <= 0
    page.goto(f"{scripted_app.address}/admin/")
    expect(page.get_by_text("Prompt of table_view").first).to_be_visible()
