"""The configuration of the assistant in a browser, for a user who may only change the configuration."""
from __future__ import annotations

import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.app_process import RunningApp

ALLOW_TUNING = (
    "from django.contrib.auth.models import Permission, User; u = User.objects.get(username='tuner'); "
    "u.is_staff = True; u.save(); u.user_permissions.add(Permission.objects.get(codename='tune_assistant'))"
)


def test_a_persona_can_be_edited_previewed_saved_and_reset(app: RunningApp, open_page: Callable[..., Page]) -> None:
    link = app.link_for_new_user("tuner")
    app.manage("shell", "--no-imports", "-c", ALLOW_TUNING)
    page = open_page(link)
    expect(page.get_by_role("textbox", name="Message the assistant")).to_be_visible()
    page.goto(f"{app.address}/admin/chat/override/")
    page.get_by_role("link", name="table_view").click()
    persona = page.get_by_role("textbox", name="Persona and workflow")
    persona.fill("You are a careful librarian.")
    page.get_by_role("group", name="Tools").get_by_role("checkbox", name="delete_row").uncheck()

    page.get_by_role("button", name="Preview the prompt").click()
    section = page.get_by_role("region", name="This page")
    expect(section).to_contain_text("Unsaved")
    expect(section).to_contain_text("You are a careful librarian.")
    expect(page.get_by_role("region", name="Current context")).to_contain_text("Job applications")
    expect(page.get_by_role("region", name="Declared tools")).not_to_contain_text("delete_row")

    page.get_by_role("button", name="Back to editing").click()
    expect(persona).to_have_value("You are a careful librarian.")
    page.get_by_role("textbox", name="Reason").fill("Calmer")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text("Saved. Applies from the next message.")).to_be_visible()
    page.get_by_text("Difference from the default").first.click()
    expect(page.locator(".difference .added").first).to_have_text("+ You are a careful librarian.")
    expect(page.get_by_role("checkbox", name="delete_row")).not_to_be_checked()

    page.get_by_role("button", name="Reset all to defaults").click()
    expect(page.get_by_text("Saved. Applies from the next message.")).to_be_visible()
    expect(persona).to_have_value(re.compile("^You are next to an open table"))
    expect(page.get_by_text("Difference from the default")).to_have_count(0)
    page.get_by_role("link", name="History", exact=True).click()
    expect(page.get_by_text("– Calmer").first).to_be_visible()


def test_the_file_field_shows_only_texts_of_the_app(app: RunningApp, open_page: Callable[..., Page]) -> None:
    link = app.link_for_new_user("tuner2")
    app.manage("shell", "--no-imports", "-c", ALLOW_TUNING.replace("tuner", "tuner2"))
    page = open_page(sign_in=link, width=390)
    page.goto(f"{app.address}/admin/chat/override/import/")
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


def test_configuration_pages_fit_a_phone_in_the_dark_theme(app: RunningApp, open_page: Callable[..., Page]) -> None:
    page = open_page(sign_in=app.link_for_new_user("small"), width=390, dark=True)
    app.manage("shell", "--no-imports", "-c", ALLOW_TUNING.replace("tuner", "small"))
    for path in ("", "page/table_view/edit/", "page/table_view/preview/", "import/", "history/"):
        page.goto(f"{app.address}/admin/chat/override/{path}")
        expect(page.get_by_role("heading", level=1).last).to_be_visible()
        too_wide = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
        assert page.evaluate(too_wide) <= 0, path
