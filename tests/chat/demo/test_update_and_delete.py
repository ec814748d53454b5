"""Setting cells and deleting rows where a condition holds."""

from __future__ import annotations

from typing import Any

import pytest

from chat.demo.mind import answer
from chat.demo.request import read_turn
from tests.chat.demo.asking import SAMPLES, answered, ask, context, request_body
from tests.chat.demo.proposed import data

Json = dict[str, Any]


def is_(column: str, op: str, value: Any = None) -> Json:
    """One condition."""
    return {"column": column, "op": op} | ({} if value is None else {"value": value})


BEFORE_JUNE = is_("Date Applied", "lt", "2026-06-01")
REJECTED = is_("Status", "any_of", ["Rejected"])
APPLIED = is_("Status", "any_of", ["Applied"])
ACME = is_("Company", "eq", "Acme")
RICH = is_("Salary", "gt", 100000)
REMOTE = is_("Remote", "is", True)

SET = [
    ("set status to Rejected where date applied is before June", {"Status": "Rejected"}, [BEFORE_JUNE]),
    ("Set everything Applied before June to Rejected", {"Status": "Rejected"}, [BEFORE_JUNE]),
    ("Mark everything at Acme as Offer", {"Status": "Offer"}, [ACME]),
    ("change all Applied to Rejected", {"Status": "Rejected"}, [APPLIED]),
    ("change status from Applied to Interview", {"Status": "Interview"}, [APPLIED]),
    ("Set the status of all rejected applications to Applied", {"Status": "Applied"}, [REJECTED]),
    ("set notes to 'call back' where status is Applied", {"Notes": "call back"}, [APPLIED]),
    ("set notes to call back for everything at Acme", {"Notes": "call back"}, [ACME]),
    ("change Acme's status to Offer", {"Status": "Offer"}, [ACME]),
    ("change the status of Acme to Offer and notes to great", {"Status": "Offer", "Notes": "great"}, [ACME]),
    ("for all rejected rows set notes to closed", {"Notes": "closed"}, [REJECTED]),
    ("if status is Rejected, set remote to no", {"Remote": False}, [REJECTED]),
    ("where salary is over 100k set status to Interview", {"Status": "Interview"}, [RICH]),
    ("change status to Interview when salary is above 100000 and remote", {"Status": "Interview"}, [RICH, REMOTE]),
    ("clear notes where status is Rejected", {"Notes": None}, [REJECTED]),
    ("empty the notes of all rejected applications", {"Notes": None}, [REJECTED]),
    ("tick remote where company is acme", {"Remote": True}, [ACME]),
    ("replace Acme with Acme Corp in company", {"Company": "Acme Corp"}, [ACME]),
    ("mark rejected ones as not remote", {"Remote": False}, [REJECTED]),
    ("reject everything applied before June", {"Status": "Rejected"}, [BEFORE_JUNE]),
    ("set date applied to yesterday for Acme", {"Date Applied": "2026-11-20"}, [ACME]),
    ("set the salary of Acme to $95,000", {"Salary": 95000}, [ACME]),
    ("set salary = 80k where status = Applied and remote = yes", {"Salary": 80000}, [APPLIED, REMOTE]),
    ("update status to Offer for Initech", {"Status": "Offer"}, [is_("Company", "contains", "Initech")]),
    (
        "mark as Rejected everything older than 60 days",
        {"Status": "Rejected"},
        [is_("Date Applied", "lt", "2026-09-22")],
    ),
    (
        "Mark applications from last month as Rejected",
        {"Status": "Rejected"},
        [is_("Date Applied", "between", ["2026-10-01", "2026-10-31"])],
    ),
    (
        "move everything at Acme and Globex to offer",
        {"Status": "Offer"},
        [{"or": [ACME, is_("Company", "eq", "Globex")]}],
    ),
    ("set status to Rejected for all rows", {"Status": "Rejected"}, [is_("Status", "none_of", ["Rejected"])]),
]


@pytest.mark.parametrize(("words", "changes", "clauses"), SET, ids=[words[:50] for words, _, _ in SET])
def test_a_column_is_set_where_a_condition_holds(words: str, changes: Json, clauses: list[Json]) -> None:
    assert data(ask(words)) == [{"action": "update", "where": {"and": clauses}, "changes": changes}]


DELETE = [
    ("delete the rejected ones", [REJECTED]),
    ("Please delete the rejected ones from the table", [REJECTED]),
    ("remove all rejected applications", [REJECTED]),
    ("clear all rejected", [REJECTED]),
    ("remove rows where company is Acme", [ACME]),
    ("delete Acme", [ACME]),
    ("delete everything applied before June", [BEFORE_JUNE]),
    ("get rid of the applications without a salary", [is_("Salary", "empty")]),
    ("drop entries with no notes", [is_("Notes", "empty")]),
    ("delete where status is Rejected or Offer", [is_("Status", "any_of", ["Rejected", "Offer"])]),
    ("throw out everything older than 90 days", [is_("Date Applied", "lt", "2026-08-23")]),
    ("remove the ones that are remote", [REMOTE]),
    ("delete rejected remote applications", [REJECTED, REMOTE]),
    ("delete all applications at Acme that are not remote", [ACME, is_("Remote", "is", False)]),
    ("erase rows with salary between 10k and 20,000", [is_("Salary", "between", [10000, 20000])]),
    ("delete rows where notes contains spam", [is_("Notes", "contains", "spam")]),
    ("remove rows whose position is missing", [is_("Position", "empty")]),
    ("delete entries where status isn't Applied", [is_("Status", "none_of", ["Applied"])]),
]


@pytest.mark.parametrize(("words", "clauses"), DELETE, ids=[words for words, _ in DELETE])
def test_rows_are_deleted_by_a_condition(words: str, clauses: list[Json]) -> None:
    assert data(ask(words)) == [{"action": "delete", "where": {"and": clauses}}]


def test_these_are_the_selected_rows() -> None:
    operations = data(ask("set these to Interview", selected_rows=SAMPLES))

    assert operations == [
        {"action": "update", "row_id": 1, "changes": {"Status": "Interview"}},
        {"action": "update", "row_id": 2, "changes": {"Status": "Interview"}},
    ]


def test_selected_rows_are_deleted_by_id() -> None:
    assert data(ask("delete the selected rows", selected_rows=SAMPLES[:1])) == [{"action": "delete", "row_id": 1}]


@pytest.mark.parametrize("words", ["delete these", "set these to Interview", "set status to Offer"])
def test_nothing_is_proposed_for_a_part_of_the_selected_rows(words: str) -> None:
    reply = ask(words, selected_rows=SAMPLES, selected_rows_left_out=10)

    assert "12 rows are selected, and I see only 2" in reply.text
    assert "DATA_PROPOSAL" not in reply.text


def test_all_selected_rows_are_counted() -> None:
    reply = ask("how many selected rows?", selected_rows=SAMPLES, selected_rows_left_out=10)

    assert reply.text.startswith("12 rows are selected.")


def test_without_a_condition_the_selected_rows_are_meant() -> None:
    operations = data(ask("set status to Offer", selected_rows=SAMPLES[1:]))

    assert operations == [{"action": "update", "row_id": 2, "changes": {"Status": "Offer"}}]


def test_these_are_the_rows_that_the_pages_filter_leaves() -> None:
    shown = {"and": [{"column": "col_status01", "op": "any_of", "value": ["Applied"]}]}
    view = context()["view"] | {"filter": shown}

    assert data(ask("delete these", view=view)) == [{"action": "delete", "where": shown}]


def test_rows_are_deleted_by_the_numbers_that_the_person_sees() -> None:
    shown = [{**row, "number": number, "row_id": 100 + number} for number, row in enumerate(SAMPLES, start=1)]

    assert data(ask("delete row 2", sample_rows=shown)) == [{"action": "delete", "row_id": 102}]


def test_rows_that_are_not_shown_are_read_before_they_are_deleted() -> None:
    body = request_body("delete rows 21 and 23")
    reply = answer(read_turn(body))
    assert reply.tool_use is not None
    assert reply.tool_use.input == {"in_view": True, "offset": 20, "limit": 3}

    read = [{"number": number, "row_id": 500 - number, "data": {}} for number in (21, 22, 23)]
    body = answered(body, reply=reply, result={"rows": read, "matching_rows": 24})

    operations = data(answer(read_turn(body)))
    assert operations == [{"action": "delete", "row_id": 479}, {"action": "delete", "row_id": 477}]


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("delete row 90", "There is no row 90: this view has 24 rows."),
        ("Lösche die Zeile 90", "Es gibt keine Zeile 90: Diese Ansicht hat 24 Zeilen."),
    ],
    ids=["English", "German"],
)
def test_a_number_that_no_row_has_deletes_nothing(words: str, said: str) -> None:
    body = request_body(words)
    reply = answer(read_turn(body))
    body = answered(body, reply=reply, result={"rows": [], "matching_rows": 24})

    assert answer(read_turn(body)).text == said


ASKED_BACK = [
    ("delete rows by status", "could not tell"),
    ("delete applications by company", "could not tell"),
    ("delete all rows", "whole table"),
    ("delete everything", "whole table"),
    ("delete these", "No rows are selected"),
    ("delete foo bar", "could not tell"),
    ("set status to Rejected", "which rows"),
    ("set status to Ghosted where company is Acme", "Status takes"),
    ("set salary to lots where remote", "Salary takes a number"),
    ("set status to Offer where foo is bar", "could not tell"),
    ("clear company where status is Rejected", "must have a value"),
    ("delete this table", "Tables page"),
    ("set foo to 3", "I see no column foo here."),
    ("change Statuss to Offer for Acme", "I see no column Statuss here. Did you mean Status?"),
]


@pytest.mark.parametrize(("words", "said"), ASKED_BACK, ids=[words for words, _ in ASKED_BACK])
def test_what_is_not_clear_is_asked_back_and_never_proposed(words: str, said: str) -> None:
    reply = ask(words)

    assert said in reply.text
    assert "PROPOSAL" not in reply.element


@pytest.mark.parametrize("words", ["set status to Rejected where remote", "delete the rejected ones"])
def test_where_columns_are_edited_rows_are_left_alone(words: str) -> None:
    reply = ask(words, page="table_edit")

    assert "table" in reply.text
    assert "PROPOSAL" not in reply.element


def test_the_sentence_says_what_a_word_was_taken_for() -> None:
    assert "before June 1, 2026" in ask("delete everything applied before June").text
