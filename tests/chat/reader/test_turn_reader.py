"""Message, payload and suggestions of one turn, read call after call."""
from __future__ import annotations

from json import dumps
from typing import Any

import pytest

from chat.actions import ClientAction, ServerAction
from chat.agent.events import Elements
from chat.payload_types import PayloadType
from chat.reader import ReaderRules, TurnReader
from chat.reader.turn_reader import ZERO_WIDTH_SPACE

CARD = PayloadType(
    name="card",
    description="A card",
    source="llm",
    parse_marker="CARD:",
    schema={"type": "object", "required": ["title"], "properties": {"title": {"type": "string"}}},
)
SEND_MAIL = ServerAction(
    action="send_mail",
    description="Sends a mail.",
    executor=print,
    parameters={"type": "object", "properties": {"to": {"type": "string"}}, "additionalProperties": False},
)
DEGREES = {"type": "object", "properties": {"by": {"type": "integer"}}, "additionalProperties": False}
RULES = ReaderRules(
    markers={"CARD": "{", "CHART": "{", "SUGGESTED_VALUES": "[", "SUGGESTED_ACTIONS": "["},
    payloads={"CARD": CARD},
    client_actions=(
        ClientAction(action="close_chat", description="Close."),
        ClientAction(action="tilt", description="Tilt.", schema=DEGREES, may_run=True),
    ),
    server_actions=(SEND_MAIL,),
)


def read(*texts: str) -> tuple[str, TurnReader]:
    """Read a turn of one call, its text in these pieces."""
    reading = TurnReader(RULES)
    shown = [reading.feed(text) for text in texts]
    shown.append(reading.end_call(tool_use=False))
    return "".join(shown), reading


def elements_of(text: str) -> Elements:
    _, reading = read(text)
    written = reading.parse_payload()
    return reading.elements(shown=written.payload if written else None)


def test_surrounding_white_space_is_removed() -> None:
    assert read("\n ", " Hello", " \n", "there", ".\n\n")[0] == "Hello \nthere."


def test_white_space_between_calls_is_sent_once_text_follows() -> None:
    reading = TurnReader(RULES)
    first = reading.feed("Let me look.\n\n") + reading.end_call(tool_use=True)
    assert [first, reading.flush_whitespace(), reading.tool_mark(0)] == ["Let me look.", "\n\n", "[[tool:0]]"]
    assert reading.feed(" Nine rows.\n") + reading.end_call(tool_use=False) == " Nine rows."


def test_white_space_before_a_first_tool_is_not_sent() -> None:
    reading = TurnReader(RULES)
    assert reading.feed("\n") + reading.end_call(tool_use=True) + reading.flush_whitespace() == ""


@pytest.mark.parametrize("pieces", [["[[tool:0]]"], list("[[tool:0]]"), ["a [[to", "ol", ":0]]"]])
def test_tool_markers_of_the_model_are_broken(pieces: list[str]) -> None:
    shown, _ = read(*pieces)
    assert "[[tool:" not in shown


def test_broken_tool_marker_is_otherwise_unchanged() -> None:
    shown, _ = read("[[tool:1]] and [[tool:2]]")
    assert shown.replace(ZERO_WIDTH_SPACE, "") == "[[tool:1]] and [[tool:2]]"
    assert shown.count(ZERO_WIDTH_SPACE) == 2


def test_tool_marker_formed_by_removing_an_element_is_broken() -> None:
    assert "[[tool:" not in read("[[toCARD: {}", "ol:3]]")[0]


def test_first_payload_with_a_type_of_the_page_is_used() -> None:
    elements = elements_of('CHART: {"a": 1} CARD: {"title": "One"} CARD: {"title": "Two"}')
    assert elements.payload == {"type": "card", "data": {"title": "One"}}
    chart, second = elements.notes
    assert chart.startswith("The CHART you wrote was not shown")
    assert second.startswith("The CARD you wrote was not shown: only the first")


def test_payload_before_a_tool_call_is_ignored_and_reported_to_the_model() -> None:
    reading = TurnReader(RULES)
    assert reading.feed('CARD: {"title": "Early"}') + reading.end_call(tool_use=True) == ""
    assert reading.parse_payload() is None
    [note] = reading.take_notes()
    assert "CARD" in note
    assert reading.take_notes() == ()


@pytest.mark.parametrize(
    ("text", "fault"), [("CARD: {'title': 1}", "JSON"), ('CARD: {"title": 1}', "title: 1 is not of type 'string'")]
)
def test_unreadable_payload_is_stored_as_written_with_its_fault(text: str, fault: str) -> None:
    _, reading = read(text)
    written = reading.parse_payload()
    assert written is not None
    assert (written.marker, written.payload, written.raw) == ("CARD", None, text.removeprefix("CARD: "))
    assert fault in written.faults[0]


def test_first_payload_is_used_even_if_only_a_later_one_is_readable() -> None:
    written = read('CARD: {"title": 1} CARD: {"title": "Two"}')[1].parse_payload()
    assert written is not None
    assert written.payload is None


NEVER_CLOSES = {
    "one bracket missing": '{"title": "One"',
    "ends inside a string": '{"title": "On',
    "ends behind a backslash": '{"title": "On\\',
    "repeated marker": "{" + "CARD: {" * 20_000,
    "opening braces": "{" * 100_000,
    "backslashes": '{"title": "' + "\\" * 100_001,
    "backslashes outside a string": "{" + "\\" * 100_001,
    "quotes": "{" + '"' * 100_001,
}


@pytest.mark.parametrize("size", [3, 4_096, 1_000_000], ids=["small deltas", "large deltas", "whole"])
@pytest.mark.parametrize("json", NEVER_CLOSES.values(), ids=NEVER_CLOSES)
@pytest.mark.parametrize("cut", [False, True], ids=["answer ended", "answer cut"])
def test_unclosed_payload_is_invalid_unless_the_answer_was_cut(json: str, size: int, cut: bool) -> None:
    text = f"A CARD: of mine. CARD: {json}"
    reading = TurnReader(RULES)
    shown = "".join(reading.feed(text[at : at + size]) for at in range(0, len(text), size))
    shown += reading.end_call(tool_use=False, cut=cut)

    written = reading.parse_payload()

    assert shown == "A CARD: of mine."
    assert written is not None
    assert (written.raw == json, written.payload, written.cut) == (True, None, cut)
    assert "not valid JSON" in written.faults[0]


def test_unclosed_payload_of_another_page_is_no_fault_of_the_first_allowed_one() -> None:
    _, reading = read('CARD: {"title": "One"} CHART: {"a": [')
    written = reading.parse_payload()
    assert written is not None
    assert (written.payload, written.faults) == ({"type": "card", "data": {"title": "One"}}, ())


def test_sentence_of_the_application_is_its_own_paragraph() -> None:
    _, reading = read("Text.\n")
    assert reading.append_paragraph("Sorry.") == "\n\nSorry."


@pytest.mark.parametrize("before", ["", "Text."])
def test_quotation_in_a_sentence_of_the_application_makes_no_tool_marker(before: str) -> None:
    _, reading = read(before)
    assert "[[tool:" not in reading.append_paragraph("There is no column “[[tool:0]]”.")


def test_bare_strings_are_suggested_values() -> None:
    elements = elements_of('SUGGESTED_VALUES: ["x", {"label": "Y", "value": "why"}, {"label": "Z"}, 7, {"value": "v"}]')
    assert list(elements.suggested_values) == [
        {"label": "x", "value": "x"},
        {"label": "Y", "value": "why"},
        {"label": "Z", "value": "Z"},
    ]
    assert len(elements.notes) == 2


@pytest.mark.parametrize(
    ("action", "expected"),
    [
        ({"action": "close_chat"}, {"action": "close_chat", "handler": "client"}),
        ({"action": "send_mail", "handler": "server"}, {"action": "send_mail", "handler": "server"}),
        (
            {"action": "close_chat", "data": {"a": 1}, "style": "warning"},
            {"action": "close_chat", "handler": "client", "data": {"a": 1}, "style": "warning"},
        ),
        (
            {"action": "close_chat", "style": "loud", "data": None},
            {"action": "close_chat", "handler": "client"},
        ),
        (
            {"action": "send_mail", "handler": "server", "data": {"to": "Ada"}},
            {"action": "send_mail", "handler": "server", "data": {"to": "Ada"}},
        ),
        ({"action": "send_mail", "handler": "server", "data": {"to": 7}}, None),
        ({"action": "send_mail", "handler": "server", "data": {"bcc": "Eve"}}, None),
        ({"action": "send_mail"}, None),
        ({"action": "format_disk"}, None),
        ({"action": "close_chat", "handler": "both"}, None),
        ({"action": "close_chat", "data": "text"}, None),
        ({"action": ["close_chat"]}, None),
        ({"action": "tilt", "data": {"by": "far"}}, None),
        ({"action": "close_chat", "handler": ["client"]}, None),
    ],
)
def test_only_registered_actions_are_suggested(action: dict[str, Any], expected: dict[str, Any] | None) -> None:
    elements = elements_of(f"SUGGESTED_ACTIONS: {dumps([{'label': 'Do it', **action}])}")
    assert list(elements.suggested_actions) == ([{"label": "Do it", **expected}] if expected else [])


@pytest.mark.parametrize(
    ("action", "runs", "not_run", "note"),
    [
        pytest.param({"action": "tilt", "run": True}, True, False, "", id="may run"),
        pytest.param({"action": "tilt", "run": "yes"}, False, False, "", id="not a boolean"),
        pytest.param({"action": "close_chat", "run": True}, False, False, "does not run at once", id="only a button"),
        pytest.param({"action": "tilt", "run": True, "data": {"by": "far"}}, None, True, "data.by", id="bad data"),
        pytest.param({"action": "fly", "run": True}, None, True, "'fly' is not a client action", id="unknown"),
    ],
)
def test_action_runs_only_if_allowed_and_with_valid_data(
    action: dict[str, Any], runs: bool | None, not_run: bool, note: str
) -> None:
    elements = elements_of(f"SUGGESTED_ACTIONS: {dumps([{'label': 'Do it', **action}])}")
    shown = [suggested.get("run", False) for suggested in elements.suggested_actions]
    assert (shown, elements.not_run) == ([] if runs is None else [runs], not_run)
    assert note in "".join(elements.notes)


def test_running_action_beside_a_proposal_is_left_out_and_reported() -> None:
    _, reading = read('SUGGESTED_ACTIONS: [{"label": "Tilt", "action": "tilt", "run": true}]')
    elements = reading.elements(shown={"type": "data_proposal", "data": {}})
    assert (elements.suggested_actions, elements.not_run) == ((), True)


def test_first_of_several_suggestion_lists_is_used() -> None:
    elements = elements_of('SUGGESTED_VALUES: [1 SUGGESTED_VALUES: ["a"]')
    assert list(elements.suggested_values) == []
    elements = elements_of('SUGGESTED_VALUES: ["a"] SUGGESTED_VALUES: ["b"]')
    assert [value["value"] for value in elements.suggested_values] == ["a"]


def test_suggestions_after_an_ignored_list_are_read() -> None:
    actions = 'SUGGESTED_ACTIONS: [{"label": "Close", "action": "close_chat"}]'
    elements = elements_of(f'SUGGESTED_VALUES: ["a"] SUGGESTED_VALUES: ["b"] {actions}')
    assert [action["label"] for action in elements.suggested_actions] == ["Close"]


def test_proposal_removes_suggestions() -> None:
    _, reading = read('SUGGESTED_VALUES: ["a"]')
    elements = reading.elements(shown={"type": "data_proposal", "data": {}})
    assert elements.suggested_values == ()
    assert "exclude each other" in elements.notes[0]


def test_payload_without_review_keeps_suggestions() -> None:
    assert elements_of('SUGGESTED_VALUES: ["a"] CARD: {"title": "One"}').suggested_values
