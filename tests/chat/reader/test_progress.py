"""Progress of a proposal while it arrives: each operation once, as written, for any pieces of text."""
from __future__ import annotations

from json import dumps
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.agent.events import AgentPayloadProgress
from chat.payload_types import PayloadType
from chat.reader import ReaderRules, TurnReader
from tests.hypothesis_examples import examples

Json = dict[str, Any]

PLAN = PayloadType(
    name="plan",
    description="Steps",
    source="llm",
    parse_marker="PLAN:",
    schema={
        "type": "object",
        "properties": {
            "operations": {"type": "array"}, "title": {"type": ["string", "null"]}, "note": {"type": "string"},
            "size": {"type": "integer"},
        },
    },
)
CARD = PayloadType(name="card", description="A card", source="llm", parse_marker="CARD:", schema={"type": "object"})
RULES = ReaderRules(
    markers={"CARD": "{", "PLAN": "{", "OTHER": "{", "SUGGESTED_VALUES": "["}, payloads={"CARD": CARD, "PLAN": PLAN}
)


def split(text: str, *, sizes: list[int]) -> list[str]:
    pieces, at = [], 0
    while at < len(text):
        size = sizes[len(pieces) % len(sizes)]
        pieces.append(text[at : at + size])
        at += size
    return pieces


def progress_of(*pieces: str, reading: TurnReader | None = None) -> list[AgentPayloadProgress]:
    reading = reading or TurnReader(RULES)
    events: list[AgentPayloadProgress] = []
    for piece in pieces:
        reading.feed(piece)
        events += reading.progress()
    return events


def operations(events: list[AgentPayloadProgress]) -> list[Json]:
    return [operation for event in events for operation in event.operations]


def texts(events: list[AgentPayloadProgress]) -> Json:
    return {name: text for event in events for name, text in event.texts.items()}


def test_operation_is_sent_at_its_last_bracket() -> None:
    reading = TurnReader(RULES)
    seen = [
        operations(progress_of(piece, reading=reading))
        for piece in ['PLAN: {"operations": [{"do": 1', "}", ', {"do": {"a": [2]}', "}", "]", "}"]
    ]
    assert seen == [[], [{"do": 1}], [], [{"do": {"a": [2]}}], [], []]


def test_start_of_a_proposal_is_sent_before_its_first_operation() -> None:
    assert progress_of('PLAN: {"') == [AgentPayloadProgress(payload_type="plan", operations=(), count=0)]


def test_count_is_of_all_operations_so_far() -> None:
    events = progress_of(*'PLAN: {"operations": [{"do": 1}, {"do": 2}, {"do": 3}]}')
    assert [event.count for event in events if event.operations] == [1, 2, 3]


def test_texts_beside_the_operations_are_sent_if_the_schema_names_them() -> None:
    text = 'PLAN: {"title": "A \\"plan\\"", "size": 3, "secret": "x", "operations": [{"title": "no"}]}'
    assert texts(progress_of(*text)) == {"title": 'A "plan"'}


def test_unreadable_text_does_not_hide_the_next() -> None:
    assert texts(progress_of('PLAN: {"title": "\\q", "note": "Soon", "operations": []}')) == {"note": "Soon"}


@pytest.mark.parametrize(
    "text",
    [
        'CARD: {"operations": [{"do": 1}]}',
        'OTHER: {"operations": [{"do": 1}]}',
        'CARD: {} PLAN: {"operations": [{"do": 1}]}',
        '`PLAN: {"operations": [{"do": 1}]}`',
        '```\nPLAN: {"operations": [{"do": 1}]}\nand more\n```',
        '{"operations": [{"do": 1}]}',
    ],
    ids=["no list", "not of this page", "not the first", "inline code", "a code block", "no marker"],
)
def test_other_lists_send_no_progress(text: str) -> None:
    assert progress_of(*text) == []


@pytest.mark.parametrize(
    "inside",
    [
        '"steps": [{"do": 1}]',
        '"more": {"operations": [{"do": 1}]}',
        '"note": "operations", "x": [{"do": 1}]',
        '"operations": 1, "x": [{"do": 1}]',
        '"operations": {"do": {"a": 1}}',
        '"operations": [[{"do": 1}], 2, "{}"]',
        '"operations": "[{}]"',
    ],
)
def test_only_objects_in_the_list_of_operations_are_operations(inside: str) -> None:
    assert operations(progress_of(*f"PLAN: {{{inside}}}")) == []


def test_progress_stops_after_an_operation_with_invalid_json() -> None:
    events = progress_of(*'PLAN: {"operations": [{"do": 1}, {do: 2}, {"do": 3}]}')
    assert operations(events) == [{"do": 1}]


def test_fenced_proposal_is_sent_once_its_fence_is_closed() -> None:
    text = '```json\nPLAN: {"operations": [{"do": 1}]}'
    assert progress_of(*text) == []
    assert operations(progress_of(*text, *"\n```\n")) == [{"do": 1}]


@pytest.mark.parametrize("size", [1, 7, 1_000])
def test_proposal_after_an_example_in_a_code_block_is_sent(size: int) -> None:
    example = '```\nPLAN: {"operations": [{"do": 1}]}\nand more\n```\n'
    events = progress_of(*split(example + 'PLAN: {"operations": [{"do": 2}]}', sizes=[size]))
    assert operations(events) == [{"do": 2}]
    assert [event.reset for event in events if event.reset] == []


def test_only_the_first_of_several_proposals_is_sent() -> None:
    text = 'PLAN: {"operations": [{"do": 1}]} PLAN: {"operations": [{"do": 2}]}'
    assert operations(progress_of(*text)) == [{"do": 1}]


def test_progress_before_a_tool_call_is_void_with_the_next_proposal() -> None:
    reading = TurnReader(RULES)
    first = progress_of('PLAN: {"operations": [{"do": 1}', reading=reading)
    reading.end_call(tool_use=True)
    second = progress_of('PLAN: {"operations": [{"do": 2}', ', {"do": 3}', reading=reading)
    assert [event.reset for event in [*first, *second]] == [False, True, False]
    assert [event.count for event in second] == [1, 2]


def test_element_sent_again_after_a_cut_restarts() -> None:
    reading = TurnReader(RULES)
    progress_of('PLAN: {"operations": [{"do": 1}, {"do"', reading=reading)
    lost = reading.drop_open_element()
    assert lost is not None
    assert (lost.marker, lost.operations) == ("PLAN", 1)
    [again] = progress_of('PLAN: {"operations": [{"do": 2}]}', reading=reading)
    assert (again.reset, again.operations, again.count) == (True, ({"do": 2},), 1)
    reading.end_call(tool_use=False)
    written = reading.parse_payload()
    assert written is not None
    assert written.payload == {"type": "plan", "data": {"operations": [{"do": 2}]}}


@pytest.mark.parametrize("text", ["Just words", "PLAN: ", 'PLAN: {"operations": []} and', "`PLAN: {", "```\nPLAN"])
def test_cut_outside_of_json_loses_nothing(text: str) -> None:
    reading = TurnReader(RULES)
    progress_of(text, reading=reading)
    assert reading.drop_open_element() is None


VALUES = st.recursive(
    st.none() | st.booleans() | st.integers(-9, 9) | st.text('ab"\\{}[],: \n\u00e9', max_size=6),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text('a"{:', max_size=3), inner, max_size=3),
    max_leaves=6,
)
KEYS = st.sampled_from(["do", "data", "operations", '"'])
OPERATIONS = st.lists(st.dictionaries(KEYS, VALUES, max_size=3), max_size=5)
SIZES = st.lists(st.integers(1, 9), min_size=1, max_size=5)


@examples(80)
@given(
    wanted=OPERATIONS,
    title=st.text('ab"\\{}[],: ', max_size=12),
    others=st.dictionaries(st.sampled_from(["a", "z", "size"]), VALUES, max_size=3),
    last=st.booleans(),
    fence=st.sampled_from(["", "```json\n"]),
    indent=st.sampled_from([None, 1]),
    sizes=SIZES,
)
def test_every_operation_is_sent_exactly_once_as_written(
    wanted: list[Json], title: str, others: Json, last: bool, fence: str, indent: int | None, sizes: list[int]
) -> None:
    rest = {"title": title, **others}
    content = {**rest, "operations": wanted} if last else {"operations": wanted, **rest}
    text = f"Here: PLAN: {fence}{dumps(content, indent=indent)}{'```' if fence else ''} Done."
    events = progress_of(*split(text, sizes=sizes))
    assert operations(events) == wanted
    assert texts(events) == {"title": title}
    assert events[-1].count == len(wanted)


PARTS = st.sampled_from(
    [
        *["PLAN: ", "PLAN: {", '"operations": [', '{"do": 1}', '{"do":', ", ", "]", "}", '"', "\\", "`", "```\n", "\n"],
        *['"title": "x"', "CARD: {}", 'PLAN: {"operations": [{"do": 1}, {"do": 2}]}', "word", " ", "1"],
    ]
)


@examples(100)
@given(text=st.lists(PARTS, max_size=25).map("".join), sizes=SIZES)
def test_progress_does_not_depend_on_the_pieces(text: str, sizes: list[int]) -> None:
    whole, pieces = progress_of(text), progress_of(*split(text, sizes=sizes))
    assert operations(pieces) == operations(whole)
    assert texts(pieces) == texts(whole)
    assert [event.count for event in pieces][-1:] == [event.count for event in whole][-1:]


@pytest.mark.slow
@pytest.mark.parametrize("unit", ['{"do": 1},', '{"a":[', '"a",', '"operations":[],', "{}", "]"])
def test_hostile_proposal_is_read_in_bounded_work(unit: str) -> None:
    """50 kB in single characters; a reader that restarted with each piece would take minutes."""
    assert progress_of(*('PLAN: {"operations": [' + unit * (50_000 // len(unit))))
