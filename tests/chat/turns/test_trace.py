"""The trace of a turn: everything sent and received, once, however the turn ends."""
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
from tests.chat.stored_conversations import turn_request
from tests.chat.turns.turn_runs import PROPOSAL, next_request, run_turn
from tests.fast_clock import FastClock
from tests.scripted_model import ScriptedModel, refuse, say, use

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]

Json = dict[str, Any]


def traced(
    user: User, script: ScriptedModel, request: TurnRequest | None = None, *, clock: Clock | None = None
) -> tuple[Turn, Json]:
    turn, _ = run_turn(user, script, request, clock=clock)
    view = trace_view(turn)
    assert view is not None
    return turn, view


def sent(view: Json, call: int) -> list[Json]:
    """Return the messages of a call as the trace has them."""
    return [view["messages"][index] for index in view["calls"][call]["messages"]]


def unmarked(messages: list[Json]) -> list[Json]:
    """Return messages as sent over HTTP, without cache marks."""
    return [
        {**m, "content": [{k: v for k, v in block.items() if k != "cache_control"} for block in m["content"]]}
        for m in messages
    ]


def test_every_call_has_the_sent_messages_and_the_response(user: User) -> None:
    script = ScriptedModel(use(("echo", {"say": "hi"}), text="Let me look."), say("It says hi."))

    _, view = traced(user, script)

    assert [sent(view, 0), sent(view, 1)] == [unmarked(request["messages"]) for request in script.requests]
    assert [call["stop_reason"] for call in view["calls"]] == ["tool_use", "end_turn"]
    assert view["calls"][1]["answer"]["content"] == [{"type": "text", "text": "It says hi."}]
    assert view["calls"][0]["usage"]["input_tokens"] == 100
    [tool] = view["tools"]
    assert (tool["tool_name"], tool["input"], tool["output"]) == ("echo", {"say": "hi"}, "ada 7 hi")
    assert view["calls"][0]["ended_ms"] <= tool["began_ms"] <= view["calls"][1]["began_ms"] <= view["ended_ms"]


def test_trace_of_a_long_conversation_is_complete_and_hardly_longer(user: User) -> None:
    sizes = []
    for messages in (2, 66, 200):
        script = ScriptedModel(say("One."), say("Two."))
        history = tuple(ImportedMessage(role=("user", "assistant")[n % 2], text=f"word {n}") for n in range(messages))
        first, _ = run_turn(user, script, turn_request(history=history))
        _, view = traced(user, script, next_request(first))

        assert sent(view, 0) == unmarked(script.requests[-1]["messages"])
        assert len(view["messages"]) == messages + 3
        sizes.append(len(strictjson.dumps(Trace.objects.latest("created_at").data)))

    few, more, many = sizes
    assert more - few < 400
    assert many - more < 1_600


def test_second_turn_of_a_long_conversation_reuses_its_stored_parts(user: User) -> None:
    script = ScriptedModel(say("One."), say("Two."))
    history = tuple(ImportedMessage(role=("user", "assistant")[n % 2], text=f"word {n}") for n in range(66))
    first, _ = run_turn(user, script, turn_request(history=history))
    before = TraceText.objects.count()

    second, _ = run_turn(user, script, next_request(first))

    stretches = [Trace.objects.get(turn=turn).data["calls"][0]["stretches"] for turn in (first, second)]
    assert len(stretches[0]) == 2
    assert stretches[0] == stretches[1]
    # The question with its page, the same without it in the history, and the answer in the history and by itself.
    assert TraceText.objects.count() <= before + 4


def test_deleted_part_leaves_the_rest(user: User) -> None:
    history = tuple(ImportedMessage(role=("user", "assistant")[n % 2], text=f"word {n}") for n in range(40))
    turn, _ = run_turn(user, ScriptedModel(say("One.")), turn_request(history=history))
    [text_id] = Trace.objects.get(turn=turn).data["calls"][0]["stretches"]
    TraceText.objects.filter(pk=text_id).delete()

    view = trace_view(turn)

    assert view is not None
    assert sent(view, 0)[0] is None
    assert [message["content"][-1]["text"] for message in sent(view, 0)[1:4]] == ["word 32", "word 33", "word 34"]


def test_sections_are_those_of_the_prompt_with_their_sizes(user: User) -> None:
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


def test_ignored_parts_are_traced_with_their_reasons(user: User) -> None:
    wrong = 'Here.\n\nSUGGESTED_ACTIONS: [{"label": "Fly", "action": "fly_away"}]'

    _, view = traced(user, ScriptedModel(say(wrong)))

    assert [reason for reason in view["dropped"] if "fly_away" in reason]
    assert "SUGGESTED_ACTIONS" in view["calls"][0]["answer"]["content"][0]["text"]


def test_failed_turn_is_traced_with_its_code_and_no_text_of_the_provider(user: User) -> None:
    script = ScriptedModel(*[refuse(529, kind="overloaded_error", message="secret words of the provider")] * 3)

    turn, view = traced(user, script, clock=FastClock())

    assert (view["state"], view["error"]["code"]) == ("error", "provider_overloaded")
    assert view["calls"][0]["retries"] == 2
    everything = str(Trace.objects.get(turn=turn).data) + "".join(TraceText.objects.values_list("text", flat=True))
    assert "secret words" not in everything


def test_broken_call_keeps_its_text(user: User) -> None:
    failing = say("swer", ending="error", error={"type": "api_error"})
    _, view = traced(user, ScriptedModel(say("Half of an", ending="drop"), failing))

    answers = [(call["kind"], call["stop_reason"], call["answer"]["content"]) for call in view["calls"]]
    assert answers == [
        ("answer", "", [{"type": "text", "text": "Half of an"}]),
        ("continuation", "", [{"type": "text", "text": "swer"}]),
    ]


def test_second_turn_stores_only_new_texts(user: User) -> None:
    first, _ = traced(user, ScriptedModel(say("One.")))
    before = set(TraceText.objects.values_list("pk", flat=True))
    script = ScriptedModel(say("Two."))

    _, view = traced(user, script, next_request(first))

    assert sent(view, 0) == unmarked(script.requests[0]["messages"])
    new = TraceText.objects.exclude(pk__in=before)
    # The user's first message without its context, as in the history; the message of this turn; the answer.
    assert new.count() == 3
    assert not [text for text in new if "# Assistant" in text.text or "Two groups" in text.text]


def test_prompts_have_no_owner_and_messages_belong_to_their_users(user: User) -> None:
    traced(user, ScriptedModel(say(PROPOSAL)), turn_request("These words are mine"))

    assert {text.user_id for text in TraceText.objects.filter(text__contains="These words are mine")} == {user.pk}
    assert {text.user_id for text in TraceText.objects.filter(text__contains="You assist the user")} == {None}


def test_same_text_of_another_user_is_another_record(user: User, make_user: Callable[[str], User]) -> None:
    for owner in (user, make_user("mary")):
        traced(owner, ScriptedModel(say("The very same answer.")))

    assert TraceText.objects.filter(text__contains="The very same answer.").count() == 2


def test_too_deeply_nested_trace_is_dropped_without_failing_the_turn(user: User) -> None:
    deep: Any = "end"
    for _ in range(80):
        deep = [deep]
    turn, view = traced(user, ScriptedModel(use(("echo", {"say": "x", "deep": deep})), say("Fine.")))

    assert (turn.state, view["calls"][1]["answer"]["content"][0]["text"]) == ("complete", "Fine.")


@override_settings(CHAT_PRICE_INPUT=Decimal(3), CHAT_PRICE_OUTPUT=Decimal(15), CHAT_PRICE_CACHED=Decimal("0.30"))
def test_cost_is_shown_where_prices_are_set(user: User) -> None:
    usage = {"input_tokens": 400, "cache_read_input_tokens": 600, "output_tokens": 1}
    turn, view = traced(user, ScriptedModel(say("Hello.", usage=usage)))

    expected = (400 * 3 + 600 * 0.3 + turn.usage["output_tokens"] * 15) / 1e6
    assert float(view["cost"]) == pytest.approx(expected)


def test_cost_is_missing_without_prices(user: User) -> None:
    assert "cost" not in traced(user, ScriptedModel(say("Hello.")))[1]


def test_trace_has_the_sent_messages_turn_after_turn(user: User) -> None:
    turn, _ = run_turn(user, ScriptedModel(say("One.")), turn_request("First"))
    for number in range(3):
        script = ScriptedModel(say(f"More {number}."))

        _, view = traced(user, script, next_request(turn, f"Again {number}"))

        assert sent(view, 0) == unmarked(script.requests[0]["messages"])
