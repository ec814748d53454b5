"""What the next turn is told and may do, by whoever changed it in the admin; and what each of them may read there."""
from __future__ import annotations

import json
import re
from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.actions import say
from tests.browser.app_process import RunningApp
from tests.browser.small_table import COLUMNS, ROWS, send
from tests.scripted_model import ScriptedModel
from tests.scripted_model import say as reply

LET = (
    "from django.contrib.auth.models import Permission, User; u = User.objects.get(username={name!r}); "
    "u.is_staff = True; u.is_superuser = {root}; u.save(); "
    "u.user_permissions.add(Permission.objects.get(codename='tune_assistant'))"
)
WORDS = "/admin/chat/override/"
SAVED = "Saved. Applies from the next message."
KEEPER = "Talk like the keeper of a lighthouse."
# What is kept of people.
KEPT = ("Conversations", "Feedback", "Payloads", "Token use", "Traces", "Turns", "Tables", "Changes", "API tokens",
        "Users", "Log entries")  # fmt: skip


def staff(app: RunningApp, open_page: Callable[..., Page], *, name: str, root: bool, dark: bool = False) -> Page:
    """Somebody who may do everything, or tune the assistant and nothing else, where they have their own tables."""
    link = app.link_for_new_user(name)
    app.manage("shell", "--no-imports", "-c", LET.format(name=name, root=root))
    return open_page(link, dark=dark)


def save(page: Page) -> None:
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_text(SAVED)).to_be_visible()


def test_what_is_saved_is_in_the_very_next_request_and_what_is_taken_back_in_none(
    scripted_app: RunningApp, scripted: ScriptedModel, open_page: Callable[..., Page]
) -> None:
    page = staff(scripted_app, open_page, name="elsa", root=False)
    page.goto(f"{scripted_app.address}{WORDS}texts/all/edit/")
    preamble = page.get_by_role("textbox", name="Preamble")
    preamble.fill(f"{preamble.input_value()}\n{KEEPER}")
    save(page)
    page.goto(f"{scripted_app.address}{WORDS}engine/all/edit/")
    page.get_by_role("spinbutton", name="Answer limit (tokens)").fill("777")
    save(page)
    assert asked(page, scripted_app, scripted, answer="Ahoy.") == (True, 777)

    for entry in ("texts", "engine"):
        page.goto(f"{scripted_app.address}{WORDS}{entry}/all/edit/")
        page.get_by_role("button", name="Reset all to defaults").click()
        expect(page.get_by_text(SAVED)).to_be_visible()
    told, longest = asked(page, scripted_app, scripted, answer="Good day.")
    assert not told
    assert longest > 777


def asked(page: Page, app: RunningApp, model: ScriptedModel, *, answer: str) -> tuple[bool, int]:
    """Of a message to the assistant: whether the model was told the new words, and how long its answer might be."""
    page.goto(f"{app.address}/tables/")
    model.add(reply(answer))
    say(page, "Hello")
    expect(page.get_by_role("log")).to_contain_text(answer)
    request = model.requests[-1]
    return KEEPER in json.dumps(request["system"]), request["max_tokens"]


def test_a_superuser_reads_all_that_is_kept_of_which_an_editor_of_words_finds_nothing(
    scripted_app: RunningApp, scripted: ScriptedModel, open_page: Callable[..., Page]
) -> None:
    person = open_page(scripted_app.link_for_new_user("wanda"))
    table = send(person, "POST", "/api/tables/", {"name": "Tide tables", "columns": COLUMNS, "rows": ROWS})["id"]
    token = send(person, "POST", "/api/tokens/", {"name": "Of the lighthouse"})
    scripted.add(reply("Behind the lamp."))
    say(person, "Where is the oil?")
    expect(person.get_by_role("log")).to_contain_text("Behind the lamp.")
    expect(person.get_by_role("group", name="Rate this answer")).to_be_visible()
    [talk] = send(person, "GET", "/api/chat/conversations/")["conversations"]
    messages = send(person, "GET", f"/api/chat/conversations/{talk['id']}/messages/")["messages"]
    thumb = {"rating": "down", "reason": "Too dark."}
    send(person, "POST", f"/api/chat/messages/{messages[-1]['id']}/feedback/", thumb)

    root = staff(scripted_app, open_page, name="ruth", root=True, dark=True)
    root.goto(f"{scripted_app.address}/admin/")
    for name in KEPT:
        # A room may be called like what is in it.
        expect(root.get_by_role("main").get_by_role("link", name=name, exact=True).last).to_be_visible()
    looked_through(root, scripted_app, secret=token["token"])
    prompt_with_their_table(root, scripted_app, table=str(table))

    editor = staff(scripted_app, open_page, name="ella", root=False)
    editor.goto(f"{scripted_app.address}/admin/")
    expect(editor.get_by_role("main").get_by_role("link", name="Assistant statistics", exact=True)).to_be_visible()
    # That their addresses are refused is asked of every one of them in tests/flows/test_every_endpoint.py.
    for name in KEPT:
        expect(editor.get_by_role("link", name=name, exact=True)).to_have_count(0)
    for address in (f"/tables/{table}/", f"/api/tables/{table}/", f"/api/chat/conversations/{talk['id']}/"):
        assert editor.request.get(scripted_app.address + address).status == 404, address
    figures_are_drawn(editor, scripted_app)
    editor.goto(f"{scripted_app.address}{WORDS}preview/")
    expect(editor.get_by_role("region", name="1. Assistant")).to_be_visible()
    expect(editor.get_by_label("User", exact=True)).to_have_count(0)
    assert "Tide tables" not in editor.content()


def looked_through(root: Page, app: RunningApp, *, secret: str) -> None:
    """What wanda said, how the answer came about, her thumb, her table, her token without its secret, the figures."""
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
    figures_are_drawn(root, app)


def figures_are_drawn(page: Page, app: RunningApp) -> None:
    page.goto(f"{app.address}/admin/chat/figures/?days=7")
    for chart in ("Turns", "Tokens", "Ratings", "Rejected output"):
        region = page.get_by_role("region", name=chart, exact=True)
        expect(region.locator("svg").last).to_be_visible()
    expect(page.get_by_role("region", name="Errors", exact=True)).to_be_visible()
    assert page.get_by_role("region", name="Turns", exact=True).locator("rect[height]").count() > 2


def prompt_with_their_table(root: Page, app: RunningApp, *, table: str) -> None:
    root.goto(f"{app.address}{WORDS}preview/")
    root.get_by_label("Page, tab, subtab").select_option("table_view")
    root.get_by_label("User", exact=True).fill("wanda")
    root.get_by_label("Table ID").fill(table)
    root.get_by_role("button", name="Show").click()
    expect(root.get_by_role("region", name="Current context")).to_contain_text("Tide tables")
