"""A faulty payload is requested once more, and the better of the two is shown."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from chat.agent.finalize import PROPOSAL_INVALID
from chat.agent.loop import Limits
from chat.agent.reader_interface import CheckResult
from chat.agent.tool_runner import Emit
from chat.agent.tools import ToolConfig, ToolResult
from chat.payload_types import payload_types
from shared.user_messages import literal
from tests.chat.agent.turn import CARD, Json, Turn, advance_at, run, tool
from tests.manual_clock import ManualClock
from tests.scripted_model import Gate, Reply, refuse, say, use

BAD = 'Here. CARD: {"title": 1}'
GOOD = 'Sorry! CARD: {"title": "Two"}'
TWO = {"type": "card", "data": {"title": "Two"}}
ONE_FAULTY = CheckResult(operation_faults=("operations[0].do: no such thing.",))


def finding(verdicts: dict[str, CheckResult]) -> Callable[[Json], Awaitable[CheckResult]]:
    """Return a check of cards against live data: results by title."""

    async def check(payload: Json) -> CheckResult:
        return verdicts.get(str(payload["data"].get("title")), CheckResult())

    return check


@pytest.mark.parametrize(
    ("bad", "message"),
    [
        ("CARD: {'title': 1}", "not valid JSON"),
        ('CARD: {"title": 1}', "title: 1 is not of type"),
        ('CARD: {"title": "One", "title": "Two"}', "not valid JSON"),
        ('CARD: {"title": "One"', "not valid JSON"),
        ('CARD: {"title": "One', "not valid JSON"),
        ("CARD: {" * 20_000, "not valid JSON"),
    ],
    ids=["not JSON", "schema", "doubled key", "bracket missing", "ends in a string", "20,000 openings"],
)
def test_unreadable_payload_is_requested_once_more(bad: str, message: str) -> None:
    turn = run(say(f"Here. {bad}"), say(GOOD))
    assert turn.result.elements.payload == TWO
    assert turn.result.message == turn.text == "Here."
    assert turn.statuses() == ["thinking", "correcting_the_proposal"]
    assert message in turn.prompt_of(1)
    assert turn.result.elements.unreadable == ""
    assert turn.exchange_is_valid()


def test_only_the_payload_of_a_correction_is_used() -> None:
    turn = run(say(BAD), say('SUGGESTED_VALUES: ["Go on"] PLAN: {"operations": []} CARD: {"title": "Two"}'))
    assert turn.result.elements.suggested_values == ()
    assert turn.result.message == turn.text == "Here."


def test_payload_that_contradicts_live_data_is_requested_again_with_faults_by_path() -> None:
    fault = "operations[0].changes.Colour: Column not found."
    turn = run(say('CARD: {"title": "One"}'), say(GOOD), check=finding({"One": CheckResult((fault,))}))
    assert turn.result.elements.payload == TWO
    assert fault in turn.prompt_of(1)


def test_faults_of_single_operations_are_corrected() -> None:
    turn = run(say('CARD: {"title": "One"}'), say(GOOD), check=finding({"One": ONE_FAULTY}))
    assert turn.result.elements.payload == TWO
    assert "operations[0].do: no such thing." in turn.prompt_of(1)
    assert turn.result.elements.notes == ()


def test_table_data_in_faults_is_fenced_for_the_model() -> None:
    turn = run(say(BAD), say(GOOD), fence=lambda data: f"<data>{data['faults']}</data>")
    assert "<data>[" in turn.prompt_of(1)


def test_repair_has_no_tools_and_is_no_iteration() -> None:
    turn = run(say(BAD), say(GOOD), tools=(tool("get"),), limits=Limits(max_iterations=1))
    assert turn.script.requests[1]["tool_choice"] == {"type": "none"}
    assert turn.result.elements.payload == TWO
    assert [call.kind for call in turn.transcript.calls] == ["answer", "repair"]


def test_correction_stays_in_the_history() -> None:
    turn = run(say(BAD), say(GOOD))
    assert [message["role"] for message in turn.result.exchange] == ["assistant", "user", "assistant"]
    assert turn.result.exchange[-1]["content"] == [{"type": "text", "text": GOOD}]


@pytest.mark.parametrize(
    ("raw", "fault"),
    [('{"title": 2}', "2 is not of type"), ('{"title": "Two"', "not valid JSON")],
    ids=["schema", "bracket missing"],
)
@pytest.mark.parametrize("first", [BAD, 'Here. CARD: {"title": "On'], ids=["after a schema fault", "after half a JSON"])
def test_payload_still_faulty_after_one_repair_is_offered_as_text(
    first: str, raw: str, fault: str
) -> None:
    turn = run(say(first), say(f"CARD: {raw}"))
    assert len(turn.script.requests) == 2
    assert turn.result.elements.payload is None
    assert turn.result.message.startswith("Here.\n\nMy proposal could not be read")
    assert turn.result.elements.unreadable == raw
    assert fault in turn.result.elements.notes[0]
    assert turn.result.elements.warning is None
    assert turn.exchange_is_valid()


@pytest.mark.parametrize(
    "useless",
    [
        say("I cannot do better."),
        say('CARD: {"title": "Tw', stop_reason="max_tokens"),
        say('CARD: {"title": "Two"}', stop_reason="refusal"),
        say('CARD: {"title": "Two"}', stop_reason="model_context_window_exceeded"),
        use(("get", {}), text='CARD: {"title": "Two"}'),
        refuse(401, kind="authentication_error"),
        say("Half", ending="drop"),
    ],
    ids=["no payload", "cut", "refused", "no room", "wants a tool", "fails", "breaks off"],
)
@pytest.mark.parametrize("structural", [True, False], ids=["unreadable", "one faulty operation"])
def test_repair_without_a_payload_leaves_the_first(useless: Reply, structural: bool) -> None:
    first = BAD if structural else 'Here. CARD: {"title": "One"}'
    turn = run(say(first), useless, tools=(tool("get"),), check=finding({"One": ONE_FAULTY}))
    assert turn.kinds[-1] == "complete"
    assert turn.completed() == []
    if structural:
        assert turn.result.elements.unreadable == '{"title": 1}'
        assert turn.result.message.startswith("Here.\n\nMy proposal could not")
    else:
        assert turn.result.elements.payload == {"type": "card", "data": {"title": "One"}}
        assert turn.result.message == "Here."
        assert "cannot be applied until they are edited" in turn.result.elements.notes[0]
    assert turn.text == turn.result.message
    assert turn.exchange_is_valid()


def test_readable_proposal_is_shown_instead_of_an_unreadable_correction() -> None:
    turn = run(say('CARD: {"title": "One"}'), say(BAD), check=finding({"One": ONE_FAULTY}))
    assert turn.result.elements.payload == {"type": "card", "data": {"title": "One"}}
    assert len(turn.result.exchange) == 1


def test_correction_with_faulty_operations_is_shown_if_it_is_readable() -> None:
    turn = run(say(BAD), say(GOOD), check=finding({"Two": ONE_FAULTY}))
    assert turn.result.elements.payload == TWO
    assert len(turn.script.requests) == 2


def test_readable_proposal_about_nothing_is_not_corrected() -> None:
    verdict = CheckResult(("No row matches.",), literal("No row matches this, so there is nothing to change."))
    turn = run(say('Here. CARD: {"title": "One"}'), check=finding({"One": verdict}))
    assert turn.result.message == "Here.\n\nNo row matches this, so there is nothing to change."
    assert turn.result.elements.unreadable == ""


def test_readable_proposal_that_does_not_fit_is_refused_with_the_reason() -> None:
    verdict = CheckResult(("title: no such card.",), reason=literal("There is no such card."))
    turn = run(
        say('Here. CARD: {"title": "One"}'),
        say('CARD: {"title": "Two"}'),
        check=finding({"One": verdict, "Two": verdict}),
    )
    assert turn.result.message == f"Here.\n\n{PROPOSAL_INVALID()} There is no such card."
    assert turn.result.elements.unreadable == '{"title": "Two"}'


def test_payloads_of_tools_are_not_corrected() -> None:
    async def give(config: ToolConfig, params: Json, emit: Emit) -> ToolResult:
        return ToolResult("done", payload={"type": "card", "data": {"title": "One"}})

    def with_card(verdict: CheckResult) -> Turn:
        # The type must be registered before a tool can return it.
        with payload_types.registered(CARD):
            return run(
                use(("get", {})), say("Done."), tools=(tool("get", payload_type="card"),), run_tool=give,
                check=finding({"One": verdict}),
            )  # fmt: skip

    turn = with_card(CheckResult(("It is gone.",)))
    assert turn.result.elements.payload is None
    assert turn.result.message.endswith(str(PROPOSAL_INVALID()))
    assert "It is gone." in turn.result.elements.notes[0]
    assert with_card(ONE_FAULTY).result.payload == {"type": "card", "data": {"title": "One"}}


def test_proposal_replaced_by_a_tools_payload_is_not_reported() -> None:
    async def give(config: ToolConfig, params: Json, emit: Emit) -> ToolResult:
        return ToolResult("done", payload={"type": "card", "data": {"title": "One"}})

    with payload_types.registered(CARD):
        turn = run(
            use(("get", {})), say('PLAN: {"operations": [{"do": 1}]}', sizes=(5,)),
            tools=(tool("get", payload_type="card"),), run_tool=give,
        )  # fmt: skip
    assert turn.progress() == []
    assert "a tool's payload was shown instead" in turn.result.elements.notes[0]


def test_progress_restarts_with_a_correction() -> None:
    bad = 'PLAN: {"operations": [{"do": 1}, {"make": 2}]}'
    turn = run(say(bad, sizes=(5,)), say('PLAN: {"operations": [{"do": 1}, {"do": 2}]}', sizes=(5,)))
    message = [(event.operations, event.count, event.reset) for event in turn.progress() if event.operations]
    assert message == [
        (({"do": 1},), 1, False),
        (({"make": 2},), 2, False),
        (({"do": 1},), 1, False),
        (({"do": 2},), 2, False),
    ]
    assert [event.reset for event in turn.progress() if event.reset] == [True]
    assert next(event for event in turn.progress() if event.reset).count == 0


def test_repair_is_bound_by_the_deadline_of_the_turn() -> None:
    clock, gate = ManualClock(), Gate()
    turn = run(say(BAD), say(GOOD, gate=gate), clock=clock, meanwhile=advance_at(clock, (gate, 301)))
    assert turn.kinds[-1] == "complete"
    assert turn.result.elements.unreadable == '{"title": 1}'


def test_refused_answer_shows_no_proposal() -> None:
    turn = run(say('Here. CARD: {"title": "One"}', stop_reason="refusal"))
    assert turn.result.elements.payload is None
    assert "declined" in turn.result.message
