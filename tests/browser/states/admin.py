"""Our pages in the admin, as somebody sees them who may do everything."""
from __future__ import annotations

import re
from collections.abc import Iterator

from playwright.sync_api import expect

from tests.browser.states.stage import Stage, Stop
from tests.scripted_model import say as reply
from tests.scripted_model import use

LET = (
    "from django.contrib.auth.models import User; u = User.objects.latest('pk'); "
    "u.is_staff = u.is_superuser = True; u.save()"
)
OVERRIDES = "/admin/chat/override/"
BREAK = (
    "from chat.models import Override; keep = Override.objects.update_or_create; "
    "keep(kind='tool', name='a_tool_of_the_release_before_the_last', field='label', defaults={'value': 'Reading'}); "
    "keep(kind='engine', name='all', field='max_iterations', defaults={'value': 1000})"
)


def admin(stage: Stage) -> Iterator[Stop]:
    """What the assistant is told: the list, an entry changed and tried out, the prompt, the history, in and out."""
    link = stage.app.link_for_new_user()
    stage.app.manage("shell", "--no-imports", "-c", LET)
    page = stage.open("/admin/", link=link)
    yield Stop("admin", page)
    page.goto(f"{stage.app.address}{OVERRIDES}")
    yield Stop("admin-overrides", page)
    page.goto(f"{stage.app.address}{OVERRIDES}tool/get_rows/edit/")
    page.get_by_role("textbox", name="Description for the model").fill("Reads rows, slowly.")
    page.get_by_role("button", name="Save", exact=True).click()
    page.get_by_text("Difference from the default").click()
    section = page.get_by_role("region", name="Try it")
    section.get_by_role("textbox", name="Message").fill("Where are the books?")
    stage.model.add(use(("get_rows", {"limit": 2})), reply("Over there."))
    section.get_by_role("button", name="Run").click()
    expect(section.get_by_role("log")).to_contain_text("Over there.")
    expect(section).to_contain_text("Messages as sent")
    yield Stop("admin-override-tried", page)
    for path in ("history/", "preview/", "import/", "add/payload_type/", "page/table_view/edit/"):
        page.goto(f"{stage.app.address}{OVERRIDES}{path}")
        yield Stop(f"admin-override-{path.strip('/').replace('/', '-')}", page)
    page.goto(f"{stage.app.address}{OVERRIDES}history/")
    page.get_by_role("button", name="Restore all defaults").click()
    expect(page.get_by_role("button", name="Restore", exact=True)).to_be_visible()
    yield Stop("admin-override-restore", page)
    page.goto(f"{stage.app.address}{OVERRIDES}add/client_action/")
    page.get_by_role("textbox", name="Name").fill("open_report")
    page.get_by_role("textbox", name="Description for the model").fill("Opens the report.")
    page.get_by_role("button", name="Preview the prompt").click()
    expect(page.get_by_text("as if selected on").first).to_be_visible()
    yield Stop("admin-override-new-preview", page)
    stage.app.manage("shell", "--no-imports", "-c", BREAK)
    page.goto(f"{stage.app.address}{OVERRIDES}")
    yield Stop("admin-overrides-broken", page)
    page.goto(f"{stage.app.address}{OVERRIDES}orphaned_overrides/")
    yield Stop("admin-orphaned-overrides", page)
    page.get_by_role("button", name=re.compile("^Remove all")).click()
    expect(page.get_by_text("Removed.")).to_be_visible()


def records(stage: Stage) -> Iterator[Stop]:
    """What is kept: figures, conversations, traces, tables, tokens, people."""
    link = stage.app.link_for_new_user()
    stage.app.manage("shell", "--no-imports", "-c", LET)
    page = stage.open("/healthz", link=link)
    stage.open_table(page, name="Kept")
    stage.ask(page, "Hello", reply("Good day."))
    expect(page.get_by_role("log")).to_contain_text("Good day.")
    page.goto(f"{stage.app.address}/admin/chat/figures/")
    yield Stop("admin-figures", page)
    for kind in ("chat/conversation", "chat/trace", "tables/table", "accounts/apitoken", "auth/user"):
        page.goto(f"{stage.app.address}/admin/{kind}/")
        name = kind.replace("/", "-")
        yield Stop(f"admin-{name}", page)
        first = page.locator("#result_list tbody th a").first
        if first.count():
            page.goto(f"{stage.app.address}{first.get_attribute('href')}")
            yield Stop(f"admin-{name}-one", page)
