"""Previewing and trying out a new configuration entry."""
from __future__ import annotations

import json
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.app_process import RunningApp
from tests.scripted_model import ScriptedModel
from tests.scripted_model import say as reply

ALLOW_TUNING = (
    "from django.contrib.auth.models import Permission, User; u = User.objects.get(username={name!r}); "
    "u.is_staff = True; u.save(); u.user_permissions.add(Permission.objects.get(codename='tune_assistant'))"
)
CHART = {"Name": "chart_of_nora", "Marker": "CHART_OF_NORA:", "Instructions": "Write CHART_OF_NORA: with bars.",
         "JSON Schema": '{"type": "object", "required": ["bars"]}'}  # fmt: skip


def open_configuration(
    app: RunningApp, open_page: Callable[..., Page], path: str, *, name: str, dark: bool = False
) -> Page:
    """Open a configuration page as a user who may only change the configuration; if `dark`, on a small screen."""
    link = app.link_for_new_user(name)
    app.manage("shell", "--no-imports", "-c", ALLOW_TUNING.format(name=name))
    page = open_page(sign_in=link, dark=dark, width=390 if dark else 1280)
    page.goto(f"{app.address}/admin/chat/override/{path}")
    return page


def test_a_payload_type_is_previewed_and_tried_before_it_is_added(
    scripted_app: RunningApp, scripted: ScriptedModel, open_page: Callable[..., Page]
) -> None:
    page = open_configuration(scripted_app, open_page, "add/payload_type/", name="nora", dark=True)
    section = page.get_by_role("region", name="Try it")
    section.get_by_role("textbox", name="Message").fill("Draw it")
    section.get_by_role("button", name="Send").click()
    expect(section.get_by_role("alert")).to_contain_text("Enter a name")
    for box, words in CHART.items():
        page.get_by_role("textbox", name=box).first.fill(words)
    page.get_by_role("textbox", name="Description", exact=True).fill("A chart")

    page.get_by_role("button", name="Preview the prompt").click()
    expect(page.get_by_text("as if selected on").first).to_be_visible()
    capabilities = page.get_by_role("region", name="Capabilities")
    expect(capabilities).to_contain_text("Unsaved")
    expect(capabilities).to_contain_text("Write CHART_OF_NORA: with bars.")
    assert page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth") <= 0
    page.get_by_role("button", name="Back to editing").click()
    for box, words in CHART.items():
        expect(page.get_by_role("textbox", name=box).first).to_have_value(words)

    scripted.add(reply('Look. CHART_OF_NORA: {"bars": [3, 5]}'))
    section.get_by_label("Compare with the saved configuration").uncheck()
    section.get_by_role("textbox", name="Message").fill("Draw it")
    section.get_by_role("button", name="Send").click()
    expect(section.get_by_role("log")).to_contain_text("Preview only: it cannot be applied here.")
    expect(section.get_by_role("log")).not_to_contain_text("CHART_OF_NORA")
    assert "Write CHART_OF_NORA: with bars." in json.dumps(scripted.requests[-1]["system"])

    page.get_by_role("button", name="Add").click()
    expect(page.get_by_text("Added. Now select it on the pages that should have it.")).to_be_visible()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_text("Nothing is changed yet.")).to_be_visible()
    page.get_by_role("button", name="Delete").click()
    expect(page.get_by_role("heading", name="Assistant configuration").last).to_be_visible()
    expect(page.get_by_role("link", name="chart_of_nora")).to_have_count(0)
