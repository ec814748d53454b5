"""The chat on a page of a project that does not have the app `tables`."""
from __future__ import annotations

import json
from collections.abc import Callable, Iterator

import pytest
from playwright.sync_api import Page, expect

from tests.browser.actions import send_message, wait_for_answer
from tests.browser.app_process import RunningApp
from tests.engine_without_tables.running import invoices_app
from tests.engine_without_tables.words import WORDS_OF_TABLES
from tests.scripted_model import ScriptedModel, use
from tests.scripted_model import say as reply

VISIBLE_TEXTS = """() => {
  const names = ["aria-label", "aria-valuetext", "placeholder", "title"];
  const elements = [...document.querySelectorAll("*")];
  const attributes = elements.flatMap((each) => names.map((name) => each.getAttribute(name)));
  return [document.title, document.body.innerText, ...attributes].filter(Boolean).join("\\n");
}"""


@pytest.fixture
def model() -> ScriptedModel:
    proposal = f"These are paid.\n\nPAYMENTS: {json.dumps({'invoices': [1, 2]})}"
    return ScriptedModel(use(("open_invoices", {}), text="Let me look."), reply(proposal))


@pytest.fixture
def invoices(model: ScriptedModel) -> Iterator[RunningApp]:
    with invoices_app(model) as running:
        yield running
    assert model.problems == []


def test_proposal_is_applied_in_part_and_undone_without_a_word_about_tables(
    invoices: RunningApp, open_page: Callable[..., Page]
) -> None:
    texts: list[str] = []
    page = open_page(sign_in=invoices.link)
    page.goto(f"{invoices.address}/invoices/")
    expect(page.get_by_role("log").get_by_text("Ask about your invoices")).to_be_visible()
    texts.append(page.evaluate(VISIBLE_TEXTS))
    send_message(page, "Adler and Brandt have paid")

    wait_for_answer(page, "These are paid.")
    log = page.get_by_role("log")
    expect(log.get_by_text("List open invoices", exact=True)).to_be_visible()
    card = log.get_by_role("region", name="Payments")
    expect(card.get_by_text("2 to mark as paid", exact=True)).to_be_visible()
    expect(card.get_by_role("checkbox")).to_have_count(3)
    texts.append(page.evaluate(VISIBLE_TEXTS))
    card.get_by_role("checkbox", name="Adler").uncheck()
    card.get_by_role("button", name="Apply 1 of 2").click()
    expect(log.get_by_text("Marked as paid: 1.")).to_be_visible()
    expect(log.get_by_text("Applied 1 of 2, 1 marked as paid")).to_be_visible()
    texts.append(page.evaluate(VISIBLE_TEXTS))
    page.reload()
    expect(page.get_by_role("listitem").filter(has_text="Brandt, paid")).to_be_visible()
    log.get_by_role("button", name="Undo").click()
    expect(log.get_by_text("Undone")).to_be_visible()
    page.reload()
    expect(log.get_by_text("Undone")).to_be_visible()
    expect(page.get_by_role("main")).not_to_contain_text("paid")
    page.keyboard.press("Control+/")
    expect(page.get_by_role("dialog", name="Keyboard shortcuts")).to_be_visible()
    texts.append(page.evaluate(VISIBLE_TEXTS))

    assert [word for text in texts for word in WORDS_OF_TABLES.findall(text)] == []
