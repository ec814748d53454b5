"""Refused configuration values: errors beside the field, and conflicts between two editors."""
from __future__ import annotations

from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, expect

from tests.browser.app_process import RunningApp

ALLOW_TUNING = (
    "from django.contrib.auth.models import Permission, User; u = User.objects.get(username={name!r}); "
    "u.is_staff = True; u.save(); u.user_permissions.add(Permission.objects.get(codename='tune_assistant'))"
)
SAVED = "Saved. Applies from the next message."
HOSTILE = "</textarea><script>alert(1)</script><img src=//evil.example/x>{{ settings.SECRET_KEY }}"


@pytest.fixture
def at(app: RunningApp, open_page: Callable[..., Page]) -> Callable[..., Page]:
    """Open a page of the configuration as a user who may only change the configuration."""

    def at(path: str, *, name: str, dark: bool = False, width: int = 1280) -> Page:
        link = app.link_for_new_user(name)
        app.manage("shell", "--no-imports", "-c", ALLOW_TUNING.format(name=name))
        page = open_page(sign_in=link, dark=dark, width=width)
        page.goto(f"{app.address}/admin/chat/override/{path}")
        return page

    return at


def save(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()


def persona(page: Page) -> Locator:
    return page.get_by_role("textbox", name="Persona and workflow")


def test_the_second_of_two_editors_sees_the_change_of_the_first_and_overwrites_nothing_else(
    at: Callable[..., Page],
) -> None:
    path = "page/table_edit/edit/"
    first, second = at(path, name="fia"), at(path, name="silke", dark=True, width=390)
    persona(first).fill("You are a librarian.")
    first.get_by_role("group", name="Tools").get_by_role("checkbox").first.uncheck()
    save(first)
    expect(first.get_by_text(SAVED)).to_be_visible()

    persona(second).fill("You are a pirate.")
    save(second)
    expect(second.get_by_role("alert")).to_contain_text("fia changed “Persona and workflow” while you were editing it")
    expect(second.locator(".difference .removed").first).to_have_text("− You are a librarian.")
    expect(persona(second)).to_have_value("You are a pirate.")
    expect(second.get_by_role("group", name="Tools").get_by_role("checkbox").first).not_to_be_checked()
    save(second)
    expect(second.get_by_text(SAVED)).to_be_visible()
    first.reload()
    expect(persona(first)).to_have_value("You are a pirate.")
    expect(first.get_by_role("group", name="Tools").get_by_role("checkbox").last).to_be_visible()
    first.get_by_role("button", name="Reset all to defaults").click()
    expect(first.get_by_text(SAVED)).to_be_visible()


def test_a_limit_above_its_maximum_is_refused_beside_its_field(at: Callable[..., Page]) -> None:
    page = at("engine/all/edit/", name="lena")
    calls = page.get_by_role("spinbutton", name="Model calls per turn")
    calls.fill("1000")
    save(page)
    assert calls.evaluate("box => box.validity.rangeOverflow")  # refused by the browser before anything is sent
    page.locator("#entry-form").evaluate("form => { form.noValidate = true; }")
    save(page)
    expect(page.get_by_role("alert")).to_have_text("Model calls per turn must be a whole number from 1 to 20.")
    expect(calls).to_have_value("1000")
    expect(calls).to_have_attribute("aria-invalid", "true")
    page.reload()
    expect(page.get_by_text("Default: 1000000")).to_be_visible()


def test_hostile_texts_are_escaped_and_hostile_markers_and_schemas_are_refused(
    at: Callable[..., Page],
) -> None:
    name = "hans"
    page = at("add/payload_type/", name=name, dark=True)
    expect(page.get_by_role("checkbox", name="Enabled")).to_be_checked()
    values = {"Name": f"chart_spec_of_{name}", "Marker": "<b>:", "Instructions": HOSTILE, "Panel title": HOSTILE}
    for box, typed in values.items():
        page.get_by_role("textbox", name=box).first.fill(typed)
    page.get_by_role("textbox", name="Description", exact=True).fill(HOSTILE)
    page.get_by_role("textbox", name="JSON Schema").fill('{"properties": {"a": {"pattern": "(a+)+$"}}}')
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("alert").filter(has_text="for example CHART_SPEC:")).to_be_visible()
    expect(page.get_by_role("alert").filter(has_text="maxLength")).to_be_visible()
    expect(page.get_by_role("textbox", name="Instructions")).to_have_value(HOSTILE)

    page.get_by_role("textbox", name="Marker").fill(f"CHART_SPEC_OF_{name.upper()}:")
    page.get_by_role("textbox", name="JSON Schema").fill('{"type": "object"}')
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("heading", name=f"Payload types: chart_spec_of_{name}")).to_be_visible()
    save(page)
    expect(page.get_by_text("No changes to save.")).to_be_visible()
    page.get_by_role("link", name="History", exact=True).click()
    expect(page.locator(".difference .added").filter(has_text="<script>alert(1)</script>").first).to_be_visible()
    assert page.locator("img[src*=evil]").count() == 0


def test_an_added_entry_is_selected_for_a_page_with_the_checkbox_beside_its_name(at: Callable[..., Page]) -> None:
    page = at("add/client_action/", name="rosa", width=390)
    page.get_by_role("textbox", name="Name").fill("print_the_list")
    page.get_by_role("textbox", name="Description for the model").fill("Opens the report.")
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("heading", name="Client actions: print_the_list")).to_be_visible()
    page.goto(page.url.replace("client_action/print_the_list", "page/table_view"))
    choice = page.get_by_role("checkbox", name="print_the_list")
    choice.check()
    box = choice.bounding_box()
    assert box is not None
    assert box["x"] < 40
    save(page)
    expect(page.get_by_text(SAVED)).to_be_visible()
    expect(choice).to_be_checked()
    page.get_by_role("button", name="Preview the prompt").click()
    expect(page.get_by_role("region", name="Capabilities")).to_contain_text("print_the_list: Opens the report.")
    page.get_by_role("button", name="Back to editing").click()
    page.get_by_role("button", name="Reset all to defaults").click()
    expect(choice).not_to_be_checked()
