"""An open proposal in other words: fewer of its rows, other values in them, by the manifest and get_payload."""

from __future__ import annotations

import json
from typing import Any

import pytest

from chat.demo.mind import answer
from chat.demo.reply import Reply
from chat.demo.request import read_turn
from tests.chat.demo.asking import SAMPLES, answered, ask
from tests.chat.demo.proposed import data
from tests.chat.demo.revising import ROWS, WITH_CITY, body_with, revised

Json = dict[str, Any]


def names(reply: Reply) -> list[str]:
    return [operation["data"]["Company"] for operation in data(reply, columns=WITH_CITY)]


FEWER = [
    ("only the first three", "012"),
    ("Just the first two please", "01"),
    ("keep only the first 3", "012"),
    ("Only three of them", "012"),
    ("I only want the last two", "34"),
    ("no more than two", "01"),
    ("the first four", "0123"),
    ("cut it down to two", "01"),
    ("only the second one", "1"),
    ("keep the first and the third", "02"),
    ("only the applied ones", "02"),
    ("just the ones in Oslo", "02"),
    ("only those with a salary over 65k", "234"),
    ("drop the second one", "0234"),
    ("Remove the last two", "012"),
    ("delete the first one", "1234"),
    ("leave out the third", "0134"),
    ("without number 2", "0234"),
    ("skip #1 and #4", "124"),
    ("not the last one, please", "0123"),
    ("remove 2nd and 3rd", "034"),
    ("drop the last one from the proposal", "0123"),
    ("leave out the rejected ones", "0234"),
    ("without Vela Foods", "0234"),
    ("all but the first", "1234"),
    ("keep all but the second", "0234"),
    ("remove the proposed rows that are remote", "13"),
    ("Can you take out the fourth one?", "0124"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "kept"), FEWER, ids=[words for words, _ in FEWER])
def test_only_some_rows_of_the_proposal_stay(words: str, kept: str) -> None:
    assert names(revised(words)) == [ROWS[int(at)]["Company"] for at in kept]


OTHER = [
    ("make them all Berlin", {"City": "Berlin"}, "01234"),
    ("Make all of them Berlin", {"City": "Berlin"}, "01234"),
    ("they should all be in Lisbon", {"City": "Lisbon"}, "01234"),
    ("put them all in Munich", {"City": "Munich"}, "01234"),
    ("Set the city of all of them to Berlin", {"City": "Berlin"}, "01234"),
    ("their city should be Berlin", {"City": "Berlin"}, "01234"),
    ("use Berlin as the city for all of them", {"City": "Berlin"}, "01234"),
    ("all in Berlin please", {"City": "Berlin"}, "01234"),
    ("set the status of all of them to Applied", {"Status": "Applied"}, "01234"),
    ("set the status to Applied", {"Status": "Applied"}, "01234"),
    ("change their status to Offer", {"Status": "Offer"}, "01234"),
    ("mark them all as Rejected", {"Status": "Rejected"}, "01234"),
    ("make them remote", {"Remote": True}, "01234"),
    ("they should not be remote", {"Remote": False}, "01234"),
    ("give them all a salary of 75k", {"Salary": 75000}, "01234"),
    ("make their salary 75,000", {"Salary": 75000}, "01234"),
    ("set date applied to yesterday for all of them", {"Date Applied": "2026-11-20"}, "01234"),
    ("set the notes of them to call back", {"Notes": "call back"}, "01234"),
    ("make the first one Berlin", {"City": "Berlin"}, "0"),
    ("set the status of the second one to Offer", {"Status": "Offer"}, "1"),
    ("change the company of the last row to Globex", {"Company": "Globex"}, "4"),
    ("the third one should be Rejected", {"Status": "Rejected"}, "2"),
    ("make the first two rejected", {"Status": "Rejected"}, "01"),
    ("set the salary of number 4 to 95000", {"Salary": 95000}, "3"),
    ("the last two should be in Berlin", {"City": "Berlin"}, "34"),
    ("the new ones should be Applied", {"Status": "Applied"}, "01234"),
]  # fmt: skip


@pytest.mark.parametrize(("words", "values", "at"), OTHER, ids=[words for words, _, _ in OTHER])
def test_rows_of_the_proposal_get_other_values(words: str, values: Json, at: str) -> None:
    wanted = [row | values if str(place) in at else row for place, row in enumerate(ROWS)]

    assert [operation["data"] for operation in data(revised(words), columns=WITH_CITY)] == wanted


def test_an_update_by_condition_gets_the_value_too() -> None:
    update = {"action": "update", "where": {"and": [{"column": "Remote", "op": "is", "value": True}]}}
    operations = [update | {"changes": {"col_status01": "Offer"}}]

    assert data(revised("make them all Rejected", operations=operations)) == [
        update | {"changes": {"Status": "Rejected"}}
    ]


def test_places_in_a_proposal_by_condition_are_rows_of_the_table() -> None:
    where = {"and": [{"column": "Status", "op": "any_of", "value": ["Applied"]}]}
    operations = [{"action": "update", "where": where, "changes": {"Status": "Rejected"}}]
    rows = [{"row_id": at, "data": {"Company": f"C{at}", "Status": "Applied"}} for at in (4, 8, 9, 12)]

    reply = revised("only the first three", operations=operations, rows=rows)

    assert data(reply) == [{"action": "update", "row_id": at, "changes": {"Status": "Rejected"}} for at in (4, 8, 9)]


def test_a_value_of_no_certain_column_is_asked_back_with_sentences_that_work() -> None:
    reply = revised("make them all Springfield Power")

    assert "Which column" in reply.text
    offers = [item["value"] for item in json.loads(reply.element.removeprefix("SUGGESTED_VALUES: "))]
    assert offers
    assert all(data(revised(offer), columns=WITH_CITY) for offer in offers)


SAID = [
    ("only the first ten", "as it is"),
    ("drop all of them", "leave nothing"),
    ("drop the ninth one", "as it is"),
    ("make the ninth one remote", "no such row"),
    ("set the salary of all of them to lots", "Salary takes a number"),
    ("clear the company of all of them", "must have a value"),
]


@pytest.mark.parametrize(("words", "said"), SAID, ids=[words for words, _ in SAID])
def test_what_would_change_nothing_or_everything_is_said(words: str, said: str) -> None:
    reply = revised(words)

    assert said in reply.text
    assert "PROPOSAL" not in reply.element


def test_rows_to_be_deleted_get_no_values() -> None:
    reply = revised("make them all Rejected", operations=[{"action": "delete", "row_id": 1}])

    assert "nothing to set" in reply.text


ABOUT_THE_TABLE = [
    "set status to Rejected where date applied is before June",
    "delete the rejected ones",
    "delete rows 3 and 5",
    "Mark everything at Acme as Offer",
    "How many are Applied?",
    "Add 8 sample applications",
    "Rename Position to Role",
    "Add Acme as Engineer",
    "Remove the Notes column",
    "Set status to Rejected for all rows",
    "Delete the duplicates",
    "Show me the ones that are not rejected",
]


@pytest.mark.parametrize("words", ABOUT_THE_TABLE)
def test_other_wishes_are_about_the_table_still(words: str) -> None:
    without = answer(read_turn(body_with(words, status="applied 5 of 5")))
    beside = answer(read_turn(body_with(words)))

    assert (beside.element, beside.tool_use) == (without.element, without.tool_use)
    # A proposal of the table takes the place of the open one, and says so.
    replaces = " This proposal takes the place of the open one." if "_PROPOSAL: " in without.element else ""
    assert beside.text == without.text + replaces


def test_ticked_rows_come_before_the_proposal() -> None:
    reply = answer(read_turn(body_with("set status to Offer", selected_rows=SAMPLES[1:])))

    assert data(reply) == [{"action": "update", "row_id": 2, "changes": {"Status": "Offer"}}]


@pytest.mark.parametrize("status", ["applied 5 of 5", "dismissed", "superseded", "undone"])
def test_only_an_open_proposal_is_revised(status: str) -> None:
    assert answer(read_turn(body_with("drop the second one", status=status))).tool_use is None


def test_one_whose_apply_failed_is_open_still() -> None:
    reply = answer(read_turn(body_with("drop the second one", status="pending, last apply failed: it is locked")))

    assert reply.tool_use is not None


def test_a_proposal_that_cannot_be_read_again_stays_as_it_is() -> None:
    body = body_with("drop the second one")
    reply = answer(read_turn(body))
    reply = answer(read_turn(answered(body, reply=reply, result="There is no such payload.", is_error=True)))

    assert "leave it as it is" in reply.text


def test_without_a_proposal_the_words_mean_what_they_meant() -> None:
    assert "which rows" in ask("set status to Rejected").text
