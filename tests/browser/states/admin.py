"""States of the chat pages in the admin, for a superuser."""
from __future__ import annotations

import re
from collections.abc import Iterator

from playwright.sync_api import expect

from tests.browser.states.stage import Stage, State
from tests.scripted_model import say as reply

MAKE_SUPERUSER = (
    "from django.contrib.auth.models import User; u = User.objects.latest('pk'); "
    "u.is_staff = u.is_superuser = True; u.save()"
)
OVERRIDES = "/admin/chat/override/"
PATHS = ("history/", "preview/", "import/", "add/payload_type/", "page/table_view/edit/", "tests/", "tests/add/")
DELETE_TESTS = "from chat.models import PromptTest; PromptTest.objects.all().delete()"
ADD_BROKEN_OVERRIDES = (
    "from chat.models import Override; store = Override.objects.update_or_create; "
    "store(kind='tool', name='a_tool_of_the_release_before_the_last', field='label', defaults={'value': 'Reading'}); "
    "store(kind='engine', name='all', field='max_iterations', defaults={'value': 1000})"
)


def admin(stage: Stage) -> Iterator[State]:
    """The configuration: the list, an entry edited and tried out, the prompt, the history, import and export."""
    link = stage.app.link_for_new_user()
    stage.app.manage("shell", "--no-imports", "-c", f"{MAKE_SUPERUSER}; {DELETE_TESTS}")
    page = stage.open("/admin/", link=link)
    yield State("admin", page)
    page.goto(f"{stage.app.address}{OVERRIDES}")
    yield State("admin-overrides", page)
    page.goto(f"{stage.app.address}{OVERRIDES}tool/get_rows/edit/")
    page.get_by_role("textbox", name="Description for the model").fill("Reads rows, slowly.")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Difference from the default").click()
    section = page.get_by_role("region", name="Try it")
    section.get_by_role("textbox", name="Message").fill("Where are the books?")
    stage.model.add(*[reply("Over there."), reply("Over here.")] * 2)
    section.get_by_role("button", name="Send").click()
    section.get_by_role("button", name="Mark differences").click()
    section.get_by_text("Trace").first.click()
    expect(section).to_contain_text("Messages as sent")
    section.get_by_role("button", name="Store as test").click()
    section.get_by_role("button", name="Store", exact=True).click()
    section.get_by_role("button", name="Run all").click()
    expect(section).to_contain_text("1 of 1 tests done")
    section.get_by_text("Answers in full").click()
    yield State("admin-override-tried", page)
    for path in PATHS:
        page.goto(f"{stage.app.address}{OVERRIDES}{path}")
        yield State(f"admin-override-{path.strip('/').replace('/', '-')}", page)
    page.goto(f"{stage.app.address}{OVERRIDES}history/")
    page.get_by_role("button", name="Restore all defaults").click()
    expect(page.get_by_role("button", name="Restore", exact=True)).to_be_visible()
    yield State("admin-override-restore", page)
    page.goto(f"{stage.app.address}{OVERRIDES}add/client_action/")
    page.get_by_role("textbox", name="Name").fill("open_report")
    page.get_by_role("textbox", name="Description for the model").fill("Opens the report.")
    page.get_by_role("button", name="Preview the prompt").click()
    expect(page.get_by_text("as if selected on").first).to_be_visible()
    yield State("admin-override-new-preview", page)
    stage.app.manage("shell", "--no-imports", "-c", ADD_BROKEN_OVERRIDES)
    page.goto(f"{stage.app.address}{OVERRIDES}")
    yield State("admin-overrides-broken", page)
    page.goto(f"{stage.app.address}{OVERRIDES}orphaned_overrides/")
    yield State("admin-orphaned-overrides", page)
    page.get_by_role("button", name=re.compile("^Remove all")).click()
    page.get_by_role("button", name="Remove", exact=True).click()
    expect(page.get_by_text("Removed.")).to_be_visible()


def records(stage: Stage) -> Iterator[State]:
    """Stored data: statistics, conversations, traces, tables. The pages of tokens and users are Django's own."""
    link = stage.app.link_for_new_user()
    stage.app.manage("shell", "--no-imports", "-c", MAKE_SUPERUSER)
    page = stage.open("/healthz", link=link)
    stage.open_table(page, name="Kept")
    stage.ask(page, "Hello", reply("Good day."))
    expect(page.get_by_role("log")).to_contain_text("Good day.")
    page.goto(f"{stage.app.address}/admin/chat/figures/")
    yield State("admin-figures", page)
    for kind in ("chat/conversation", "chat/trace", "tables/table"):
        page.goto(f"{stage.app.address}/admin/{kind}/")
        name = kind.replace("/", "-")
        yield State(f"admin-{name}", page)
        first = page.locator("#result_list tbody th a").first
        if first.count():
            page.goto(f"{stage.app.address}{first.get_attribute('href')}")
            yield State(f"admin-{name}-one", page)
