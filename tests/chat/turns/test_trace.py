"""What is kept of how a turn came about: everything that was sent and came, once, whatever the turn's end."""
from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test.utils import override_settings

from chat.agent.clock import Clock
from chat.models import Trace, TraceText, Turn
from chat.selectors import trace_view
from chat.services import ImportedMessage, TurnRequest
from shared import strictjson
from tests.chat.stored_conversations import wish
from tests.chat.turns.turn_runs import PROPOSAL, answered, going_on
from tests.fast_clock import FastClock
from tests.scripted_model import ScriptedModel, refuse, say, use

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]

Json = dict[str, Any]


def traced(
    user: User, script: ScriptedModel, request: TurnRequest | None = None, *, clock: Clock | None = None
) -> tuple[Turn, Json]:
    turn, _ = answered(user, script, request, clock=clock)
    view = trace_view(turn)
    assert view is not None
    return turn, view


def sent(view: Json, call: int) -> list[Json]:
    """The messages of a call as the trace has them."""
    return [view["messages"][place] for place in view["calls"][call]["messages"]]


def unmarked(messages: list[Json]) -> list[Json]:
    """Messages as they went over the wire, without the marks of the provider's cache."""
    return [
        {**m, "content": [{k: v for k, v in block.items() if k != "cache_control"} for block in m["content"]]}
        for m in messages
    ]


def test_every_call_has_the_messages_that_went_over_the_wire_and_what_came_back(user: User) -> None:
    script = ScriptedModel(use(("echo", {"say": "hi"}), text="Let me look."), say("It says hi."))

    _, view = traced(user, script)

    assert [sent(view, 0), sent(view, 1)] == [unmarked(request["messages"]) for request in script.requests]
    assert [call["stop_reason"] for call in view["calls"]] == ["tool_use", "end_turn"]
    assert view["calls"][1]["answer"]["content"] == [{"type": "text", "text": "It says hi."}]
    assert view["calls"][0]["usage"]["input_tokens"] == 100
    [tool] = view["tools"]
    assert (tool["tool_name"], tool["input"], tool["output"]) == ("echo", {"say": "hi"}, "ada 7 hi")
    assert view["calls"][0]["ended_ms"] <= tool["began_ms"] <= view["calls"][1]["began_ms"] <= view["ended_ms"]


def test_of_a_long_conversation_a_trace_has_all_that_was_sent_and_is_hardly_longer(user: User) -> None:
    sizes = []
    for messages in (2, 66, 200):
        script = ScriptedModel(say("One."), say("Two."))
        history = tuple(ImportedMessage(role=("user", "assistant")[n % 2], text=f"word {n}") for n in range(messages))
        first, _ = answered(user, script, wish(history=history))
        _, view = traced(user, script, going_on(first))

        assert sent(view, 0) == unmarked(script.requests[-1]["messages"])
        assert len(view["messages"]) == messages + 3
        sizes.append(len(strictjson.dumps(Trace.objects.latest("created_at").data)))

    few, more, many = sizes
    assert more - few < 400
    assert many - more < 1_600


def test_a_second_turn_of_a_long_conversation_finds_its_stretches_there(user: User) -> None:
    script = ScriptedModel(say("One."), say("Two."))
    history = tuple(ImportedMessage(role=("user", "assistant")[n % 2], text=f"word {n}") for n in range(66))
    first, _ = answered(user, script, wish(history=history))
    before = TraceText.objects.count()

    second, _ = answered(user, script, going_on(first))

    stretches = [Trace.objects.get(turn=turn).data["calls"][0]["stretches"] for turn in (first, second)]
    assert len(stretches[0]) == 2
    assert stretches[0] == stretches[1]
    # The question with its page, the same without it in the history, and the answer in the history and by itself.
    assert TraceText.objects.count() <= before + 4


def test_a_stretch_that_is_no_longer_kept_leaves_the_rest(user: User) -> None:
    history = tuple(ImportedMessage(role=("user", "assistant")[n % 2], text=f"word {n}") for n in range(40))
    turn, _ = answered(user, ScriptedModel(say("One.")), wish(history=history))
    [gone] = Trace.objects.get(turn=turn).data["calls"][0]["stretches"]
    TraceText.objects.filter(pk=gone).delete()

    view = trace_view(turn)

    assert view is not None
    assert sent(view, 0)[0] is None
    assert [message["content"][-1]["text"] for message in sent(view, 0)[1:4]] == ["word 32", "word 33", "word 34"]


def test_the_sections_are_those_of_the_prompt_with_their_sizes(user: User) -> None:
    script = ScriptedModel(say("Hello."))

    _, view = traced(user, script)

    [request] = script.requests
    system = [f"# {s['title']}\n\n{s['text']}" for s in view["sections"] if s["number"] not in (4, 5)]
    assert system == [block["text"] for block in request["system"]]
    context = next(s for s in view["sections"] if s["number"] == 4)
    assert context["text"] == request["messages"][-1]["content"][0]["text"]
    assert context["bytes"] == len(context["text"].encode())
    assert view["declared_tools"] == request["tools"]
    assert view["page"]["page"] == "notes"


def test_what_the_reader_left_out_is_told_with_its_reason(user: User) -> None:
    wrong = 'Here.\n\nSUGGESTED_ACTIONS: [{"label": "Fly", "action": "fly_away"}]'

    _, view = traced(user, ScriptedModel(say(wrong)))

    assert [reason for reason in view["dropped"] if "fly_away" in reason]
    assert "SUGGESTED_ACTIONS" in view["calls"][0]["answer"]["content"][0]["text"]


def test_a_failed_turn_is_traced_with_its_code_and_nothing_the_provider_said(user: User) -> None:
    script = ScriptedModel(*[refuse(529, kind="overloaded_error", message="secret words of the provider")] * 3)

    turn, view = traced(user, script, clock=FastClock())

    assert (view["state"], view["error"]["code"]) == ("error", "provider_overloaded")
    assert view["calls"][0]["retries"] == 2
    everything = str(Trace.objects.get(turn=turn).data) + "".join(TraceText.objects.values_list("text", flat=True))
    assert "secret words" not in everything


def test_a_broken_call_keeps_what_had_come(user: User) -> None:
    failing = say("swer", ending="error", error={"type": "api_error"})
    _, view = traced(user, ScriptedModel(say("Half of an", ending="drop"), failing))

    answers = [(call["kind"], call["stop_reason"], call["answer"]["content"]) for call in view["calls"]]
    assert answers == [
        ("answer", "", [{"type": "text", "text": "Half of an"}]),
        ("continuation", "", [{"type": "text", "text": "swer"}]),
    ]


def test_a_second_turn_stores_only_what_is_new(user: User) -> None:
    first, _ = traced(user, ScriptedModel(say("One.")))
    before = set(TraceText.objects.values_list("pk", flat=True))
    script = ScriptedModel(say("Two."))

    _, view = traced(user, script, going_on(first))

    assert sent(view, 0) == unmarked(script.requests[0]["messages"])
    new = TraceText.objects.exclude(pk__in=before)
    # The person's first words without their context, as history has them; the message of this turn; the answer.
    assert new.count() == 3
    assert not [text for text in new if "# Assistant" in text.text or "Two groups" in text.text]


def test_prompts_belong_to_nobody_and_words_to_who_said_them(user: User) -> None:
    traced(user, ScriptedModel(say(PROPOSAL)), wish("These words are mine"))

    assert {text.user_id for text in TraceText.objects.filter(text__contains="These words are mine")} == {user.pk}
    assert {text.user_id for text in TraceText.objects.filter(text__contains="You are the assistant")} == {None}


def test_the_same_words_of_another_person_are_another_text(user: User, make_user: Callable[[str], User]) -> None:
    for person in (user, make_user("mary")):
        traced(person, ScriptedModel(say("The very same answer.")))

    assert TraceText.objects.filter(text__contains="The very same answer.").count() == 2


def test_what_is_nested_too_deep_to_be_kept_costs_no_answer(user: User) -> None:
    deep: Any = "end"
    for _ in range(80):
        deep = [deep]
    turn, view = traced(user, ScriptedModel(use(("echo", {"say": "x", "deep": deep})), say("Fine.")))

    assert (turn.state, view["calls"][1]["answer"]["content"][0]["text"]) == ("complete", "Fine.")


@override_settings(CHAT_PRICE_INPUT=Decimal(3), CHAT_PRICE_OUTPUT=Decimal(15), CHAT_PRICE_CACHED=Decimal("0.30"))
def test_the_cost_is_told_where_prices_are_set(user: User) -> None:
    usage = {"input_tokens": 400, "cache_read_input_tokens": 600, "output_tokens": 1}
    turn, view = traced(user, ScriptedModel(say("Hello.", usage=usage)))

    expected = (400 * 3 + 600 * 0.3 + turn.usage["output_tokens"] * 15) / 1e6
    assert float(view["cost"]) == pytest.approx(expected)


def test_no_prices_no_cost(user: User) -> None:
    assert "cost" not in traced(user, ScriptedModel(say("Hello.")))[1]


def test_turn_after_turn_a_trace_has_what_was_sent(user: User) -> None:
    turn, _ = answered(user, ScriptedModel(say("One.")), wish("First"))
    for number in range(3):
        script = ScriptedModel(say(f"More {number}."))

        _, view = traced(user, script, going_on(turn, f"Again {number}"))

        assert sent(view, 0) == unmarked(script.requests[0]["messages"])
