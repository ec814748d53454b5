"""All suggested sentences work: of pages in every language of the interface, of answers, and of the documentation."""

from __future__ import annotations

import gettext
import re
from pathlib import Path

import pytest

from chat.catalogue import CODE
from chat.demo_model.answering import DEMO_NOTICE, LOCALE
from shared.user_messages.request_language import REGISTRY_CONTEXT
from tables.views.lists import STARTERS as OF_NEWCOMERS
from tests.chat.demo_model.requests import ask, element

PAGES = ("tables_list", "table_view", "table_edit")
SUGGESTED = [(page.page, text) for page in CODE.pages if page.page in PAGES for text in page.starters]
SUGGESTED += [("tables_list", text) for _, _, text in OF_NEWCOMERS]
TRANSLATIONS = [gettext.GNUTranslations(path.open("rb")) for path in sorted(LOCALE.glob("*/LC_MESSAGES/django.mo"))]
SENTENCES = SUGGESTED + [
    (page, sentence)
    for page, text in SUGGESTED
    for translation in TRANSLATIONS
    for sentence in {translation.gettext(text), translation.pgettext(REGISTRY_CONTEXT, text)} - {text}
]
DOCUMENT = (Path(__file__).parents[3] / "docs" / "demo_model.md").read_text(encoding="utf-8")
DOCUMENTED = [
    ("tables_list" if section.startswith("On the list") else "table_view", words)
    for section in DOCUMENT.split("\n## ")
    for words in re.findall(r"^- (.+)$", section, re.MULTILINE)
]


def test_every_starter_is_translated() -> None:
    assert len(SENTENCES) == len(SUGGESTED) * (1 + len(TRANSLATIONS))


@pytest.mark.parametrize(("page", "words"), SENTENCES, ids=[words for _, words in SENTENCES])
def test_every_starter_is_answered(page: str, words: str) -> None:
    reply = ask(words, page=page)

    assert "ANTHROPIC_API_KEY" not in reply.text
    assert reply.tool_use or "PROPOSAL" in reply.element or reply.text.startswith(DEMO_NOTICE)


@pytest.mark.parametrize("page", PAGES)
def test_every_offered_sentence_works(page: str) -> None:
    for words in ("write me a poem", "help", "Rename Foo to Bar"):
        offers = [value["value"] for value in element(ask(words, page=page), "SUGGESTED_VALUES")]
        assert len(offers) == 3
        for offer in offers:
            reply = ask(offer, page=page)
            assert reply.tool_use or "PROPOSAL" in reply.element or (offer == "Help" or "columns" in offer), offer


@pytest.mark.parametrize(
    ("words", "name", "columns"),
    [
        ("Track my plants with name and height", "Plants", {"Name": "text", "Height": "number"}),
        (
            "A table for household expenses with amount, category and whether it was paid back",
            "Household Expenses",
            {"Amount": "number", "Category": "select", "Paid Back": "boolean"},
        ),
        (
            "Make a list of leads with name, signed on (date) and status (new, won)",
            "Leads",
            {"Name": "text", "Signed On": "date", "Status": "select"},
        ),
        (
            "Make a table from this:\nname,amount,paid\nAnn,12.50,yes\nBob,7,no",
            "Pasted list",
            {"name": "text", "amount": "number", "paid": "boolean"},
        ),
    ],
)
def test_described_or_pasted_table_is_proposed(words: str, name: str, columns: dict[str, str]) -> None:
    proposal = element(ask(words, page="tables_list"), "SCHEMA_PROPOSAL")

    assert (proposal["mode"], proposal["table_name"]) == ("create", name)
    assert {one["column"]["name"]: one["column"]["type"] for one in proposal["operations"]} == columns
    assert all(set(row) <= set(columns) for row in proposal["sample_rows"])
    assert proposal["sample_rows"]


@pytest.mark.parametrize(
    "words",
    [
        "Track my spending in the table Expenses",
        "Tabelle für Bücher",
        "Wie viele Deals haben Wert über 10.000?",
        "Delete all my tables",
        "A table for x, y",
    ],
)
def test_other_sentences_create_no_table(words: str) -> None:
    assert ask(words, page="tables_list").element.startswith("SUGGESTED_VALUES")


@pytest.mark.parametrize(("page", "words"), DOCUMENTED, ids=[words for _, words in DOCUMENTED])
def test_every_documented_sentence_works(page: str, words: str) -> None:
    reply = ask(words, page=page)

    assert reply.tool_use or "ACTIONS" in reply.element or "PROPOSAL" in reply.element or "8 columns" in reply.text
