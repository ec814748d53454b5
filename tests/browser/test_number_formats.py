"""Formats of numbers: chosen with a preview, and ratings that are set by key and click, also in details of a row."""

from __future__ import annotations

from playwright.sync_api import expect

from tests.browser.small_table import OpenTable, api, cell, saved, send


def test_a_format_is_chosen_with_a_preview_and_stars_are_set_by_key_click_and_editor(open_table: OpenTable) -> None:
    ratings = {"Acme": 2, "Bolt": 4, "Crux": None}
    page = open_table([{"Company": name, "Salary": stars} for name, stars in ratings.items()])
    table, salary = page.url, send(page, "GET", api(page))["columns"][2]["id"]
    page.goto(f"{table}edit/#{salary}")
    page.get_by_label("Format", exact=True).select_option("Currency")
    page.get_by_label("Currency", exact=True).fill("eur")
    page.get_by_label("Currency", exact=True).press("Tab")
    values = page.get_by_role("list", name="Values before and after").get_by_role("listitem")
    expect(values).to_have_text(["2€2.00", "4€4.00"])
    page.get_by_label("Format", exact=True).select_option("Rating")
    expect(values.first.get_by_role("img", name="2 of 5")).to_be_visible()
    expect(page.get_by_text("Rating, Stars: 5")).to_be_visible()
    page.get_by_role("button", name="Save").click()
    page.wait_for_url(table)

    stars = [cell(page, row, 2) for row in range(3)]
    expect(stars[0].get_by_role("img", name="2 of 5")).to_be_visible()
    stars[0].get_by_role("img").click(position={"x": 1, "y": 5})
    expect(stars[0].get_by_role("img", name="1 of 5")).to_be_visible()
    saved(page)
    page.keyboard.press("ArrowDown")
    page.keyboard.press("ArrowDown")
    page.keyboard.press("3")
    expect(stars[2].get_by_role("img", name="3 of 5")).to_be_visible()
    page.keyboard.press("Enter")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("Enter")
    expect(stars[2].get_by_role("img", name="4 of 5")).to_be_visible()
    page.keyboard.press("ArrowUp")
    page.keyboard.press("ArrowUp")
    page.keyboard.press("0")
    expect(stars[1].get_by_role("img")).to_have_count(0)
    page.keyboard.press("Shift+Enter")
    slider = page.get_by_role("slider", name="Salary")
    slider.press("ArrowRight")
    slider.locator(".stars").click(position={"x": 40, "y": 8})
    expect(stars[1].get_by_role("img", name="3 of 5")).to_be_visible()
    saved(page)
    assert [row["data"].get(salary) for row in send(page, "GET", f"{api(page)}rows/?keys=id")["rows"]] == [1, 3, 4]
