"""Person columns: a member is chosen from a list in the grid, and pasted by name."""
from __future__ import annotations

from collections.abc import Callable

from playwright.sync_api import Page, expect

from tests.browser.app_process import RunningApp
from tests.browser.small_table import COPY, PASTE, OpenTable, api, cell, saved, send, share_table, values

LEAD_COLUMN = 5


def test_a_member_is_chosen_copied_and_pasted(
    open_table: OpenTable, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_table()
    me = send(page, "GET", "/api/me/")["username"]
    column = send(page, "POST", f"{api(page)}columns/", {"name": "Lead", "type": "person"})
    [person] = column["people"]
    page.reload()
    cell(page, 0, LEAD_COLUMN).click()
    page.keyboard.press("Enter")
    options = page.get_by_role("listbox", name="Lead").get_by_role("option")
    expect(options).to_have_count(1)
    expect(options.first).to_contain_text(me)
    page.keyboard.type("zz")
    expect(page.get_by_text("No such member")).to_be_visible()
    for _ in range(2):
        page.keyboard.press("Backspace")
    page.keyboard.press("Enter")
    shown = cell(page, 0, LEAD_COLUMN).locator(".person")
    expect(shown).to_contain_text(me)
    saved(page)
    assert values(page)[0]["Lead"] == person["id"]
    cell(page, 0, LEAD_COLUMN).click()
    assert page.evaluate(COPY) == me
    cell(page, 1, LEAD_COLUMN).click()
    page.evaluate(PASTE, me.upper())
    expect(cell(page, 1, LEAD_COLUMN).locator(".person")).to_contain_text(me)
    saved(page)
    assert [row.get("Lead") for row in values(page)] == [person["id"], person["id"], None]

    # A member who joins while the page is open.
    other = open_page(scripted_app.link_for_new_user())
    name = send(other, "GET", "/api/me/")["username"]
    share_table(page, other, page.url)
    cell(page, 2, LEAD_COLUMN).click()
    page.evaluate(PASTE, name)
    expect(cell(page, 2, LEAD_COLUMN).locator(".person:not(.is-former)")).to_contain_text(name)
