"""States of the chat beside a page."""
from __future__ import annotations

from collections.abc import Iterator

from playwright.sync_api import expect

from tests.browser.states.stage import Stage, State
from tests.browser.test_page_diagnostics import ALLOW_DIAGNOSTICS
from tests.scripted_model import Gate, interrupted, use
from tests.scripted_model import say as reply

MARKDOWN = """\
Two of the **three** are open, see [the list](https://example.org/a):

| Company | Salary |
|---|--:|
| Acme | 1,000 |
| Bolt | 2,000 |

1. Ask *Acme* once more
2. Leave `Crux` be

> Nothing else is due.

```
sum = 3000
```

SUGGESTED_VALUES: ["Show Acme", "Which are due next week?"]
"""


def answers(stage: Stage) -> Iterator[State]:
    """An empty chat; an answer that is streaming, stopped, finished with a tool, unfolded and rated."""
    page = stage.open_blank()
    stage.open_table(page)
    log = page.get_by_role("log")
    stage.show_chat(page)
    # The starter prompts are read from the server.
    expect(page.get_by_role("button", name="What can you do here?")).to_be_visible()
    yield State("chat-empty", page)
    gate = Gate()
    answer = use(("get_rows", {"limit": 2}), text="Let me look.", sizes=(4,), gate=gate, gate_after=5)
    stage.ask(page, "Which are open?", answer)
    expect(page.get_by_role("button", name="Stop")).to_be_visible()
    expect(log).to_contain_text("Let me look.")
    yield State("chat-running", page)
    page.get_by_role("button", name="Stop").click()
    expect(log).to_contain_text("Stopped")
    yield State("chat-stopped", page)
    stage.ask(page, "Which are open, then?", use(("get_rows", {"limit": 2})), reply(MARKDOWN))
    expect(page.get_by_role("button", name="Show Acme")).to_be_visible()
    yield State("chat-answered", page)
    log.locator("details.tool > summary").last.click()
    yield State("chat-tool-open", page)
    log.get_by_role("button", name="Good answer").last.click()
    expect(page.get_by_role("textbox", name="What was good?")).to_be_visible()
    yield State("chat-thumb", page)
    page.keyboard.press("Escape")
    log.get_by_role("button", name="Edit and send again").last.click()
    yield State("chat-editing", page)


def failed_and_waiting(stage: Stage) -> Iterator[State]:
    """A failed answer and a waiting message."""
    page = stage.open_as_new_user()
    stage.ask(page, "hello there", interrupted("It begins, but then"))
    expect(page.get_by_role("log").get_by_role("alert")).to_be_visible()
    yield State("chat-failed", page)
    gate = Gate()
    stage.ask(page, "one", reply("The first answer.", sizes=(9,), gate=gate, gate_after=1), reply("The second."))
    expect(page.get_by_role("log")).to_contain_text("The first")
    stage.ask(page, "two")
    expect(page.get_by_text("Waiting: two")).to_be_visible()
    yield State("chat-waiting", page)
    gate.open()
    expect(page.get_by_role("log")).to_contain_text("The second.")


def conversations(stage: Stage) -> Iterator[State]:
    """The list of conversations, one renamed, one deleted; and the diagnostics of an answer."""
    link = stage.app.link_for_new_user()
    page = stage.open(link=link)
    name = page.locator("#account .menu__label").inner_text()
    stage.app.manage("shell", "--no-imports", "-c", ALLOW_DIAGNOSTICS.format(name=name))
    page.reload()
    for message, answer in (("What about Berlin?", "It is large."), ("What about Paris?", "It is old.")):
        stage.show_chat(page)
        page.get_by_role("button", name="New conversation").last.click()
        stage.ask(page, message, reply(answer))
        expect(page.get_by_role("log")).to_contain_text(answer)
    page.locator("[data-part=title]").click()
    listed = page.locator("#chat-conversations")
    listed.get_by_role("button", name="Rename What about Paris?").click()
    yield State("conversations-rename", page)
    page.keyboard.press("Escape")
    listed.get_by_role("button", name="Delete What about Berlin?").click()
    expect(listed.get_by_role("button", name="Undo: What about Berlin?")).to_be_visible()
    yield State("conversations-deleted", page)
    page.keyboard.press("Escape")
    stage.show_chat(page)
    page.get_by_role("button", name="Diagnostics").click()
    drawer = page.get_by_role("dialog", name="Diagnostics")
    expect(drawer.get_by_role("row", name="Model call 1")).to_be_visible()
    drawer.locator("summary").first.click()
    yield State("diagnostics", page)
