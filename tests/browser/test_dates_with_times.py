"""Dates with a time: chosen as a format with a preview, typed with a hint, copied, and filtered by a day."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.small_table import COPY, OpenTable, api, cell, saved, send
from tests.browser.test_filters import bar, fill_condition, open_builder


def test_a_date_column_gets_times_which_are_typed_copied_and_filtered(open_table: OpenTable) -> None:
    page = open_table()
    table, due = page.url, send(page, "GET", api(page))["columns"][3]["id"]
    send(page, "PATCH", "/api/me/", {"time_zone": "America/New_York"})
    page.goto(f"{table}edit/#{due}")
    page.get_by_label("Format", exact=True).select_option("Date and time")
    values = page.get_by_role("list", name="Values before and after").get_by_role("listitem")
    expect(values).to_have_text(["Mar 15, 2026Mar 15, 2026, 12:00 AM"])
    page.get_by_role("button", name="Save").click()
    dialog = page.get_by_role("dialog")
    converted = dialog.get_by_role("list").get_by_role("listitem").last
    expect(converted).to_have_text("Mar 15, 2026Mar 15, 2026, 12:00 AM")
    dialog.get_by_role("button", name="Save").click()
    page.wait_for_url(table)

    expect(cell(page, 0, 3).locator("time")).to_have_attribute("datetime", "2026-03-15T04:00Z")
    cell(page, 1, 3).click()
    page.keyboard.press("Enter")
    page.keyboard.type("24 Dec 2026 3:30 pm")
    expect(page.locator(".value-hint")).to_have_text("Thursday, December 24, 2026 at 3:30 PM EST")
    page.keyboard.press("Enter")
    saved(page)
    expect(cell(page, 1, 3)).to_have_text("Dec 24, 2026, 3:30 PM")
    cell(page, 1, 3).click()
    assert page.evaluate(COPY) == "2026-12-24 15:30"
    open_builder(page)
    fill_condition(page, 1, column="Due", test="is on", values=("Dec 24 2026",))
    page.keyboard.press("Enter")
    expect(bar(page)).to_contain_text("Due is on Dec 24, 2026")
    expect(cell(page, 0, 0)).to_have_text("Bolt")
    assert [row["data"].get(due) for row in send(page, "GET", f"{api(page)}rows/?keys=id")["rows"]] == [
        "2026-03-15T04:00Z", "2026-12-24T20:30Z", None,
    ]  # fmt: skip
