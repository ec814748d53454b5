"""The app in German: cells, filters and proposals, without English texts."""
from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.browser.app_process import RunningApp
from tests.browser.english_texts import english_left
from tests.browser.small_table import COPY, PASTE, OpenTable, cell, create_table, saved, values
from tests.scripted_model import Reply, ScriptedModel, refuse
from tests.scripted_model import say as reply

CUT_OFF = """() => [...document.querySelectorAll("button, a.btn, h1, h2, .chip, label, summary")]
  .filter((one) => one.checkVisibility() && !one.closest(".sr, .skip, td, th"))
  .filter((one) => one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline")
  .map((one) => one.textContent.trim() || one.getAttribute("aria-label"))"""
CHOSEN_CUT_OFF = """() => [...document.querySelectorAll("select")]
  .filter((one) => {
    const {font, paddingLeft, paddingRight} = getComputedStyle(one);
    const pen = Object.assign(document.createElement("canvas").getContext("2d"), {font});
    const room = one.clientWidth - parseFloat(paddingLeft) - parseFloat(paddingRight);
    return one.checkVisibility() && pen.measureText(one.selectedOptions[0].text).width > room;
  })
  .map((one) => one.selectedOptions[0].text)"""
TOO_WIDE = "() => document.documentElement.scrollWidth > innerWidth"


@pytest.fixture(scope="module")
def german(app: RunningApp, browser: Browser) -> list[Any]:
    """The cookies of a user who has chosen German in the profile, with an English browser."""
    context = browser.new_context(locale="en-US")
    page = context.new_page()
    page.goto(app.link_for_new_user())
    choose_german(page, app)
    found = context.cookies()
    context.close()
    return found


def choose_german(page: Page, app: RunningApp) -> None:
    page.goto(f"{app.address}/profile/")
    page.get_by_label("Language").select_option(label="Deutsch")
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("status").get_by_text("Gespeichert.")).to_be_visible()


@pytest.fixture
def open_german(app: RunningApp, german: list[Any], open_page: Callable[..., Page]) -> OpenTable:
    """Open a new table with three rows as this user; wait until its grid works."""

    def open_german(*, width: int = 1440) -> Page:
        page = open_page(width=width)
        page.context.add_cookies(german)
        page.goto(f"{app.address}/tables/")
        page.goto(create_table(page, app, name="Bewerbungen"))
        expect(page.locator("table-grid [data-add-row]")).to_be_enabled()
        return page

    return open_german


def ask(page: Page, message: str) -> None:
    composer = page.get_by_role("textbox", name="Nachricht an den Assistenten")
    composer.fill(message)
    composer.press("Enter")


def propose(page: Page) -> None:
    """Ask the demo model for a change of one row, and wait for its review."""
    # The language of the page depends on the profile, not on the language of the message.
    ask(page, "Mark Bolt as Rejected")
    expect(page.get_by_role("heading", name="1 von 1 Änderung ausgewählt")).to_be_attached()


def test_cells_are_edited_and_shown_in_german_formats(open_german: OpenTable) -> None:
    page = open_german()
    expect(cell(page, 0, 2)).to_have_text("1000")
    expect(cell(page, 0, 3)).to_have_text("15.03.2026")
    cell(page, 1, 2).dblclick()
    page.keyboard.press("Control+A")
    page.keyboard.type("123456.5")
    page.keyboard.press("Enter")
    expect(cell(page, 1, 2)).to_have_text("123456,5")
    saved(page)
    assert values(page)[1]["Salary"] == 123456.5
    expect(page.get_by_role("button", name="Rückgängig")).to_be_enabled()
    assert english_left(page, code="de") == []
    # English texts would be found.
    page.locator("b[data-count]").evaluate("one => { one.textContent = '3 rows'; }")
    page.locator("[data-add-row]").evaluate("one => one.setAttribute('aria-label', 'Select Acme')")
    assert english_left(page, code="de") == ["3 rows", "Select Acme"]


def test_numbers_are_pasted_and_copied_in_german_formats(open_german: OpenTable) -> None:
    page = open_german()
    cell(page, 0, 2).click()
    page.evaluate(PASTE, "1.200\n1,234\n7")
    expect(cell(page, 0, 2)).to_have_text("1200")
    expect(cell(page, 1, 2)).to_have_text("1,234")
    saved(page)
    # The pasted cells are selected.
    copied = page.evaluate(COPY)
    assert copied == "1200\n1,234\n7"
    page.evaluate(PASTE, "1,234.56\n1.5\n2.500")
    expect(cell(page, 2, 2)).to_have_text("2,5")
    expect(cell(page, 0, 2)).to_have_text("1234,56")
    page.evaluate(PASTE, copied)
    expect(cell(page, 1, 2)).to_have_text("1,234")
    saved(page)
    assert [row["Salary"] for row in values(page)] == [1200, 1.234, 7]


def test_filters_and_lazily_loaded_modules_are_in_german(open_german: OpenTable) -> None:
    page = open_german()
    page.get_by_role("button", name="Filter", exact=True).click()
    page.get_by_role("combobox", name="Spalte der Bedingung 1").select_option("Salary")
    page.get_by_role("combobox", name="Operator der Bedingung 1").select_option(label="ist mindestens")
    page.get_by_role("textbox", name="Wert der Bedingung 1").fill("1500")
    assert english_left(page, code="de") == []
    page.get_by_role("button", name="Zeilen anzeigen").click()
    expect(page.get_by_text("1 passende Zeile", exact=True)).to_be_visible()
    expect(page.get_by_text("Salary ist mindestens 1500")).to_be_visible()
    assert english_left(page, code="de") == []
    page.get_by_role("link", name="Entfernen: Salary ist mindestens 1500").click()
    expect(page.get_by_text("3 Zeilen", exact=True)).to_be_visible()

    cell(page, 0, 0).click()
    page.keyboard.press("Shift+Enter")
    sheet = page.get_by_role("dialog", name="Acme")
    expect(sheet.get_by_role("button", name="Nächste Zeile")).to_be_visible()
    assert english_left(page, code="de") == []
    sheet.get_by_role("button", name="Details schließen").click()
    expect(sheet).to_have_count(0)
    page.get_by_role("button", name="Sortieren").click()
    expect(page.get_by_text("Sortieren nach")).to_be_visible()
    assert english_left(page, code="de") == []
    page.keyboard.press("Escape")
    page.locator("h1, .skip").first.evaluate("one => { one.tabIndex = -1; one.focus(); }")
    page.keyboard.press("?")
    expect(page.get_by_role("dialog", name="Tastenkürzel")).to_contain_text("Umschalt")
    assert english_left(page, code="de") == []


def test_a_proposal_is_reviewed_applied_and_undone_in_german(open_german: OpenTable) -> None:
    page = open_german()
    propose(page)
    expect(page.get_by_role("log")).to_contain_text("1 Änderung wartet in der Tabelle")
    page.locator("td.is-changed").hover()
    expect(page.get_by_role("tooltip")).to_contain_text("Bisher Offer")
    expect(page.get_by_role("tooltip")).to_contain_text("Künftig Rejected")
    assert english_left(page, code="de") == []
    page.get_by_role("button", name="1 Änderung übernehmen").click()
    receipt = page.get_by_role("log").locator("[data-payload]")
    expect(receipt).to_contain_text("1 Änderung übernommen")
    expect(cell(page, 1, 1)).to_have_text("Rejected")
    assert english_left(page, code="de") == []
    receipt.get_by_role("button", name="Rückgängig").click()
    expect(receipt).to_contain_text("1 Änderung rückgängig gemacht")
    expect(receipt.get_by_role("button", name="Wiederholen")).to_be_visible()
    expect(cell(page, 1, 1)).to_have_text("Offer")
    assert english_left(page, code="de") == []


def test_failed_answers_are_reported_in_german_also_after_a_reload(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    page = open_page(sign_in=scripted_app.link_for_new_user())
    choose_german(page, scripted_app)
    page.goto(f"{scripted_app.address}/tables/")
    log = page.get_by_role("log")
    endings = {
        "Das Modell hat nicht geantwortet. Bitte noch einmal versuchen.": [Reply()],
        "Die Antwort brach ab.": [reply("Halb", stop_reason="max_tokens")] * 3,
        "Das Modell hat den API-Schlüssel": [refuse(401, kind="authentication_error")],
    }
    for text, replies in endings.items():
        scripted.add(*replies)
        ask(page, "Und?")
        expect(log).to_contain_text(text)
        expect(log).to_have_attribute("aria-busy", "false")
    assert english_left(page, code="de") == []
    page.reload()
    for text in endings:
        expect(log).to_contain_text(text)
    assert english_left(page, code="de") == []


def test_german_texts_fit_a_phone(app: RunningApp, open_german: OpenTable) -> None:
    page = open_german(width=390)
    assert (page.evaluate(CUT_OFF), page.evaluate(TOO_WIDE)) == ([], False)
    # The name of the table has enough space beside the last action.
    page.locator("[data-saving]").evaluate("one => { one.textContent = 'Zeile unter Acme verschoben'; }")
    assert page.locator(".crumbs__here").evaluate("one => one.offsetWidth") >= 64
    page.locator("[data-saving]").evaluate("one => { one.textContent = ''; }")
    page.get_by_role("button", name=re.compile("Fragen oder Änderung")).click()
    propose(page)
    assert (page.evaluate(CUT_OFF), page.evaluate(TOO_WIDE)) == ([], False)
    page.get_by_role("log").get_by_role("button", name=re.compile("1 Änderung wartet")).click()
    expect(page.locator("#dock").get_by_role("button", name="1 Änderung übernehmen")).to_be_visible()
    assert (page.evaluate(CUT_OFF), page.evaluate(TOO_WIDE)) == ([], False)
    address = page.url
    for path in (f"{address}edit/", f"{address}history/", f"{app.address}/tables/", f"{app.address}/profile/"):
        page.goto(path)
        assert (path, page.evaluate(CUT_OFF), page.evaluate(TOO_WIDE)) == (path, [], False)
    page.goto(f"{address}edit/")
    expect(page.get_by_role("combobox", name="Typ von Remote")).to_have_value("boolean")
    assert page.evaluate(CHOSEN_CUT_OFF) == []
