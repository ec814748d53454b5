"""Next steps: announced with a proposal and done after it is applied, unless they are switched off."""
from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, ViewportSize, expect

from tests.browser.actions import send_message
from tests.browser.app_process import RunningApp
from tests.browser.small_table import send, values
from tests.browser.test_accessibility_preferences import enlarge_font

REQUEST = "Add a Priority column after Status with High, Medium, Low, and fill it from the notes"
COLUMNS = [
    {"name": "Company", "type": "text"},
    {"name": "Status", "type": "select", "options": ["Applied", "Offer"]},
    {"name": "Notes", "type": "text"},
]
ROWS = [
    {"Company": "Acme", "Status": "Applied", "Notes": "Urgent, they want an answer"},
    {"Company": "Bolt", "Status": "Offer", "Notes": "No rush at all"},
    {"Company": "Crux", "Status": "Applied"},
]

SIZES: tuple[ViewportSize, ...] = ({"width": 390, "height": 844}, {"width": 1440, "height": 844})
# Whether the text of a button is inside it, beside its icon.
TEXT_FITS = """button => {
  const range = document.createRange();
  range.selectNode([...button.childNodes].find((one) => one.nodeType === Node.TEXT_NODE && one.data.trim()));
  const [text, box, icon] = [range, button, button.querySelector(".send")].map((one) => one.getBoundingClientRect());
  return text.top >= box.top && text.bottom <= box.bottom && text.left > box.left && text.right <= icon.left;
}"""


def open_table(app: RunningApp, page: Page) -> None:
    table = send(page, "POST", "/api/tables/", {"name": "Jobs", "columns": COLUMNS, "rows": ROWS})
    page.goto(f"{app.address}/tables/{table['id']}/")


def test_an_added_column_is_filled_as_the_next_step(app: RunningApp, open_page: Callable[..., Page]) -> None:
    page = open_page(sign_in=app.link_for_new_user("going_on"))
    open_table(app, page)
    send_message(page, REQUEST)
    columns = page.get_by_role("region", name="Proposed column changes")
    expect(columns.get_by_role("checkbox", name="Then: Fill Priority from the notes")).to_be_checked()
    page.locator(".review__actions").get_by_role("button", name="Apply").click()

    rows = page.get_by_role("region", name="Proposed changes")
    expect(rows.get_by_role("heading", name="2 of 2 changes selected")).to_be_visible()
    expect(page.get_by_role("log")).to_contain_text("Then: Fill Priority from the notes")
    page.reload()
    expect(page.get_by_role("log")).to_contain_text("Then: Fill Priority from the notes")
    expect(rows.get_by_role("heading", name="2 of 2 changes selected")).to_be_visible()
    page.locator(".review__actions").get_by_role("button", name="Apply 2").click()
    expect(page.get_by_role("log")).to_contain_text("Applied 2 changes")
    assert [row.get("Priority") for row in values(page)] == ["High", "Low", None]


def test_next_steps_are_readable_with_a_large_font(app: RunningApp, open_page: Callable[..., Page]) -> None:
    """With such a font, a wide window has the layout of a phone too."""
    page = open_page(sign_in=app.link_for_new_user())
    open_table(app, page)
    send_message(page, REQUEST)
    follows = page.get_by_role("checkbox", name="Then: Fill Priority from the notes")
    expect(follows).to_be_checked()
    enlarge_font(page)
    page.set_viewport_size(SIZES[0])
    page.reload()
    apply = page.locator("#dock").get_by_role("button", name="Apply 1 change")
    for size in SIZES:
        page.set_viewport_size(size)
        expect(apply).to_be_enabled()
        expect(follows).to_be_in_viewport(ratio=1)
        for name in ("Dismiss", "Apply 1 change", "Open chat"):
            expect(page.locator("#dock").get_by_role("button", name=name)).to_be_in_viewport(ratio=1)
    apply.click()
    # The values of the column are proposed by now.
    apply = page.locator("#dock").get_by_role("button", name="Apply 2 changes")
    for size in SIZES:
        page.set_viewport_size(size)
        expect(apply).to_be_in_viewport(ratio=1)
        page.locator("#dock").get_by_role("button", name="Open chat").click()
        log = page.get_by_role("log")
        expect(log.get_by_text("Then: Fill Priority from the notes")).to_be_visible()
        assert log.evaluate("log => log.scrollWidth - log.clientWidth") == 0
        page.get_by_role("button", name="Close chat").click()
    apply.click()
    opener = page.locator("#dock").get_by_role("button", name="Ask, or describe a change")
    for size in SIZES:
        page.set_viewport_size(size)
        expect(opener).to_be_in_viewport(ratio=1)
        assert opener.evaluate(TEXT_FITS)
        # The placeholder of the search field is not cut off.
        assert page.get_by_role("searchbox", name="Search rows").evaluate("it => it.offsetWidth") >= 240


def test_a_next_step_that_is_switched_off_is_not_done(app: RunningApp, open_page: Callable[..., Page]) -> None:
    page = open_page(sign_in=app.link_for_new_user("not_going_on"))
    open_table(app, page)
    send_message(page, REQUEST)
    page.get_by_role("checkbox", name="Then: Fill Priority from the notes").uncheck()
    page.locator(".review__actions").get_by_role("button", name="Apply").click()
    expect(page.get_by_role("log")).to_contain_text("Applied 1 column change")
    send_message(page, "How many rows are there?")
    expect(page.get_by_role("log")).to_contain_text("3 rows")
    expect(page.get_by_role("log")).not_to_contain_text("Then:")
