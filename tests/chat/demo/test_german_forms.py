"""Every German sentence that the page of documentation lists is understood, and answered in German."""
from __future__ import annotations

import json
import re

import pytest

from chat.demo.reply import Reply
from tests.chat.demo.asking import ask, element
from tests.chat.demo.in_german import asked, of_columns, of_rows
from tests.chat.demo.test_forms import GERMAN, listed

LISTED = listed(GERMAN)
REVISED = {"a proposal": of_rows, "proposed columns": of_columns}
# Words that stand in English sentences alone; tables, people and companies are called otherwise.
ENGLISH = re.compile(r"\b(?:the|this|that|is|are|of|row|rows|column|columns|and|with|before|let|me|here|you|your)\b")


def said(words: str, *, page: str) -> Reply:
    revise = REVISED.get(page)
    return revise(words) if revise else asked(words, page=page, runs=True)


@pytest.mark.parametrize(("page", "words"), LISTED, ids=[f"{page}: {words}" for page, words in LISTED])
def test_a_listed_sentence_is_understood_and_answered_in_german(page: str, words: str) -> None:
    reply = said(words, page=page)

    for refusal in ("nicht verstanden", "nicht klar", "sehe ich hier nicht"):
        assert refusal not in reply.text
    assert ENGLISH.findall(reply.text) == []
    assert page not in REVISED or "_PROPOSAL: " in reply.element
    if "_PROPOSAL: " in reply.element:
        assert ENGLISH.findall(json.loads(reply.element.partition(": ")[2])["reasoning"]) == []


REJECTED = {"column": "Status", "op": "any_of", "value": ["Abgelehnt"]}
AT_ACME = {"column": "Firma", "op": "eq", "value": "Acme"}
BEFORE_JUNE = {"column": "Bewerbungsdatum", "op": "lt", "value": "2026-06-01"}
UPDATES = [
    ("Setze Status auf Abgelehnt, wo das Bewerbungsdatum vor Juni liegt", {"Status": "Abgelehnt"}, [BEFORE_JUNE]),
    ("Setze Status auf Abgelehnt, wo das Bewerbungsdatum vor dem 1.6.2026 liegt", {"Status": "Abgelehnt"},
     [BEFORE_JUNE]),
    ("Bitte den Status auf Angebot setzen, wo die Firma Acme ist", {"Status": "Angebot"}, [AT_ACME]),
    ("Könnten Sie bitte alles bei Acme als Angebot markieren?", {"Status": "Angebot"}, [AT_ACME]),
    ("Setze das Gehalt auf 80.000,50 bei allen abgelehnten", {"Gehalt": 80000.5}, [REJECTED]),
    ("Setze das Bewerbungsdatum auf heute bei Acme", {"Bewerbungsdatum": "2026-11-21"}, [AT_ACME]),
    ("Wenn Status Abgelehnt ist, setze Remote auf Ja", {"Remote": True}, [REJECTED]),
    ("Leere Notizen, wo Status Abgelehnt ist und die Firma Acme ist", {"Notizen": None}, [REJECTED, AT_ACME]),
    ("Ändere den Status von Acme auf Angebot und Notizen auf „tolles Gespräch“",
     {"Status": "Angebot", "Notizen": "tolles Gespräch"}, [AT_ACME]),
]  # fmt: skip


@pytest.mark.parametrize(("words", "changes", "where"), UPDATES, ids=[words for words, _, _ in UPDATES])
def test_what_is_set_and_where(words: str, changes: object, where: list[object]) -> None:
    (operation,) = element(asked(words), "DATA_PROPOSAL")["operations"]

    assert (operation["action"], operation["changes"], operation["where"]) == ("update", changes, {"and": where})


FILTERS = [
    ("Zeige nur die abgelehnten", [REJECTED]),
    ("Zeige mir abgelehnte Bewerbungen bei Acme vor Juni", [REJECTED, AT_ACME, BEFORE_JUNE]),
    ("Zeige mir Zeilen mit Gehalt zwischen 50.000 und 80.000",
     [{"column": "Gehalt", "op": "between", "value": [50000, 80000]}]),
    ("Zeige mir Zeilen, wo das Gehalt mindestens 90.000 beträgt und remote",
     [{"column": "Gehalt", "op": "gte", "value": 90000}, {"column": "Remote", "op": "is", "value": True}]),
    ("Zeige mir Bewerbungen ohne Gehalt", [{"column": "Gehalt", "op": "empty"}]),
    ("Zeige mir alles aus den letzten zwei Wochen", [{"column": "Bewerbungsdatum", "op": "last_n_days", "value": 14}]),
    ("Zeige mir die, die nicht abgelehnt sind", [{"column": "Status", "op": "none_of", "value": ["Abgelehnt"]}]),
    ("Zeige mir Zeilen, wo Status Beworben oder Angebot ist",
     [{"column": "Status", "op": "any_of", "value": ["Beworben", "Angebot"]}]),
]  # fmt: skip


@pytest.mark.parametrize(("words", "where"), FILTERS, ids=[words for words, _ in FILTERS])
def test_which_rows_are_shown(words: str, where: list[object]) -> None:
    used = asked(words).tool_use

    assert used is not None
    assert used.input["filter"] == {"and": where}


def test_a_new_column_has_the_name_that_was_said_and_the_type_it_suggests() -> None:
    said_and_made = {
        "Füge eine Spalte Fälligkeitsdatum hinzu": ("Fälligkeitsdatum", "date"),
        "Füge eine Spalte Einkaufspreis hinzu": ("Einkaufspreis", "number"),
        "Füge eine Spalte Telefon hinzu": ("Telefon", "text"),
        "Bitte eine Pflichtspalte Quelle ergänzen": ("Quelle", "text"),
    }
    for words, made in said_and_made.items():
        (operation,) = element(asked(words), "SCHEMA_PROPOSAL")["operations"]
        assert (operation["column"]["name"], operation["column"]["type"]) == made


def test_places_and_values_in_a_proposal_are_those_that_were_said() -> None:
    assert _cells("Behalte die erste und die dritte", column="Firma") == ["Cobalt Bank", "Opal Maps"]
    states = ["Abgelehnt", "Abgelehnt", "Beworben", "Angebot", "Gespräch"]
    assert _cells("Mach die ersten zwei abgelehnt", column="Status") == states
    assert set(_cells("Sie sollen alle in Lissabon sein", column="Stadt")) == {"Lissabon"}


def _cells(words: str, *, column: str) -> list[object]:
    """What stands in that column of the proposal that comes of it."""
    return [operation["data"][column] for operation in element(of_rows(words), "DATA_PROPOSAL")["operations"]]


def test_a_column_with_an_english_name_is_found_by_its_german_one() -> None:
    (operation,) = element(ask("Setze Notizen auf erledigt, wo die Firma Acme ist"), "DATA_PROPOSAL")["operations"]
    assert (operation["changes"], operation["where"]["and"][0]["column"]) == ({"Notes": "erledigt"}, "Company")


def test_columns_that_are_there_keep_their_names_in_the_answer() -> None:
    assert ask("Entferne die Spalte Notizen").text.startswith("Das entfernt Notes. ")
    assert ask("Benenne Firma in Betrieb um").text.startswith("Das benennt Company in Betrieb um. ")


def test_what_is_not_understood_is_said_and_nothing_is_guessed() -> None:
    for words in ("Setze den Status auf Verschwunden, wo die Firma Acme ist", "Verschiebe den Mond hinter die Sonne",
                  "Lösche alles, was mir nicht gefällt", "Ändere bitte die Welt"):  # fmt: skip
        assert "_PROPOSAL" not in asked(words).element


def test_a_column_after_the_options_of_another_is_one_more_column() -> None:
    reply = asked("Füge eine Spalte Priorität mit Hoch, Niedrig und eine Spalte Link hinzu")
    first, second = element(reply, "SCHEMA_PROPOSAL")["operations"]

    assert first["column"]["options"] == ["Hoch", "Niedrig"]
    assert second["column"]["name"] == "Link"
    assert ENGLISH.findall(reply.text) == []
