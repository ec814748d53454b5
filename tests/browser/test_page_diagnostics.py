"""Diagnostics in the tray, only for staff with the permission."""
from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.actions import send_message
from tests.browser.app_process import RunningApp

ALLOW_DIAGNOSTICS = (
    "from django.contrib.auth.models import Permission, User; u = User.objects.get(username={name!r}); "
    "u.is_staff = True; u.save(); u.user_permissions.add(Permission.objects.get(codename='view_trace'))"
)


def test_only_staff_see_the_diagnostics_of_an_answer(app: RunningApp, open_page: Callable[..., Page]) -> None:
    link = app.link_for_new_user("looking_after")
    page = open_page(link)
    send_message(page, "Which tables do I have?")
    expect(page.get_by_role("group", name="Rate this answer")).to_be_visible()
    expect(page.get_by_role("button", name="Diagnostics")).to_have_count(0)

    app.manage("shell", "--no-imports", "-c", ALLOW_DIAGNOSTICS.format(name="looking_after"))
    page.reload()
    page.get_by_role("button", name="Diagnostics").click()

    drawer = page.get_by_role("dialog", name="Diagnostics")
    expect(drawer.get_by_text("Complete", exact=True)).to_be_visible()
    expect(drawer.get_by_role("row", name="Model call 1")).to_be_visible()
    expect(drawer.get_by_text("List tables (list_tables)")).to_be_visible()
    numbers = drawer.get_by_role("heading", name="Prompt").locator("..").locator("summary .n:not(:empty)")
    # Pages without a part of the prompt have no gap in its numbers.
    assert numbers.all_text_contents()[:3] == ["1", "2", "3"]
    expect(drawer).not_to_contain_text("Cost")
    drawer.locator("summary", has_text="This page").click()
    expect(drawer.locator("pre:visible")).to_contain_text("You are on the list of the user's tables")
    drawer.locator("summary", has_text="user").first.click()
    expect(drawer.locator("pre:visible").last).to_contain_text("Which tables do I have?")
    page.keyboard.press("Escape")
    expect(drawer).to_be_hidden()
    expect(page.get_by_role("button", name="Diagnostics")).to_be_focused()
