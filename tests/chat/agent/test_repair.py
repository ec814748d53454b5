"""A payload with faults is asked for once more, and the better of the two is shown."""

from __future__ import annotations

from collections.abc import Awaitable, Callable

import pytest

from chat.agent.finalize import UNFIT
from chat.agent.loop import Limits
from chat.agent.reader_interface import CheckResult
from chat.agent.tool_runner import Emit
from chat.agent.tools import ToolConfig, ToolResult
from chat.payload_types import payload_types
from shared.user_messages import literal
from tests.chat.agent.turn import CARD, Json, Turn, passing, run, tool
from tests.manual_clock import ManualClock
from tests.scripted_model import Gate, Reply, refuse, say, use

BAD = 'Here. CARD: {"title": 1}'
GOOD = 'Sorry! CARD: {"title": "Two"}'
TWO = {"type": "card", "data": {"title": "Two"}}
ONE_FAULTY = CheckResult(operation_faults=("operations[0].do: no such thing.",))


def finding(verdicts: dict[str, CheckResult]) -> Callable[[Json], Awaitable[CheckResult]]:
    """The live data: what it holds against cards, by title."""

    async def check(payload: Json) -> CheckResult:
        return verdicts.get(str(payload["data"].get("title")), CheckResult())

    return check


@pytest.mark.parametrize(
    ("bad", "told"),
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
def test_a_payload_that_cannot_be_read_is_asked_for_once_more(bad: str, told: str) -> None:
    turn = run(say(f"Here. {bad}"), say(GOOD))
    assert turn.result.elements.payload == TWO
    assert turn.result.message == turn.text == "Here."
    assert turn.statuses() == ["thinking", "correcting_the_proposal"]
    assert told in turn.asked(1)
    assert turn.result.elements.unreadable == ""
    assert turn.exchange_is_valid()


def test_of_a_correction_only_the_payload_counts() -> None:
    turn = run(say(BAD), say('SUGGESTED_VALUES: ["Go on"] PLAN: {"operations": []} CARD: {"title": "Two"}'))
    assert turn.result.elements.suggested_values == ()
    assert turn.result.message == turn.text == "Here."


def test_a_payload_the_live_data_contradicts_is_asked_for_once_more_with_the_faults_by_path() -> None:
    fault = "operations[0].changes.Colour: Column not found."
    turn = run(say('CARD: {"title": "One"}'), say(GOOD), check=finding({"One": CheckResult((fault,))}))
    assert turn.result.elements.payload == TWO
    assert fault in turn.asked(1)


def test_faults_of_single_operations_are_corrected_too() -> None:
    turn = run(say('CARD: {"title": "One"}'), say(GOOD), check=finding({"One": ONE_FAULTY}))
    assert turn.result.elements.payload == TWO
    assert "operations[0].do: no such thing." in turn.asked(1)
    assert turn.result.elements.notes == ()


def test_what_comes_out_of_tables_reaches_the_model_between_data_marks() -> None:
    turn = run(say(BAD), say(GOOD), fence=lambda data: f"<data>{data['faults']}</data>")
    assert "<data>[" in turn.asked(1)


def test_a_repair_has_no_tools_and_is_no_iteration() -> None:
    turn = run(say(BAD), say(GOOD), tools=(tool("get"),), limits=Limits(max_iterations=1))
    assert turn.script.requests[1]["tool_choice"] == {"type": "none"}
    assert turn.result.elements.payload == TWO
    assert [call.kind for call in turn.transcript.calls] == ["answer", "repair"]


def test_the_correction_stays_in_the_exchange_so_that_the_model_knows_what_counts() -> None:
    turn = run(say(BAD), say(GOOD))
    assert [message["role"] for message in turn.result.exchange] == ["assistant", "user", "assistant"]
    assert turn.result.exchange[-1]["content"] == [{"type": "text", "text": GOOD}]


@pytest.mark.parametrize(
    ("raw", "fault"),
    [('{"title": 2}', "2 is not of type"), ('{"title": "Two"', "not valid JSON")],
    ids=["schema", "bracket missing"],
)
@pytest.mark.parametrize("first", [BAD, 'Here. CARD: {"title": "On'], ids=["after a schema fault", "after half a JSON"])
def test_there_is_one_repair_and_what_is_still_faulty_is_not_shown_but_offered(
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
def test_a_repair_without_a_payload_leaves_the_first(useless: Reply, structural: bool) -> None:
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


def test_of_a_sound_proposal_and_an_unreadable_correction_the_first_is_shown() -> None:
    turn = run(say('CARD: {"title": "One"}'), say(BAD), check=finding({"One": ONE_FAULTY}))
    assert turn.result.elements.payload == {"type": "card", "data": {"title": "One"}}
    assert len(turn.result.exchange) == 1


def test_a_correction_with_faulty_operations_of_its_own_is_shown_if_it_is_sound() -> None:
    turn = run(say(BAD), say(GOOD), check=finding({"Two": ONE_FAULTY}))
    assert turn.result.elements.payload == TWO
    assert len(turn.script.requests) == 2


def test_a_proposal_that_was_understood_but_is_about_nothing_is_not_corrected() -> None:
    verdict = CheckResult(("No row matches.",), literal("No row matches this, so there is nothing to change."))
    turn = run(say('Here. CARD: {"title": "One"}'), check=finding({"One": verdict}))
    assert turn.result.message == "Here.\n\nNo row matches this, so there is nothing to change."
    assert turn.result.elements.unreadable == ""


def test_a_proposal_that_was_read_but_does_not_fit_is_refused_with_the_reason() -> None:
    verdict = CheckResult(("title: no such card.",), reason=literal("There is no such card."))
    turn = run(
        say('Here. CARD: {"title": "One"}'),
        say('CARD: {"title": "Two"}'),
        check=finding({"One": verdict, "Two": verdict}),
    )
    assert turn.result.message == f"Here.\n\n{UNFIT()} There is no such card."
    assert turn.result.elements.unreadable == '{"title": "Two"}'


def test_payloads_of_tools_are_not_corrected() -> None:
    async def give(config: ToolConfig, params: Json, emit: Emit) -> ToolResult:
        return ToolResult("done", payload={"type": "card", "data": {"title": "One"}})

    def with_card(verdict: CheckResult) -> Turn:
        # The type must be registered for a tool to give it.
        with payload_types.lent(CARD):
            return run(
                use(("get", {})), say("Done."), tools=(tool("get", payload_type="card"),), run_tool=give,
                check=finding({"One": verdict}),
            )  # fmt: skip

    turn = with_card(CheckResult(("It is gone.",)))
    assert turn.result.elements.payload is None
    assert turn.result.message.endswith(str(UNFIT()))
    assert "It is gone." in turn.result.elements.notes[0]
    assert with_card(ONE_FAULTY).result.payload == {"type": "card", "data": {"title": "One"}}


def test_nothing_is_told_of_a_proposal_that_cannot_count_beside_a_tools_payload() -> None:
    async def give(config: ToolConfig, params: Json, emit: Emit) -> ToolResult:
        return ToolResult("done", payload={"type": "card", "data": {"title": "One"}})

    with payload_types.lent(CARD):
        turn = run(
            use(("get", {})), say('PLAN: {"operations": [{"do": 1}]}', sizes=(5,)),
            tools=(tool("get", payload_type="card"),), run_tool=give,
        )  # fmt: skip
    assert turn.progress() == []
    assert "a tool's payload was shown instead" in turn.result.elements.notes[0]


def test_progress_begins_anew_with_a_correction() -> None:
    bad = 'PLAN: {"operations": [{"do": 1}, {"make": 2}]}'
    turn = run(say(bad, sizes=(5,)), say('PLAN: {"operations": [{"do": 1}, {"do": 2}]}', sizes=(5,)))
    told = [(event.operations, event.count, event.reset) for event in turn.progress() if event.operations]
    assert told == [
        (({"do": 1},), 1, False),
        (({"make": 2},), 2, False),
        (({"do": 1},), 1, False),
        (({"do": 2},), 2, False),
    ]
    assert [event.reset for event in turn.progress() if event.reset] == [True]
    assert next(event for event in turn.progress() if event.reset).count == 0


def test_a_repair_is_bound_by_the_turns_deadline() -> None:
    clock, gate = ManualClock(), Gate()
    turn = run(say(BAD), say(GOOD, gate=gate), clock=clock, meanwhile=passing(clock, (gate, 301)))
    assert turn.kinds[-1] == "complete"
    assert turn.result.elements.unreadable == '{"title": 1}'


def test_a_refused_answer_shows_no_proposal() -> None:
    turn = run(say('Here. CARD: {"title": "One"}', stop_reason="refusal"))
    assert turn.result.elements.payload is None
    assert "declined" in turn.result.message
