"""Effect of configuration changes on the next turn, and what superusers and editors can read in the admin."""
from __future__ import annotations

import json
import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.actions import send_message
from tests.browser.app_process import RunningApp
from tests.browser.small_table import COLUMNS, ROWS, send
from tests.scripted_model import ScriptedModel
from tests.scripted_model import say as reply

GRANT = (
    "from django.contrib.auth.models import Permission, User; u = User.objects.get(username={name!r}); "
    "u.is_staff = True; u.is_superuser = {root}; u.save(); "
    "u.user_permissions.add(Permission.objects.get(codename='tune_assistant'))"
)
OVERRIDES = "/admin/chat/override/"
SAVED = "Saved. Applies from the next message."
PERSONA = "Talk like the keeper of a lighthouse."
# Admin pages with data of users.
DATA_PAGES = ("Conversations", "Feedback", "Payloads", "Token use", "Traces", "Turns", "Tables", "Changes",
               "API tokens", "Users", "Log entries")  # fmt: skip


def staff(app: RunningApp, open_page: Callable[..., Page], *, name: str, root: bool, dark: bool = False) -> Page:
    """Open the tables of a new superuser, or of a new user who may only change the configuration."""
    link = app.link_for_new_user(name)
    app.manage("shell", "--no-imports", "-c", GRANT.format(name=name, root=root))
    return open_page(link, dark=dark)


def save(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text(SAVED)).to_be_visible()


def test_saved_overrides_are_in_the_next_request_and_removed_overrides_are_not(
    scripted_app: RunningApp, scripted: ScriptedModel, open_page: Callable[..., Page]
) -> None:
    page = staff(scripted_app, open_page, name="elsa", root=False)
    page.goto(f"{scripted_app.address}{OVERRIDES}texts/all/edit/")
    preamble = page.get_by_role("textbox", name="Preamble")
    preamble.fill(f"{preamble.input_value()}\n{PERSONA}")
    save(page)
    page.goto(f"{scripted_app.address}{OVERRIDES}engine/all/edit/")
    page.get_by_role("spinbutton", name="Answer limit (tokens)").fill("777")
    save(page)
    assert sent_configuration(page, scripted_app, scripted, answer="Ahoy.") == (True, 777)

    for entry in ("texts", "engine"):
        page.goto(f"{scripted_app.address}{OVERRIDES}{entry}/all/edit/")
        page.get_by_role("button", name="Reset all to defaults").click()
        expect(page.get_by_text(SAVED)).to_be_visible()
    has_persona, max_tokens = sent_configuration(page, scripted_app, scripted, answer="Good day.")
    assert not has_persona
    assert max_tokens > 777


def sent_configuration(page: Page, app: RunningApp, model: ScriptedModel, *, answer: str) -> tuple[bool, int]:
    """Send a message; return whether the request had the new persona, and the maximum tokens of the answer."""
    page.goto(f"{app.address}/tables/")
    model.add(reply(answer))
    send_message(page, "Hello")
    expect(page.get_by_role("log")).to_contain_text(answer)
    request = model.requests[-1]
    return PERSONA in json.dumps(request["system"]), request["max_tokens"]


def test_superusers_can_read_user_data_in_the_admin_and_editors_cannot(
    scripted_app: RunningApp, scripted: ScriptedModel, open_page: Callable[..., Page]
) -> None:
    user = open_page(scripted_app.link_for_new_user("wanda"))
    table = send(user, "POST", "/api/tables/", {"name": "Tide tables", "columns": COLUMNS, "rows": ROWS})["id"]
    token = send(user, "POST", "/api/tokens/", {"name": "Of the lighthouse"})
    scripted.add(reply("Behind the lamp."))
    send_message(user, "Where is the oil?")
    expect(user.get_by_role("log")).to_contain_text("Behind the lamp.")
    expect(user.get_by_role("group", name="Rate this answer")).to_be_visible()
    [conversation] = send(user, "GET", "/api/chat/conversations/")["conversations"]
    messages = send(user, "GET", f"/api/chat/conversations/{conversation['id']}/messages/")["messages"]
    thumb = {"rating": "down", "reason": "Too dark."}
    send(user, "POST", f"/api/chat/messages/{messages[-1]['id']}/feedback/", thumb)

    root = staff(scripted_app, open_page, name="ruth", root=True, dark=True)
    root.goto(f"{scripted_app.address}/admin/")
    for name in DATA_PAGES:
        # A section may have the same name as a page in it.
        expect(root.get_by_role("main").get_by_role("link", name=name, exact=True).last).to_be_visible()
    expect_user_data(root, scripted_app, secret=token["token"])
    expect_prompt_with_table(root, scripted_app, table=str(table))

    editor = staff(scripted_app, open_page, name="ella", root=False)
    editor.goto(f"{scripted_app.address}/admin/")
    expect(editor.get_by_role("main").get_by_role("link", name="Assistant statistics", exact=True)).to_be_visible()
    # tests/flows/test_every_endpoint.py tests that each of these URLs is refused.
    for name in DATA_PAGES:
        expect(editor.get_by_role("link", name=name, exact=True)).to_have_count(0)
    for path in (f"/tables/{table}/", f"/api/tables/{table}/", f"/api/chat/conversations/{conversation['id']}/"):
        assert editor.request.get(scripted_app.address + path).status == 404, path
    expect_charts(editor, scripted_app)
    editor.goto(f"{scripted_app.address}{OVERRIDES}preview/")
    expect(editor.get_by_role("region", name="1. Assistant")).to_be_visible()
    expect(editor.get_by_label("User", exact=True)).to_have_count(0)
    assert "Tide tables" not in editor.content()


def expect_user_data(root: Page, app: RunningApp, *, secret: str) -> None:
    """Expect wanda's messages, trace, feedback, table, token without its secret, and the statistics."""
    root.get_by_role("main").get_by_role("link", name="Conversations", exact=True).click()
    root.get_by_role("link", name="Where is the oil?").click()
    answer = root.get_by_role("article", name="assistant")
    expect(answer).to_contain_text("Behind the lamp.")
    expect(answer).to_contain_text("Thumbs down: Too dark.")
    answer.get_by_role("link", name="Trace").click()
    expect(root.get_by_role("region", name="Model calls", exact=True)).to_contain_text("Raw response of call 1")
    root.goto(f"{app.address}/admin/chat/feedback/")
    expect(root.get_by_role("row", name=re.compile("Too dark"))).to_be_visible()
    root.goto(f"{app.address}/admin/tables/table/")
    root.get_by_role("row", name=re.compile("Tide tables")).get_by_role("link").first.click()
    expect(root.get_by_role("heading", name="Tide tables")).to_be_visible()
    root.goto(f"{app.address}/admin/accounts/apitoken/")
    root.get_by_role("link", name="Of the lighthouse").click()
    expect(root.get_by_text("wanda").first).to_be_visible()
    assert secret not in root.content()
    expect_charts(root, app)


def expect_charts(page: Page, app: RunningApp) -> None:
    page.goto(f"{app.address}/admin/chat/figures/?days=7")
    for chart in ("Turns", "Tokens", "Ratings", "Rejected output"):
        region = page.get_by_role("region", name=chart, exact=True)
        expect(region.locator("svg").last).to_be_visible()
    expect(page.get_by_role("region", name="Errors", exact=True)).to_be_visible()
    assert page.get_by_role("region", name="Turns", exact=True).locator("rect[height]").count() > 2


def expect_prompt_with_table(root: Page, app: RunningApp, *, table: str) -> None:
    root.goto(f"{app.address}{OVERRIDES}preview/")
    root.get_by_label("Page, tab, subtab").select_option("table_view")
    root.get_by_label("User", exact=True).fill("wanda")
    root.get_by_label("Table ID").fill(table)
    root.get_by_role("button", name="Show").click()
    expect(root.get_by_role("region", name="Current context")).to_contain_text("Tide tables")
