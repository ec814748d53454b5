"""Instructions, the pace of calls, the time left, and the answers of the demo model: pure functions."""
from __future__ import annotations

import signal
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.agent.model import Stop
from chat.demo_model.record_answers import answer_record
from chat.provider.configured import DEMO_MODEL
from fills.answers import Answer, Refused, read_answer
from fills.instruction import instruction_text, read_instruction, references
from fills.management.commands.fill import ending_before_interrupt, time_left_text
from fills.pace import Pace
from fills.progress_rate import ProgressRate
from fills.prompt import fixed_part, row_message
from fills.services.estimates import minutes_of
from tables.column_types import ColumnSpec, TableShape
from tables.column_types.people import People, Person
from tables.operations.body_reader import Form

COLUMNS = (
    ColumnSpec("col_a", "E-mail", "text"),
    ColumnSpec("col_b", "Note", "text"),
    ColumnSpec("col_text", "Out", "text"),
    ColumnSpec("col_number", "Amount", "number"),
    ColumnSpec("col_yes", "OK", "boolean"),
    ColumnSpec("col_kind", "Kind", "select", options=("School", "Firm")),
)
SHAPE = TableShape(1, "People", columns=COLUMNS)


def read(text: str) -> tuple[list[Any], list[str]]:
    form = Form()
    return read_instruction(text, shape=SHAPE, path="instruction", form=form), [fault.code for fault in form.faults]


@given(st.lists(st.one_of(st.sampled_from(["{E-mail}", "{Note}", "{{", "}}"]), st.text("ab {}\n", max_size=4))))
def test_stored_instructions_are_shown_as_they_were_written(pieces: list[str]) -> None:
    parts, faults = read("".join(pieces))
    if not faults:
        assert instruction_text(parts, shape=SHAPE) == "".join(pieces)


def test_references_are_stored_by_id_and_checked() -> None:
    parts, faults = read("Join { e-mail } and {Note}, {E-mail} {{as is}}")
    assert (references(parts), faults) == (["col_a", "col_b"], [])
    renamed = TableShape(1, "People", columns=(ColumnSpec("col_a", "Address", "text"),))
    assert instruction_text(parts, shape=renamed) == "Join {Address} and {deleted column}, {Address} {{as is}}"
    assert read("{Emale} {x")[1] == ["unknown_column", "open_brace"]
    assert read("  ")[1] == ["missing"]


def test_calls_are_halved_once_for_refusals_of_the_same_time_and_grow_slowly() -> None:
    pace = Pace(8)
    for _ in range(4):
        pace.refused(0)
    assert pace.limit == 4
    pace.refused(pace.generation)
    assert pace.limit == 2
    for _ in range(8):
        pace.answered()
    assert pace.limit == 3


def test_people_have_names_for_the_model_and_only_members_are_accepted() -> None:
    people = People(lambda: [Person(7, "ada"), Person(8, "bob"), Person(9, "eve", has_left=True)])
    owner = ColumnSpec("col_owner", "Owner", "person", people=people)
    time = ColumnSpec("col_time", "Time", "number", settings=(("format", "duration"),))
    shape = TableShape(1, "People", columns=(owner, time))
    prompt = fixed_part(parts=["Who?"], shape=shape, columns=[owner, time], examples=[])
    values = prompt["tools"][0]["input_schema"]["properties"]["values"]["properties"]
    assert values["col_owner"]["anyOf"][0]["enum"] == ["ada", "bob"]
    assert "in minutes" in values["col_time"]["description"]
    assert '"ada"' in row_message({"col_owner": 7}, columns=[owner])["content"][0]["text"]

    def answered(name: str) -> Answer | Refused:
        answer = {"values": {"col_owner": name}, "confidence": "high", "note": "", "sources": []}
        use = {"type": "tool_use", "id": "1", "name": "record_result", "input": answer}
        return read_answer(Stop("tool_use", (use,)), shape=shape, columns=["col_owner"])

    assert answered("Bob") == Answer({"col_owner": 8}, "high")
    assert [type(answered(name)) for name in ("eve", "zoe")] == [Refused, Refused]


def test_minutes_depend_on_rows_searches_and_the_demo_model(settings: Any) -> None:
    settings.FILL_CONCURRENCY = 4
    estimated = [minutes_of(600, model="a"), minutes_of(600, model="a", searches=2), minutes_of(600, model=DEMO_MODEL)]
    assert estimated == [10, 40, 1]


@pytest.mark.parametrize(
    ("column", "instruction", "cells", "value"),
    [
        ("col_text", "The domain of {E-mail}", {"col_a": "Ada <ada@Firm.example>"}, "firm.example"),
        ("col_text", "The domain", {"col_b": "see https://www.firm.example/x"}, "firm.example"),
        ("col_text", "{Note} in upper case", {"col_b": "abc"}, "ABC"),
        ("col_text", "Who founded it?", {"col_b": "abc"}, None),
        ("col_number", "How many words has {Note}?", {"col_b": "one two"}, 2),
        ("col_number", "Count the characters of {Note}", {"col_b": "one"}, 3),
        ("col_yes", "Translate {Note}", {"col_b": "Nein"}, False),
        ("col_yes", "Does {Note} contain “two”?", {"col_b": "one two"}, True),
        ("col_kind", "Classify {Note}", {"col_b": "A school in Bern"}, "School"),
        ("col_kind", "Classify {Note}", {"col_b": "schools"}, None),
        ("col_text", "The domain of {E-mail}", {}, None),
    ],
)
def test_the_demo_model_answers_what_can_be_computed(
    column: str, instruction: str, cells: dict[str, Any], value: Any
) -> None:
    parts, _ = read(instruction)
    target = [each for each in COLUMNS if each.id == column]
    prompt = fixed_part(parts=parts, shape=SHAPE, columns=target, examples=[])
    reply = answer_record({**prompt, "messages": [row_message(cells, columns=COLUMNS[:2])]})
    assert reply.tool_use is not None
    assert reply.tool_use.input["values"] == {column: value}
    assert (reply.tool_use.input["confidence"] == "low") is (value is None)


def test_the_time_left_follows_from_the_rate_of_the_last_minute() -> None:
    rate = ProgressRate()
    assert rate.seconds_left(10) is None
    for at, done in ((0, 0), (10, 1000), (70, 1060), (130, 1120)):
        rate.add(done, at=at)
    assert rate.seconds_left(300) == 300
    rate.add(2, at=131)
    assert rate.seconds_left(300) is None
    shown = [time_left_text(seconds) for seconds in (None, 0, 89, 300)]
    assert shown == ["", ", 1 s left", ", 89 s left", ", 5 min left"]


def test_an_interrupt_is_raised_after_a_piece_of_work_and_a_second_one_at_once() -> None:
    reached = []

    def interrupt(times: int) -> None:
        with ending_before_interrupt():
            for _ in range(times):
                signal.raise_signal(signal.SIGINT)
            reached.append(times)

    for times in (1, 2):
        with pytest.raises(KeyboardInterrupt):
            interrupt(times)
    assert reached == [1]
