"""States of a table with other users and of a table with very many rows, in any language."""
from __future__ import annotations

import re
from collections.abc import Iterator

from playwright.sync_api import Page, expect

from tests.browser.held_responses import HeldRequests
from tests.browser.large_table import COUNT, FILL
from tests.browser.small_table import COLUMNS, send
from tests.browser.states.stage import Stage, State

ROWS_READ = re.compile(r"/rows/\?.*offset=")
SCROLL = "(it, share) => { it.scrollTop = (it.scrollHeight - it.clientHeight) * share; }"
NAMES = ("maya okafor", "jonas", "elena moreau", "tom b", "ines")


def presence(stage: Stage) -> Iterator[State]:
    """Users who view the same table: one, and more than fit."""
    owner = stage.open_blank()
    address = stage.open_table(owner)
    api = f"/api{address.removeprefix(stage.app.address)}"
    faces = owner.locator(".avatars .avatar--other")
    guests: list[Page] = []
    for name in NAMES:
        invitation = send(owner, "POST", f"{api}members/", {"kind": "link", "role": "viewer"})["url"]
        username = f"{name}{'p' if stage.phone else 'w'}{'z' if stage.zoomed else ''}{stage.language}"
        guests.append(stage.open(link=stage.app.link_for_new_user(username)))
        guests[-1].goto(invitation)
        guests[-1].locator("form button[value=accept]").click()
        expect(guests[-1].locator("table-grid[data-live]")).to_be_attached()
        expect(faces.first).to_be_attached()
        if len(guests) == 1:
            yield State("presence-one", owner)
    expect(owner.locator(".avatars__more")).to_be_attached()
    yield State("presence-many", owner)
    yield State("presence-guest", guests[0])
    for guest in guests:
        guest.context.close()


def very_many_rows(stage: Stage) -> Iterator[State]:
    """100,000 rows: the first ones; the middle before and after it is read; a selected row; the end; a range there."""
    page = stage.open_blank()
    columns = [{**column, "filterDisplay": "tab"} if "options" in column else column for column in COLUMNS]
    table = send(page, "POST", "/api/tables/", {"name": "Orders", "columns": columns})["id"]
    stage.app.manage("shell", "--no-imports", "-c", FILL.format(table=table, count=COUNT))
    page.goto(f"{stage.app.address}/tables/{table}/")
    expect(page.locator("table-grid [data-add-row]")).to_be_enabled()
    yield State("large", page)
    held = HeldRequests(page, ROWS_READ)
    page.locator(".grid-scroll").evaluate(SCROLL, 0.5)
    expect(page.locator("tr.is-loading").first).to_be_visible()
    yield State("large-middle-coming", page)
    held.release()
    expect(page.locator("tr.is-loading")).to_have_count(0)
    page.locator("tr[aria-selected] .check, tbody .gutter .check").locator("visible=true").first.check(force=True)
    yield State("large-middle-selected", page)
    page.locator("[data-clear-selected]").click()
    page.locator(".grid-scroll").evaluate(SCROLL, 1)
    expect(page.get_by_text(f"C {COUNT - 1}", exact=True)).to_be_visible()
    cells = page.locator('tbody[data-body="rows"] tr').filter(has_text=f"C {COUNT - 1}").locator("td.cell")
    cells.nth(2).click()
    for _ in range(5):
        page.keyboard.press("Shift+ArrowUp")
    # The number of a row is replaced by its checkbox while the pointer is over it.
    page.mouse.move(5, 5)
    yield State("large-end", page)
