"""German pages contain no English texts of the app, and no German text is cut off."""
from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

from babel.messages.pofile import read_po
from playwright.sync_api import Locator, Page, expect

from tests.browser.app_process import RunningApp
from tests.browser.english_texts import is_content
from tests.browser.small_table import COLUMNS, ROWS, send
from tests.browser.test_axe import PHONE, find_faults
from tests.scripted_model import ScriptedModel, interrupted
from tests.scripted_model import say as reply

LOCALE = Path(__file__).parents[2] / "locale" / "de" / "LC_MESSAGES"
# Visible and accessible texts, without the contents of this test's tables.
READ_TEXTS = """() => {
  const texts = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { parentElement, data } = walker.currentNode;
    if (parentElement.checkVisibility() && !parentElement.closest("[lang=en], td.cell")) texts.push(data);
  }
  for (const name of ["aria-label", "title", "placeholder"]) {
    for (const one of document.querySelectorAll(`[${name}]`)) texts.push(one.getAttribute(name));
  }
  return [...new Set(texts.map((each) => each.trim().replace(/\\s+/g, " ")))];
}"""
CUT = """() => [...document.querySelectorAll(".btn, .fchip, .tabs a, .menu__item, .chip, h1, h2, label")]
  .filter((one) => one.checkVisibility() && !one.closest(".sr") && getComputedStyle(one).display !== "inline")
  .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => `cut: ${one.textContent.trim()}`)"""
# The serious axe rules about texts. Elements and styles are the same in every language.
TEXT_RULES = ("label-content-name-mismatch", "html-has-lang", "html-lang-valid", "valid-lang")
PROPOSAL = {"reasoning": "Wie gewünscht", "operations": [
    {"action": "add", "data": {"Company": "Dyno", "Status": "Offer", "Salary": 3000}},
    {"action": "add", "data": {"Company": "Echo"}},
]}  # fmt: skip


@cache
def english_texts() -> frozenset[str]:
    """Return the source texts with a different German translation, without those that have placeholders."""
    known: set[str] = set()
    for domain in ("django", "djangojs"):
        with (LOCALE / f"{domain}.po").open("rb") as file:
            for message in read_po(file, locale="de"):
                differs = isinstance(message.id, str) and message.id and message.id != message.string
                if differs and not is_content(message):
                    known.add(message.id)
    return frozenset(text for text in known if "%(" not in text and "{" not in text)


class Reader:
    """A user who has chosen German in the profile."""

    def __init__(self, app: RunningApp, *, open_page: Callable[..., Page], phone: bool) -> None:
        self.app, self.phone = app, phone
        width, height = (PHONE["width"], PHONE["height"]) if phone else (1280, 800)
        self.page = open_page(sign_in=app.link_for_new_user(), width=width, height=height)
        self.page.emulate_media(reduced_motion="reduce")
        send(self.page, "PATCH", "/api/me/", {"language": "de"})

    def go(self, path: str) -> Page:
        self.page.goto(self.app.address + path)
        return self.page

    def show_chat(self) -> None:
        if self.phone and not self.page.get_by_role("log").is_visible():
            self.page.locator('#dock [popovertarget="tray"]').locator("visible=true").first.click()

    def menu(self, opener: Locator, opened: str) -> None:
        opener.click()
        expect(self.page.locator(opened)).to_be_visible()


def table_states(reader: Reader) -> Iterator[str]:
    """The list, a table with its menus, its columns, its history and its members."""
    page = reader.go("/tables/")
    expect(page.get_by_role("heading", name="Welche Tabelle brauchen Sie?")).to_be_visible()
    yield "newcomer"
    table = send(page, "POST", "/api/tables/", {"name": "Bewerbungen", "columns": COLUMNS, "rows": ROWS})["id"]
    reader.go("/tables/")
    expect(page.get_by_text("3 Zeilen")).to_be_visible()
    yield "cards"
    reader.go(f"/tables/{table}/")
    expect(page.get_by_role("button", name="Zeile hinzufügen")).to_be_enabled()
    yield "grid"
    reader.menu(page.get_by_role("button", name="Filter", exact=True), "#filter-builder")
    yield "filters"
    page.keyboard.press("Escape")
    reader.menu(page.get_by_role("button", name="Sortieren"), "#sort-menu")
    yield "sorting"
    page.keyboard.press("Escape")
    for path, words in ((f"/tables/{table}/edit/", "Spalten bearbeiten"), (f"/tables/{table}/history/", "Verlauf"),
                        (f"/tables/{table}/sharing/", "Teilen")):  # fmt: skip
        reader.go(path)
        expect(page.get_by_role("heading", name=words, level=1)).to_be_visible()
        yield words
    reader.go("/tables/?trashed=1")
    yield "trash"


def proposal_states(reader: Reader, *, script: ScriptedModel) -> Iterator[str]:
    """Proposed rows: streamed, reviewed and applied."""
    table = send(reader.page, "POST", "/api/tables/", {"name": "Bewerbungen", "columns": COLUMNS, "rows": ROWS})["id"]
    page = reader.go(f"/tables/{table}/")
    expect(page.get_by_role("button", name="Zeile hinzufügen")).to_be_enabled()
    script.add(reply(f"Bitte sehr.\n\nDATA_PROPOSAL: {json.dumps(PROPOSAL)}"))
    reader.show_chat()
    composer = page.get_by_role("textbox", name="Nachricht an den Assistenten")
    composer.fill("Bitte zwei Zeilen")
    composer.press("Enter")
    expect(page.locator("[data-op]").first).to_be_attached()
    # Nothing is streamed any more, so the page does not change while it is checked.
    expect(page.get_by_role("log")).to_have_attribute("aria-busy", "false")
    yield "proposal in the chat"
    if reader.phone:
        page.get_by_role("button", name="Chat schließen").click()
    apply = page.get_by_role("button", name="übernehmen").locator("visible=true").first
    expect(apply).to_be_enabled()
    yield "review"
    apply.click()
    expect(page.locator("#toasts").get_by_role("button", name="Rückgängig")).to_be_visible()
    yield "applied"
    reader.show_chat()
    script.add(interrupted("Es beginnt, aber dann"))
    composer.fill("Und weiter?")
    composer.press("Enter")
    # The error of a turn is stored in English and shown in German.
    alert = page.get_by_role("log").get_by_role("alert")
    expect(alert).to_contain_text("Das Modell des Assistenten ist")
    yield "failed"


def test_table_pages_are_in_german_and_not_cut_off(scripted_app: RunningApp, open_page: Callable[..., Page]) -> None:
    reader = Reader(scripted_app, open_page=open_page, phone=False)
    page, wide, found, checked = reader.page, reader.page.viewport_size, list[str](), set[str]()
    assert wide is not None
    for name in table_states(reader):
        found += [f"{name}: {fault}" for fault in german_faults(page, checked)]
        page.set_viewport_size(PHONE)
        found += [f"{name}, narrow: {fault}" for fault in page.evaluate(CUT)]
        page.set_viewport_size(wide)
    assert not found, "\n".join(found)


def test_the_review_of_a_proposal_is_in_german_and_not_cut_off_on_a_phone(
    scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    """Its states in a wide window are in test_german_journey.py."""
    reader = Reader(scripted_app, open_page=open_page, phone=True)
    found, checked = list[str](), set[str]()
    for name in proposal_states(reader, script=scripted):
        found += [f"{name}: {fault}" for fault in german_faults(reader.page, checked)]
    assert not found, "\n".join(found)


def german_faults(page: Page, checked: set[str]) -> list[str]:
    """Return the texts of the page that are English, cut off, or different from their accessible name.

    The names of elements in `checked`, to which those of the page are added, are not compared again.
    """
    english = [f"in English: {text}" for text in page.evaluate(READ_TEXTS) if text in english_texts()]
    cut: list[str] = page.evaluate(CUT)
    return [*english, *cut, *find_faults(page, dark=True, checked=checked, rules=TEXT_RULES)]
