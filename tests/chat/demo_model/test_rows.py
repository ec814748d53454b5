"""Phrases for rows and new values, as filters and cells; unclear ones get a question."""

from __future__ import annotations

from typing import Any

import pytest

from chat.demo_model.parser import read_assignments, read_rows_phrase
from chat.demo_model.reply import Unclear
from chat.demo_model.request import read_page
from tests.chat.demo_model.requests import ROWS, TABLE, ask, context, element

Json = dict[str, Any]
PAGE = read_page(context())
NUMBERS: list[Json] = [
    {"id": "c1", "name": "Match", "type": "number", "format": "percent"},
    {"id": "c2", "name": "Dur", "type": "number", "format": "duration"},
    {"id": "c3", "name": "Price", "type": "number", "format": "currency", "currency": "EUR"},
    {"id": "c4", "name": "Stars", "type": "number", "format": "rating", "maximum": 5},
]
# Texts of values by column, with the stored number.
TYPED: dict[str, dict[str, float]] = {
    "Match": {"50%": 0.5, "12.5 %": 0.125, "50": 0.5, "fifty percent": 0.5},
    "Dur": {"90 min": 90, "1:30": 90, "1 h 30 min": 90, "90": 90},
    "Price": {"€ 1,200": 1_200, "1,200.50 EUR": 1_200.5, "€80k": 80_000, "80k": 80_000},
    "Stars": {"★★★": 3, "three": 3},
}
PHRASES = {
    "all rows": "rows",
    "everything": "rows",
    "the Applied ones": "rows where Status is Applied",
    "interviews": "rows where Status is Interview",
    "status is Applied or Offer": "rows where Status is Applied or Offer",
    "rows where status is not Rejected": "rows where Status is not Rejected",
    "the ones that are not rejected": "rows where Status is not Rejected",
    "rejected applications at Acme before June": (
        "rows where Status is Rejected and Company is Acme and Date Applied is before 2026-06-01"
    ),
    "company is Acme or Globex": "rows where Company is Acme or Company is Globex",
    "company is Acme or Globex and remote": "rows where (Company is Acme or Company is Globex) and Remote is yes",
    "rows where the company starts with A": "rows where Company starts with A",
    "company is Head of Sales": "rows where Company is Head of Sales",
    'notes contains "call back"': "rows where Notes contains call back",
    "rows with salary between 50k and 80,000": "rows where Salary is between 50,000 and 80,000",
    "salary is at least $90,000 and remote": "rows where Salary is at least 90,000 and Remote is yes",
    "salary > 50000": "rows where Salary is over 50,000",
    "applications without a salary": "rows where Salary is empty",
    "rows with empty notes": "rows where Notes is empty",
    "not remote": "rows where Remote is no",
    "everything older than 90 days": "rows where Date Applied is before 2026-08-23",
    "date applied in the last 2 weeks": "rows where Date Applied is between 2026-11-08 and 2026-11-21",
    "date applied since last month": "rows where Date Applied is on or after 2026-10-01",
    "from January to March": "rows where Date Applied is between 2026-01-01 and 2026-03-31",
    "these": "selected rows",
    "the selected rows that are remote": "selected rows where Remote is yes",
}
NO_PHRASES = ["best offers", "Zeilen wo Status Applied ist", "the rest of my life", "company is Acme then sort", "a"]
UNCLEAR = {
    "status is Purple": "Status has the options",
    "salary is over lots": "does not fit Salary: “lots” is not a number",
    "company is over 5": "I cannot compare it that way",
    "status is Applied and remote or salary over 50k": "“and” and “or”",
    "date applied is before spring": "I cannot read “spring” as a day",
}
VALUES: dict[str, Json] = {
    "the status to Offer and notes to great call": {"Status": "Offer", "Notes": "great call"},
    "company Acme, position Engineer, salary 80k": {"Company": "Acme", "Position": "Engineer", "Salary": 80_000},
    'notes to "Offer, and more"': {"Notes": "Offer, and more"},
    "Rejected": {"Status": "Rejected"},
    "not remote": {"Remote": False},
    "date applied to yesterday": {"Date Applied": "2026-11-20"},
    "notes empty": {"Notes": None},
}


@pytest.mark.parametrize("phrase", PHRASES)
def test_phrase_selects_rows(phrase: str) -> None:
    rows = read_rows_phrase(phrase, page=PAGE)

    assert rows is not None
    assert rows.description() == PHRASES[phrase]


@pytest.mark.parametrize("phrase", NO_PHRASES)
def test_other_words_select_no_rows(phrase: str) -> None:
    assert read_rows_phrase(phrase, page=PAGE) is None


@pytest.mark.parametrize("phrase", UNCLEAR)
def test_value_that_does_not_fit_the_column_is_reported(phrase: str) -> None:
    with pytest.raises(Unclear, match=UNCLEAR[phrase]):
        read_rows_phrase(phrase, page=PAGE)


@pytest.mark.parametrize("phrase", VALUES)
def test_values_have_the_types_of_their_columns(phrase: str) -> None:
    assert read_assignments(phrase, page=PAGE) == VALUES[phrase]


@pytest.mark.parametrize(
    ("words", "question"),
    [
        ("Set status to Rejected", "For which rows?"),
        ("Mark them as Rejected", "Which rows?"),
        ("Move the row to Offer", "Which rows?"),
        ("Mark one as Offer", "Which rows?"),
        ("Set the status of the row to Offer", "Which rows?"),
        ("Clear notes for the row", "Which rows?"),
        ("Delete everything except rejected and remote", "how much “not” means"),
        ("Delete the ones that are not rejected or remote", "how much “not” means"),
        ("Delete all rows", "That would delete every row"),
        ("Delete remote", "“the Remote column”, or rows?"),
        ("Mark these as Rejected", "No rows are selected"),
        ("Set stage to Offer where company is Acme", "I see no column stage here. The columns are Company, Position,"),
        ("Change Acme's stage to Offer", "I see no column Acme's stage here."),
        ("Add 5 rows", "Add 5 sample rows"),
        ("Add 500 sample rows", "1 to 200 sample rows"),
    ],
)
def test_missing_information_is_requested_and_nothing_is_proposed(words: str, question: str) -> None:
    reply = ask(words)

    assert question in reply.text
    assert reply.element.startswith("SUGGESTED_VALUES")


@pytest.mark.parametrize(
    ("words", "note"),
    [
        ("Show rows where date applied is before Dec 24", "I read “Dec 24” as Dec 24 2026."),
        ("Set date applied to Dec 24 where status is Offer", "I read “Dec 24” as Dec 24 2026."),
        ("Show rows where date applied is since december", "I read “december” as december 2026."),
        ("Show rows where date applied is before Dec 24, 2025", ""),
        ("Show rows where date applied is before March 1", ""),
        ("Search for Dec 24", ""),
    ],
)
def test_answer_names_the_year_of_an_ambiguous_date(words: str, note: str) -> None:
    reply = ask(words, today="2026-01-10")

    assert reply.element.startswith(("DATA_PROPOSAL", "SUGGESTED_ACTIONS"))
    assert reply.text.partition("\n\n")[2] == note


def test_these_means_the_selected_rows() -> None:
    operations = element(ask("Mark these as Rejected", selected_rows=ROWS), "DATA_PROPOSAL")["operations"]

    assert operations == [
        {"action": "update", "changes": {"Status": "Rejected"}, "row_id": row_id} for row_id in (11, 12)
    ]


def test_selected_row_is_not_named_by_its_position() -> None:
    reply = ask("Set notes to Berlin for the first selected row", selected_rows=ROWS)

    assert reply.element.startswith("SUGGESTED_VALUES")


def test_selected_rows_with_the_value_are_left_out() -> None:
    reply = ask("Mark these as Offer", selected_rows=ROWS)
    assert [one["row_id"] for one in element(reply, "DATA_PROPOSAL")["operations"]] == [11]

    reply = ask("Mark these as Offer", selected_rows=ROWS[1:])
    assert "Nothing would change" in reply.text
    assert "PROPOSAL" not in reply.element


def test_bare_phrase_is_ambiguous_beside_proposed_rows() -> None:
    opened = {"id": "p1", "type": "data_proposal"}

    assert "proposed rows, or rows of the table" in ask("Delete the rejected ones", opened=opened).text
    reply = ask("Delete rows where status is Rejected", opened=opened)
    assert element(reply, "DATA_PROPOSAL")["operations"][0]["action"] == "delete"


def test_duplicates_are_deleted_except_the_first() -> None:
    found = {"groups": [{"row_ids": [3, 5, 9]}], "groups_total": 1, "repeated_rows": 2}
    reply = ask("Remove duplicates by company", results={"find_duplicates": found})

    operations = element(reply, "DATA_PROPOSAL")["operations"]
    assert [(one["action"], one["row_id"]) for one in operations] == [("delete", 5), ("delete", 9)]


def test_select_column_is_filled_by_words_of_another() -> None:
    rows = [{"row_id": 1, "data": {"Notes": "They made an offer"}}, {"row_id": 2, "data": {"Notes": "Hm"}}]
    reply = ask("Fill status from the notes", results={"get_rows": {"rows": rows, "matching_rows": 2}})

    assert element(reply, "DATA_PROPOSAL")["operations"] == [
        {"action": "update", "row_id": 1, "changes": {"Status": "Offer"}}
    ]


def test_sample_rows_fit_the_columns_and_are_called_made_up() -> None:
    reply = ask("Add 8 sample applications with status Offer")
    rows = [operation["data"] for operation in element(reply, "DATA_PROPOSAL")["operations"]]

    assert "sample row" in reply.text
    assert {row["Status"] for row in rows} == {"Offer"}
    assert len({row["Company"] for row in rows}) == 8
    assert all(isinstance(row["Salary"], int) and len(row["Date Applied"]) == 10 for row in rows)


def test_sample_rows_do_not_repeat_rows_of_the_table() -> None:
    def companies(rows: int, *existing: str) -> list[str]:
        sample = [{"row_id": number, "data": {"Company": name}} for number, name in enumerate(existing)]
        reply = ask("Add 60 sample rows", table=TABLE | {"rows": rows}, sample_rows=sample)
        return [operation["data"]["Company"] for operation in element(reply, "DATA_PROPOSAL")["operations"]]

    first, more = companies(0), companies(60)
    assert len({*first, *more}) == 120
    assert set(companies(0, *first[:20])).isdisjoint(first[:20])


def test_pasted_numbers_use_the_decimal_separator_of_the_list() -> None:
    def salaries(*cells: str) -> list[str]:
        reply = ask("Add these rows:\n" + "\n".join(["company;salary", *(f"C{cell};{cell}" for cell in cells)]))
        return [one["data"]["Salary"] for one in element(reply, "DATA_PROPOSAL")["operations"]]

    assert salaries("1.200", "12,5", "-1.234.567") == ["1200", "12.5", "-1234567"]
    assert salaries("1,200", "12.5", "$95,000") == ["1200", "12.5", "$95,000"]
    assert "“1.200” can mean 1.2 or 1200." in ask("Add these rows:\ncompany;salary\nAcme;1.200\nBolt;7").text


def test_pasted_rows_follow_their_heading() -> None:
    reply = ask("Add these rows:\ncompany;salary\nAcme;1200\nBolt;")
    assert [one["data"] for one in element(reply, "DATA_PROPOSAL")["operations"]] == [
        {"Company": "Acme", "Salary": "1200"},
        {"Company": "Bolt"},
    ]

    assert "I see no column colour here" in ask("company,colour\nAcme,red").text
    assert ask("Bitte einfügen:\ncompany,salary\nAcme,1").element.startswith("SUGGESTED_VALUES")


def test_numbers_are_read_in_the_format_of_their_column() -> None:
    page = read_page(context(table=TABLE | {"columns": NUMBERS}))
    for column, texts in TYPED.items():
        for text, number in texts.items():
            rows = read_rows_phrase(f"rows where {column} is at least {text}", page=page)

            assert rows is not None, text
            assert rows.conditions == ({"column": column, "op": "gte", "value": number},), text
            assert read_assignments(f"{column} to {text}", page=page) == {column: number}, text
    with pytest.raises(Unclear, match="is not an amount in EUR"):
        read_assignments("Price to $80k", page=page)
    with pytest.raises(Unclear, match="from 0 to 5"):
        read_assignments("Stars to 9", page=page)
