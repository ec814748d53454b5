"""Who reads German meets no English of ours, whatever the page and the state, and nothing is too long for its place."""
from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path

import pytest
from babel.messages.pofile import read_po
from playwright.sync_api import Locator, Page, expect

from tests.browser.app_process import RunningApp
from tests.browser.english_texts import is_content
from tests.browser.small_table import COLUMNS, ROWS, send
from tests.browser.test_axe import PHONE, faults
from tests.scripted_model import ScriptedModel, interrupted
from tests.scripted_model import say as reply

LOCALE = Path(__file__).parents[2] / "locale" / "de" / "LC_MESSAGES"
# What is in sight, or heard; what people have written themselves comes from the tables of this test.
SAID = """() => {
  const said = [];
  const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
  while (walker.nextNode()) {
    const { parentElement, data } = walker.currentNode;
    if (parentElement.checkVisibility() && !parentElement.closest("[lang=en], td.cell")) said.push(data);
  }
  for (const name of ["aria-label", "title", "placeholder"]) {
    for (const one of document.querySelectorAll(`[${name}]`)) said.push(one.getAttribute(name));
  }
  return [...new Set(said.map((each) => each.trim().replace(/\\s+/g, " ")))];
}"""
CUT = """() => [...document.querySelectorAll(".btn, .fchip, .tabs a, .menu__item, .chip, h1, h2, label")]
  .filter((one) => one.checkVisibility() && !one.closest(".sr") && getComputedStyle(one).display !== "inline")
  .filter((one) => one.scrollWidth > one.clientWidth + 1).map((one) => `cut: ${one.textContent.trim()}`)"""
# The serious rules of axe about words. Which elements there are, and how they look, is the same in every language.
RULES_ABOUT_WORDS = ("label-content-name-mismatch", "html-has-lang", "html-lang-valid", "valid-lang")
PROPOSAL = {"reasoning": "Wie gewünscht", "operations": [
    {"action": "add", "data": {"Company": "Dyno", "Status": "Offer", "Salary": 3000}},
    {"action": "add", "data": {"Company": "Echo"}},
]}  # fmt: skip


@cache
def english_of_ours() -> frozenset[str]:
    """Texts that read differently in German, as they stand in the sources, without those that differ by a value."""
    known: set[str] = set()
    for domain in ("django", "djangojs"):
        with (LOCALE / f"{domain}.po").open("rb") as file:
            for message in read_po(file, locale="de"):
                differs = isinstance(message.id, str) and message.id and message.id != message.string
                if differs and not is_content(message):
                    known.add(message.id)
    return frozenset(text for text in known if "%(" not in text and "{" not in text)


class Reader:
    """Somebody who chose German in the profile."""

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


def around_tables(reader: Reader) -> Iterator[str]:
    """The list, a table with its menus, its columns, its history, who it is shared with."""
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


def around_a_proposal(reader: Reader, *, script: ScriptedModel) -> Iterator[str]:
    """Rows that are proposed, looked over and applied."""
    table = send(reader.page, "POST", "/api/tables/", {"name": "Bewerbungen", "columns": COLUMNS, "rows": ROWS})["id"]
    page = reader.go(f"/tables/{table}/")
    expect(page.get_by_role("button", name="Zeile hinzufügen")).to_be_enabled()
    script.add(reply(f"Bitte sehr.\n\nDATA_PROPOSAL: {json.dumps(PROPOSAL)}"))
    reader.show_chat()
    composer = page.get_by_role("textbox", name="Nachricht an den Assistenten")
    composer.fill("Bitte zwei Zeilen")
    composer.press("Enter")
    expect(page.locator("[data-op]").first).to_be_attached()
    # Nothing arrives any more: what is looked at stays as it is.
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
    # What became of a turn is kept in English, and told in German.
    told = page.get_by_role("log").get_by_role("alert")
    expect(told).to_contain_text("Das Modell des Assistenten ist")
    yield "failed"


def around_the_person(reader: Reader) -> Iterator[str]:
    """The profile, the account, and pages that are not there."""
    page = reader.page
    for path, words in (("/profile/", "Profil"), ("/profile/delete/", "Konto löschen"),
                        ("/tables/import/", "Datei importieren")):  # fmt: skip
        reader.go(path)
        expect(page.locator("h1")).to_contain_text(words)
        yield words


@pytest.mark.parametrize(
    ("walk", "phone"), [("tables", False), ("proposal", False), ("proposal", True), ("person", False)],
    ids=["tables", "proposal-wide", "proposal-phone", "person"],
)  # fmt: skip
def test_everything_is_in_german_and_has_room(
    walk: str, phone: bool, scripted: ScriptedModel, scripted_app: RunningApp, open_page: Callable[..., Page]
) -> None:
    reader = Reader(scripted_app, open_page=open_page, phone=phone)
    ways: dict[str, Callable[[], Iterator[str]]] = {
        "tables": lambda: around_tables(reader),
        "proposal": lambda: around_a_proposal(reader, script=scripted),
        "person": lambda: around_the_person(reader),
    }
    found: list[str] = []
    for name in ways[walk]():
        page, wide = reader.page, reader.page.viewport_size
        found += [f"{name}: {fault}" for fault in german_faults(page)]
        # A proposal is looked over in another way on a phone, which a window that becomes narrow does not show.
        if walk != "proposal" and wide is not None:
            page.set_viewport_size(PHONE)
            found += [f"{name}, narrow: {fault}" for fault in german_faults(page)]
            page.set_viewport_size(wide)
    assert not found, "\n".join(found)


def german_faults(page: Page) -> list[str]:
    """What of the page is in English, has no room, or is named otherwise than it reads."""
    english = [f"in English: {text}" for text in page.evaluate(SAID) if text in english_of_ours()]
    cut: list[str] = page.evaluate(CUT)
    return [*english, *cut, *faults(page, dark=True, rules=RULES_ABOUT_WORDS)]
