"""Complete journeys of configuration editors through the admin, in the dark theme."""
from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path

from playwright.sync_api import Page, expect

from tests.browser.app_process import RunningApp

SAVED = "Saved. Applies from the next message."
GRANT = (
    "from django.contrib.auth.models import Permission, User; u = User.objects.get(username={name!r}); "
    "u.is_staff = True; u.save(); "
    "u.user_permissions.add(Permission.objects.get(codename='tune_assistant'))"
)
UPGRADE = "from chat.models import Override; Override.objects.filter(field='description').update(base='As it was.')"
# Other tests have changed the configuration of this app before, so the number of the version is unknown.
REUSE_BUTTON = re.compile("^Restore this value: Description for the model of version")
RESTORE_BUTTON = re.compile("^Restore version")


def admin_of(app: RunningApp, page: Page, *, name: str) -> None:
    """Grant the permissions to the user of the page and open the configuration."""
    app.manage("shell", "--no-imports", "-c", GRANT.format(name=name))
    page.goto(f"{app.address}/admin/chat/override/")


def save(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()


def test_an_editor_changes_restores_adds_and_transfers_the_configuration(
    app: RunningApp, open_page: Callable[..., Page], tmp_path: Path
) -> None:
    name = "edith"
    page = open_page(sign_in=app.link_for_new_user(name), dark=True)
    admin_of(app, page, name=name)
    page.get_by_role("link", name="get_rows").click()
    description = page.get_by_role("textbox", name="Description for the model")
    description.fill("Reads rows, slowly.")
    page.get_by_role("textbox", name="Reason").fill("Calmer")
    save(page)
    expect(page.get_by_text(SAVED)).to_be_visible()
    page.get_by_text("Difference from the default").click()
    expect(page.locator(".difference .added").first).to_have_text("+ Reads rows, slowly.")
    app.manage("shell", "--no-imports", "-c", UPGRADE)
    page.reload()
    expect(page.get_by_text("The default has changed since")).to_be_visible()
    page.get_by_role("checkbox", name="Reset to default").check()
    save(page)
    expect(page.get_by_text("Nothing is changed yet.")).to_be_visible()
    save(page)
    expect(description).to_have_value(re.compile("^Read rows of the open table"))

    page.get_by_role("link", name="History", exact=True).click()
    page.get_by_role("button", name=REUSE_BUTTON).first.click()
    expect(page.get_by_text("Value restored.")).to_be_visible()
    page.keyboard.press("Tab")
    page.keyboard.press("Enter")
    expect(page.get_by_text(re.compile("^Version .* undone. Applies"))).to_be_visible()
    page.goto(f"{app.address}/admin/chat/override/history/")
    page.get_by_role("button", name=RESTORE_BUTTON).first.click()
    expect(page.get_by_text("Nothing is changed yet.")).to_be_visible()
    page.get_by_role("button", name="Restore", exact=True).click()
    expect(page.get_by_text(re.compile("^Version .* restored. Applies"))).to_be_visible()

    start = f"{app.address}/admin/chat/override/"
    add_without_code(page, start, by=name)
    export_and_import(page, start, file=tmp_path / "assistant.json", by=name)


def add_without_code(page: Page, start: str, *, by: str) -> None:
    """Add a client action, a help topic and a payload type."""
    page.goto(f"{start}add/client_action/")
    page.get_by_role("textbox", name="Name").fill(f"open_report_of_{by}")
    page.get_by_role("textbox", name="Description for the model").fill("Opens the report.")
    page.get_by_role("button", name="Add").click()
    title = f"Client actions: Open report of {by} (open_report_of_{by})"
    expect(page.get_by_role("heading", name=title)).to_be_visible()
    page.goto(f"{start}add/help_topic/")
    topic = {"Name": f"tables/moons_of_{by}", "Title": "Moons", "Summary": "About moons.", "Text": "Round."}
    for box, words in topic.items():
        page.get_by_role("textbox", name=box).first.fill(words)
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("heading", name=f"(tables/moons_of_{by})")).to_be_visible()
    page.goto(f"{start}add/payload_type/")
    marker = f"CHART_OF_{by.upper()}:"
    for box, words in (("Name", f"chart_of_{by}"), ("Marker", marker), ("Instructions", f"Write {marker} {{}}.")):
        page.get_by_role("textbox", name=box).first.fill(words)
    page.get_by_role("textbox", name="Description", exact=True).fill("A chart")
    page.get_by_role("textbox", name="JSON Schema").fill('{"type": "object"}')
    page.get_by_role("button", name="Add").click()
    expect(page.get_by_role("heading", name=f"(chart_of_{by})")).to_be_visible()


def export_and_import(page: Page, start: str, *, file: Path, by: str) -> None:
    """Export the configuration, delete an entry, and import the file after a preview."""
    page.goto(start)
    with page.expect_download() as taken_out:
        page.get_by_role("link", name="Export", exact=True).click()
    taken_out.value.save_as(file)
    page.goto(f"{start}client_action/open_report_of_{by}/edit/")
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("Nothing is changed yet.")).to_be_visible()
    page.get_by_role("button", name="Delete").click()
    page.get_by_role("link", name="Import").click()
    page.get_by_label("Exported configuration (JSON)").set_input_files(file)
    page.get_by_role("button", name="Preview changes").click()
    expect(page.get_by_text("Nothing is imported yet.")).to_be_visible()
    title = f"Client actions: Open report of {by} (open_report_of_{by})"
    expect(page.get_by_role("heading", name=title).first).to_be_visible()
    page.get_by_role("button", name="Import", exact=True).click()
    expect(page.get_by_role("link", name=f"open_report_of_{by}")).to_be_visible()
