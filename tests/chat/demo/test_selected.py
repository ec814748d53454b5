"""Questions about the selected rows: answered of those alone, and not at all where none is selected."""

from __future__ import annotations

from typing import Any

import pytest

from chat.demo.mind import answer
from chat.demo.request import read_turn
from chat.links import without_links
from tests.chat.demo import in_german
from tests.chat.demo.asking import ACTIONS, COLUMNS, SAMPLES, answered, ask, request_body
from tests.chat.demo.test_german_forms import ENGLISH

Json = dict[str, Any]
APPLIED: Json = {"column": "Status", "op": "any_of", "value": ["Applied"]}
OFFERED: Json = {"column": "Status", "op": "any_of", "value": ["Offer"]}
REMOTE: Json = {"column": "Remote", "op": "is", "value": True}
HAS_SALARY: Json = {"column": "Salary", "op": "not_empty"}
HAS_DATE: Json = {"column": "Date Applied", "op": "not_empty"}
HAS_NOTES: Json = {"column": "Notes", "op": "not_empty"}
OVER_5: Json = {"column": "Salary", "op": "gt", "value": 5}
# The question, the tool that answers it, and the conditions on the selected rows.
ASKED: list[tuple[str, str, list[Json]]] = [
    ("How many of these are Applied?", "get_rows", [APPLIED]),
    ("how many ticked rows are remote", "get_rows", [REMOTE]),
    ("how many are ticked and Applied?", "get_rows", [APPLIED]),
    ("Of these, how many are Applied?", "get_rows", [APPLIED]),
    ("Which of these has the highest salary?", "get_rows", [HAS_SALARY]),
    ("Which of these applications is the oldest?", "get_rows", [HAS_DATE]),
    ("earliest date applied of the selected", "get_rows", [HAS_DATE]),
    ("What is the highest salary of the selected rows?", "get_rows", [HAS_SALARY]),
    ("longest notes of my selection", "get_rows", [HAS_NOTES]),
    ("Count these by status", "get_rows", []),
    ("How many of the selected ones per status?", "get_rows", []),
    ("status breakdown of these", "get_rows", []),
    ("average salary of these", "aggregate_rows", []),
    ("average of these where salary is over 5", "aggregate_rows", [OVER_5]),
    ("Total salary per status of these", "aggregate_rows", []),
    ("total salary of the checked rows where status is Offer", "aggregate_rows", [OFFERED]),
    ("sum these", "aggregate_rows", []),
    ("range of salary of these", "aggregate_rows", []),
    ("Show these", "get_rows", []),
    ("show me the rows that are ticked", "get_rows", []),
    ("show only the selected ones that are remote", "get_rows", [REMOTE]),
    ("Which of these are remote?", "get_rows", [REMOTE]),
]
GERMAN: list[tuple[str, str, list[Json]]] = [
    ("Wie viele der ausgewählten sind Beworben?", "get_rows",
     [{"column": "Status", "op": "any_of", "value": ["Beworben"]}]),
    ("Wie viele dieser Zeilen sind remote?", "get_rows", [REMOTE]),
    ("Welche von diesen hat das höchste Gehalt?", "get_rows", [{"column": "Gehalt", "op": "not_empty"}]),
    ("Frühestes Bewerbungsdatum der markierten Zeilen", "get_rows", [{"column": "Bewerbungsdatum", "op": "not_empty"}]),
    ("Durchschnittliches Gehalt der ausgewählten", "aggregate_rows", []),
    ("Durchschnittliches Gehalt der ausgewählten, wo Remote ja ist", "aggregate_rows", [REMOTE]),
    ("Summe Gehalt je Status der angehakten", "aggregate_rows", []),
    ("Zähle diese nach Status", "get_rows", []),
    ("Zeige die ausgewählten Zeilen", "get_rows", []),
]  # fmt: skip


def in_german_of(words: str, *, ticked: bool = True) -> Json:
    """The request beside the German table."""
    rows = in_german.SAMPLES if ticked else []
    return request_body(words, table=in_german.table(), sample_rows=in_german.SAMPLES, selected_rows=rows)


def told(body: Json, result: Json) -> str:
    """What is said once the tool has answered."""
    first = answer(read_turn(body))
    return without_links(answer(read_turn(answered(body, reply=first, result=result))).text)


@pytest.mark.parametrize(("words", "tool", "clauses"), ASKED, ids=[words for words, _, _ in ASKED])
def test_a_question_about_the_selected_rows_reads_those_alone(words: str, tool: str, clauses: list[Json]) -> None:
    used = ask(words, selected_rows=SAMPLES, actions=ACTIONS).tool_use

    assert used is not None
    assert (used.name, used.input["selected"]) == (tool, True)
    assert used.input.get("filter", {"and": []}) == {"and": clauses}
    assert ask(words, actions=ACTIONS).text == "No rows are selected. Tick some in the table first."


@pytest.mark.parametrize(("words", "tool", "clauses"), GERMAN, ids=[words for words, _, _ in GERMAN])
def test_a_german_question_about_the_selected_rows_reads_those_alone(
    words: str, tool: str, clauses: list[Json]
) -> None:
    used = answer(read_turn(in_german_of(words))).tool_use

    assert used is not None
    assert (used.name, used.input["selected"]) == (tool, True)
    assert used.input.get("filter", {"and": []}) == {"and": clauses}
    none = answer(read_turn(in_german_of(words, ticked=False)))
    assert none.text == "Keine Zeile ist ausgewählt. Haken Sie zuerst welche in der Tabelle an."


@pytest.mark.parametrize(
    "words", ["how many are selected?", "How many rows have I ticked?", "how many are checked", "how many of these?"]
)
def test_the_selected_rows_are_counted(words: str) -> None:
    assert ask(words, selected_rows=SAMPLES, selected_rows_left_out=10).text.startswith("12 rows are selected.")
    assert ask(words).text.startswith("No rows are selected.")


def test_the_answer_says_that_it_is_about_the_selected_rows() -> None:
    whole = {"group": {}, "rows": 2, "values": {"avg of Salary": 30, "count of Salary": 2}}
    averaged = {"groups": [whole], "groups_total": 1, "matching_rows": 2}
    counted = {"rows": [], "matching_rows": 1}
    said = [
        told(request_body("average salary of these where remote is yes", selected_rows=SAMPLES), averaged),
        told(request_body("how many of these are Applied?", selected_rows=SAMPLES), counted),
        told(request_body("count these by status", selected_rows=SAMPLES), {"rows": SAMPLES, "matching_rows": 2}),
        told(request_body("show these", selected_rows=SAMPLES), {"rows": SAMPLES, "matching_rows": 2}),
    ]

    assert [text.partition("\n")[0] for text in said] == [
        "The average of Salary of the selected rows where Remote is yes is 30, over 2 rows with a value.",
        "Of 2 selected rows, 1 matches: Status is Applied.",
        "2 selected rows by Status:",
        "2 rows are selected:",
    ]


def test_the_german_answer_says_so_in_german() -> None:
    values = {"avg of Gehalt": 30, "count of Gehalt": 2, "min of Gehalt": 1, "max of Gehalt": 9}
    averaged = {"groups": [{"group": {}, "rows": 2, "values": values}], "groups_total": 1, "matching_rows": 2}
    found = {"rows": in_german.SAMPLES, "matching_rows": 2}
    said = [
        told(in_german_of("Durchschnittliches Gehalt der ausgewählten"), averaged),
        told(in_german_of("Durchschnittliches Gehalt der ausgewählten, wo Remote ja ist"), averaged),
        told(in_german_of("Spanne von Gehalt der ausgewählten"), averaged),
        told(in_german_of("Wie viele der ausgewählten sind Beworben?"), {"rows": [], "matching_rows": 1}),
        told(in_german_of("Welche von diesen hat das höchste Gehalt?"), {"rows": in_german.SAMPLES[1:]}),
        told(in_german_of("Zähle diese nach Status"), found),
        told(in_german_of("Zeige diese"), found),
    ]

    assert said[0] == "Durchschnitt von Gehalt in den ausgewählten Zeilen: 30, über 2 Zeilen mit einem Wert."
    assert [ENGLISH.findall(text) for text in said] == [[]] * len(said)


@pytest.mark.parametrize(
    "words",
    ["are there duplicates among these?", "delete the duplicates in the selected rows", "search for freight in these",
     "export these", "export the selected rows as Excel"],
)  # fmt: skip
def test_what_is_done_with_all_rows_only_is_not_done_for_the_selected_ones(words: str) -> None:
    reply = ask(words, selected_rows=SAMPLES, actions=ACTIONS if "export" in words else ())

    assert reply.tool_use is None
    assert "SUGGESTED_ACTIONS" not in reply.element
    assert "selected" in reply.text


@pytest.mark.parametrize(
    "words", ["delete these where status is Applied", "set status to Offer for the selected rows where remote is yes"]
)
def test_nothing_is_proposed_for_a_condition_on_the_selected_rows(words: str) -> None:
    reply = ask(words, selected_rows=SAMPLES)

    assert "_PROPOSAL" not in reply.element
    assert "not only some of the selected ones" in reply.text
    assert "No rows are selected" in ask(words).text


@pytest.mark.parametrize(
    ("words", "clauses"), [("How many are marked as remote?", [REMOTE]), ("show those that are Applied", [APPLIED])]
)
def test_other_words_do_not_mean_the_selected_rows(words: str, clauses: list[Json]) -> None:
    used = ask(words, selected_rows=SAMPLES).tool_use

    assert used is not None
    assert "selected" not in used.input
    assert used.input["filter"] == {"and": clauses}


def test_a_column_that_is_called_so_is_meant_by_its_name() -> None:
    columns = [*COLUMNS, {"id": "col_checked1", "name": "Checked", "type": "boolean"}]
    table = {"id": 5, "name": "Job Applications", "description": "", "columns": columns, "rows": 24}
    used = ask("how many are checked?", table=table, selected_rows=SAMPLES).tool_use

    assert used is not None
    assert used.input == {"limit": 1, "filter": {"and": [{"column": "Checked", "op": "is", "value": True}]}}
