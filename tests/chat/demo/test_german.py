"""Whoever reads German is offered German sentences, and the demo answers those as it answers the English ones."""

from __future__ import annotations

from typing import Any

import pytest
from django.utils.translation import gettext, override

from chat.catalogue import CODE
from chat.demo.german.wishes import understood
from chat.demo.intents.talk import OFFER_NEXT
from chat.demo.mind import answer
from chat.demo.page import read_page
from chat.demo.reply import Reply
from chat.demo.request import read_turn
from retold.reader import of_registry
from tables.views.lists import STARTERS
from tests.chat.demo.asking import answered, ask, context, element, request_body

Json = dict[str, Any]
OFFERED = [(page.page, starter) for page in CODE.pages for starter in page.starters]
OFFERED = [(page, starter) for page, starter in OFFERED if page in ("tables_list", "table_view", "table_edit")]
OFFERED += [("tables_list", wish) for _icon, _title, wish in STARTERS]
FIRMS = [{"id": "col_firma0001", "name": "Firma", "type": "text", "required": True},
         {"id": "col_betrag001", "name": "Betrag", "type": "number"},
         {"id": "col_stand0001", "name": "Stand", "type": "select", "options": ["offen", "fertig"]}]  # fmt: skip
TABLE: Json = {"id": 5, "name": "Bewerbungen", "description": "", "columns": FIRMS, "rows": 1234}


def in_german(words: str) -> str:
    with override("de"):
        told = of_registry(words)
        return told if told != words else gettext(words)


@pytest.mark.parametrize(("page", "words"), OFFERED, ids=[words for _, words in OFFERED])
def test_what_pages_offer_comes_to_the_same_in_german(page: str, words: str) -> None:
    english, german = ask(words, page=page), ask(in_german(words), page=page)

    assert in_german(words) != words
    assert german.text != english.text
    assert german.tool_use == english.tool_use
    assert german.element.partition(":")[0] == english.element.partition(":")[0]


def test_a_new_table_has_german_columns_options_and_rows() -> None:
    words = "Meine Bewerbungen verfolgen mit Firma, Stelle, Status und Bewerbungsdatum"
    proposal = element(ask(words, page="tables_list"), "SCHEMA_PROPOSAL")
    columns = [operation["column"] for operation in proposal["operations"]]

    assert [column["name"] for column in columns] == ["Firma", "Stelle", "Status", "Bewerbungsdatum"]
    assert [column["type"] for column in columns] == ["text", "text", "select", "date"]
    assert proposal["table_name"] == "Bewerbungen"
    assert {row["Status"] for row in proposal["sample_rows"]} <= set(columns[2]["options"])
    assert "Beworben" in columns[2]["options"]


def test_what_it_announces_with_a_new_table_it_understands_later() -> None:
    proposal = element(ask("Eine Leseliste führen mit Titel und Autor", page="tables_list"), "SCHEMA_PROPOSAL")

    assert understood(proposal["next"]) == OFFER_NEXT
    assert "Was soll als Nächstes geschehen?" in ask(proposal["next"], table=TABLE).text


def test_rows_are_made_up_under_the_names_that_people_gave() -> None:
    reply = ask("3 Beispielzeilen hinzufügen", table=TABLE, sample_rows=[])
    rows = [operation["data"] for operation in element(reply, "DATA_PROPOSAL")["operations"]]

    assert reply.text.startswith("Ich habe 3 Beispielzeilen für Bewerbungen erfunden.")
    assert [set(row) <= {"Firma", "Betrag", "Stand"} for row in rows] == [True] * 3
    assert all(row["Firma"] and not row["Firma"].startswith("Firma") for row in rows)
    assert {row["Stand"] for row in rows if "Stand" in row} <= {"offen", "fertig"}


def test_a_column_that_is_called_so_in_english_keeps_its_name() -> None:
    columns = [*FIRMS, {"id": "col_company01", "name": "Company", "type": "text"}]
    reply = ask("3 Beispielzeilen hinzufügen", table=TABLE | {"columns": columns}, sample_rows=[])
    rows = [operation["data"] for operation in element(reply, "DATA_PROPOSAL")["operations"]]

    assert all({"Firma", "Company"} <= set(row) for row in rows)


def said_after(words: str, result: Json) -> Reply:
    body = request_body(words, table=TABLE)
    return answer(read_turn(answered(body, reply=answer(read_turn(body)), result=result)))


def test_numbers_of_an_answer_are_written_as_germans_do() -> None:
    assert said_after("Wie viele Zeilen gibt es?", {"rows": 1234}).text == "Es gibt 1.234 Zeilen in dieser Tabelle."
    counts = {"rows": 1234, "counts": {"Stand": {"offen": 1200, "fertig": 4}}}
    told = said_after("Wie viele je Stand?", counts).text
    assert told == "1.234 Zeilen nach Stand:\n\n- offen: 1.200\n- ohne Wert: 30\n- fertig: 4"


def test_links_of_an_answer_stay_in_german() -> None:
    rows = [{"row_id": 7, "data": {"Firma": "Globex", "Betrag": 1234.5}}]
    told = said_after("Was ist der höchste Betrag?", {"rows": rows, "matching_rows": 1}).text
    assert told == "Am höchsten bei [Betrag](column:col_betrag001): 1234,5, [Globex](row:7)."


PAGES = [("tables_list", {}), ("table_view", {"table": TABLE}), ("table_edit", {"table": TABLE}), ("table_view", {})]


@pytest.mark.parametrize(("page", "known"), PAGES)
def test_what_it_offers_in_german_it_understands(page: str, known: Json) -> None:
    for words in ("Was können Sie hier tun?", "Ich möchte und kann das nicht"):
        reply = ask(words, page=page, **known)
        for offer in element(reply, "SUGGESTED_VALUES"):
            assert understood(offer["value"], page=read_page(context(page, **known))), offer
            assert "nicht verstanden" not in ask(offer["value"], page=page, **known).text


# The page of the application is the same for all of these: the message alone decides.
LANGUAGES = [
    ("Ich möchte und kann das nicht", "Das habe ich nicht verstanden."),
    ("Fasse die Tabelle zusammen", "Das habe ich nicht verstanden."),
    ("Was nun?", "Das habe ich nicht verstanden."),
    ("Perfect, danke", "Gern geschehen."),
    ("Delete alle Zeilen wo Status Offer ist", "Welche Zeilen „alle Zeilen wo Status Offer ist“ meint"),
    ("colourless green ideas sleep", "I did not understand that."),
    ("add a die and a der column", "This adds"),
    ("find anything about visas", "Let me look."),
    ("add a column “Zeilen der Tabelle, die noch nicht da sind”", "This adds"),
]


@pytest.mark.parametrize(("words", "begins"), LANGUAGES, ids=[words for words, _ in LANGUAGES])
def test_it_answers_in_the_language_of_the_message(words: str, begins: str) -> None:
    assert ask(words).text.startswith(begins)


@pytest.mark.parametrize(
    ("before", "begins"), [("Wie viele Zeilen gibt es?", "Das habe ich nicht"), ("How many rows?", "I did not")]
)
def test_a_message_without_a_language_is_answered_in_that_of_the_one_before(before: str, begins: str) -> None:
    body = request_body("Acme; 5")
    earlier = [{"role": "user", "content": before}, {"role": "assistant", "content": "24"}]
    reply = answer(read_turn(body | {"messages": [*earlier, *body["messages"]]}))

    assert reply.text.startswith(begins)
