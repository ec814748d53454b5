"""Fields of the configuration: errors beside them, checkboxes beside their names, and a field for a file."""
from __future__ import annotations

import re
from collections.abc import Callable

import pytest
from playwright.sync_api import Page, expect

from tests.browser.app_process import RunningApp

ALLOW_TUNING = (
    "from django.contrib.auth.models import Permission, User; u = User.objects.get(username={name!r}); "
    "u.is_staff = True; u.save(); u.user_permissions.add(Permission.objects.get(codename='tune_assistant'))"
)
SAVED = "Saved. Applies from the next message."


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


def test_input_is_stored_and_its_errors_are_listed_with_focus(at: Callable[..., Page]) -> None:
    page = at("engine/all/edit/", name="lena")
    expect(page.get_by_text("Default: 1,000,000")).to_be_visible()
    calls = page.get_by_role("spinbutton", name="Model calls per turn")
    calls.fill("1000")
    assert not page.evaluate("dispatchEvent(new Event('beforeunload', { cancelable: true }))")
    expect(page.get_by_text("Unsaved changes stored at")).to_be_visible()
    assert page.evaluate("dispatchEvent(new Event('beforeunload', { cancelable: true }))")
    page.reload()
    page.get_by_role("link", name="Continue editing").click()
    expect(calls).to_have_value("1000")
    page.keyboard.press("Control+s")
    errors = page.get_by_role("region", name="Not saved.")
    expect(errors).to_be_focused()
    errors.get_by_role("link", name="Model calls per turn must be a whole number from 1 to 20.").click()
    expect(calls).to_be_focused()
    expect(calls).to_have_accessible_description(re.compile("from 1 to 20"))
    calls.fill("6")
    page.keyboard.press("Control+s")
    expect(page.get_by_text(SAVED)).to_be_visible()
    expect(page.get_by_role("link", name="Continue editing")).to_have_count(0)


def test_an_added_entry_is_selected_for_a_page_with_the_checkbox_beside_its_name(at: Callable[..., Page]) -> None:
    page = at("add/client_action/", name="rosa", width=390)
    page.get_by_role("textbox", name="Name").fill("print_the_list")
    page.get_by_role("textbox", name="Description for the model").fill("Opens the report.")
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("heading", name="Client actions: Print the list (print_the_list)")).to_be_visible()
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
    page.get_by_role("button", name="Reset", exact=True).click()
    expect(choice).not_to_be_checked()


def test_the_file_field_shows_only_texts_of_the_app(at: Callable[..., Page]) -> None:
    page = at("import/", name="tuner", width=390)
    field = page.get_by_label("Exported configuration (JSON)")
    # The texts of the browser are in its own language, not in that of the page.
    expect(page.get_by_text("Choose a file", exact=True)).to_be_visible()
    expect(field).to_have_css("opacity", "0")
    with page.expect_file_chooser() as chooser:
        page.locator("label", has_text="Choose a file").click()
    chooser.value.set_files({"name": "assistant.json", "mimeType": "application/json", "buffer": b"{}"})
    # The name of a chosen file is shown.
    expect(field).to_have_css("opacity", "1")
    assert field.evaluate("field => getComputedStyle(field, '::file-selector-button').display") == "none"
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
