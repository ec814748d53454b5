"""The end of an answer is stored in English and shown in the language of the reader: streamed, followed later, and in
the list of messages. Texts of the model and of users are unchanged; API clients get English."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.test import Client, override_settings
from django.utils import timezone

from accounts.models import Profile
from accounts.tokens import create_token
from chat.agent import finalize
from chat.agent.model import FAILURES
from chat.models import Message, Turn
from chat.services import INTERRUPTED, count_tokens, write_events
from chat.stream import opening_event
from shared import strictjson
from shared.user_messages import literal
from tests.captured_queries import CapturedQueries
from tests.chat.stored_conversations import finish_turn, running_turn
from tests.chat.stream_client import STREAM, Browser, turn_body
from tests.conftest import Api
from tests.scripted_model import Reply, ScriptedModel, refuse, say, use

pytestmark = [pytest.mark.django_db(transaction=True), pytest.mark.usefixtures("notes")]

GERMAN = {"Accept-Language": "de-DE,de;q=0.9,en;q=0.7"}
OVERLOADED = {"type": "overloaded_error", "message": "sk-secret"}
EMPTY = 'NOTE_PROPOSAL: {"names": []}'
BROKEN = "NOTE_PROPOSAL: {'names': []}"
HALF = 'NOTE_PROPOSAL: {"names": ["north'

Json = dict[str, Any]


def cut(text: str) -> Reply:
    return say(text, stop_reason="max_tokens")


# Replies, and what the user reads: the end of the text, a warning or an error, in English and in German.
ENDINGS: dict[str, tuple[tuple[Reply, ...], str, str]] = {
    "a proposal that does not fit": (
        (say(f"Here.\n\n{EMPTY}", sizes=(7,)), say(EMPTY)),
        str(finalize.PROPOSAL_INVALID()),
        "Mein Vorschlag ist ungültig",
    ),
    "unreadable": ((say(f"Here.\n\n{BROKEN}"), say(BROKEN)), str(finalize.PROPOSAL_UNREADABLE()), "Mein Vorschlag war"),
    "a proposal cut off": (
        tuple(cut(f"Here.\n\n{HALF}") for _ in range(3)), str(finalize.PROPOSAL_CUT_OFF()), "Mein Vorschlag brach ab",
    ),
    "text cut off": (
        (cut("Half"), cut(" and half"), cut(" and half")), str(finalize.ANSWER_CUT_OFF()), "Die Antwort brach ab",
    ),
    "out of steps": (
        tuple(use(("echo", {})) for _ in range(5)),
        str(finalize.LOOKUP_LIMIT_REACHED()),
        "Der Assistent hat die Höchstzahl",
    ),
    "refused": (
        (say("I will n", stop_reason="refusal"),), str(finalize.ANSWER_REFUSED()), "Das Modell hat die Antwort",
    ),
    "not run": (
        (say('Now. SUGGESTED_ACTIONS: [{"label": "Fly", "action": "fly", "run": true}]'),),
        str(finalize.ACTION_NOT_RUN()), "Die Seite konnte",
    ),
    "silent": ((Reply(),), str(finalize.NO_ANSWER()), "Das Modell hat nicht geantwortet"),
    "a key": (
        (refuse(401, kind="authentication_error"),),
        str(FAILURES["provider_auth"]()),
        "Das Modell hat den API-Schlüssel",
    ),
    "overloaded": (
        (say("Half", ending="error", error=OVERLOADED),),
        str(FAILURES["provider_overloaded"]()),
        "Das Modell des Assistenten ist",
    ),
    "a long one": (
        (say("Half", stop_reason="model_context_window_exceeded"),),
        str(FAILURES["context_too_long"]()),
        "Diese Unterhaltung ist",
    ),
}


def followed(browser: Browser, body: Json | None = None, **headers: str) -> list[Json]:
    """Return the events of a new turn."""
    with browser.open("POST", STREAM, body or turn_body(), **headers) as stream:
        return list(stream)


def joined(browser: Browser, turn_id: Any, **headers: str) -> list[Json]:
    with browser.open("GET", f"/api/chat/turns/{turn_id}/stream/", **headers) as stream:
        return list(stream)


def listed(browser: Browser, conversation_id: Any, **headers: str) -> Json:
    """Return the last message of the conversation."""
    _, answer, _ = browser.request("GET", f"/api/chat/conversations/{conversation_id}/messages/", **headers)
    return dict(answer["messages"][-1])


def ends_of(events: list[Json], message: Json) -> list[str]:
    """Return the end as shown by the deltas, by the final event and by the stored message."""
    final = events[-1].get("payload", events[-1])
    pieces = "".join(event["text"] for event in events if event["type"] == "text_delta")
    if events[-1]["type"] == "error":
        return [final["message"], message["error"]["message"]]
    if final.get("warning"):
        assert message["text"] == final["message"] == pieces
        return [final["warning"], message["warning"]]
    return [text.rpartition("\n\n")[2] for text in (pieces, final["message"], message["text"])]


@pytest.mark.parametrize("case", ENDINGS)
def test_end_of_an_answer_is_in_the_language_of_its_reader(
    browser: Browser, script: ScriptedModel, case: str
) -> None:
    replies, english, german = ENDINGS[case]
    script.add(*replies)

    events = followed(browser, **GERMAN)
    turn = Turn.objects.get()
    message = listed(browser, turn.conversation_id, **GERMAN)
    state = browser.request("GET", f"/api/chat/turns/{turn.pk}/", **GERMAN)[1]

    ends = ends_of(events, message)
    assert {words.startswith(german) for words in ends} == {True}
    assert len(set(ends)) == 1
    assert joined(browser, turn.pk, **GERMAN) == events
    assert (state["error"] or {}).get("message", ends[0]) == ends[0]
    # The same in an English browser, as stored.
    usual = ends_of(joined(browser, turn.pk), listed(browser, turn.conversation_id))
    stored = Message.objects.get(turn=turn, role="assistant")
    assert set(usual) == {english}
    assert english in (stored.text.rpartition("\n\n")[2], stored.warning, Turn.objects.get().error_message)
    assert script.problems == []


def test_chosen_language_has_priority_and_api_clients_get_english(
    browser: Browser, live_server_url: str, script: ScriptedModel, user: User
) -> None:
    Profile.objects.create(user=user, language="de")
    script.add(Reply(), Reply())

    events = followed(browser)
    assert events[0]["message"] == "Liest die Seite…"
    assert events[-1]["payload"]["message"].startswith("Das Modell hat nicht geantwortet")
    _, secret = create_token(user=user, name="Bericht", now=timezone.now(), scope="write")
    program = Browser(live_server_url)
    bearer = {"Authorization": f"Bearer {secret}", **GERMAN}
    assert followed(program, **bearer)[-1]["payload"]["message"] == str(finalize.NO_ANSWER())
    turn = Turn.objects.latest("started_at")
    assert listed(program, turn.conversation_id, **bearer)["text"] == str(finalize.NO_ANSWER())


@override_settings(CHAT_TOKENS_A_DAY=1_000_000, ANTHROPIC_API_KEY="unused")
def test_used_up_daily_tokens_show_the_limit_and_the_hours(browser: Browser, user: User) -> None:
    count_tokens(user_id=user.pk, tokens=1_000_000, now=timezone.now())
    shown = followed(browser, **GERMAN)[-1]["message"]
    assert shown.startswith("Tageslimit des Assistenten erreicht (1.000.000 Token). Es beginnt in ")
    assert shown.endswith(" neu, um Mitternacht UTC. Den Rest der Anwendung können Sie weiter nutzen.")


def test_interrupted_turn_is_reported_where_it_is_read(browser: Browser, user: User) -> None:
    turn = running_turn(user, now=timezone.now() - timedelta(minutes=1))
    opening = opening_event(literal("Reading"), turn_id=str(turn.pk), conversation_id=str(turn.conversation_id))
    write_events([(turn.pk, 1, strictjson.dumps(opening))])
    message = listed(browser, turn.conversation_id, **GERMAN)
    assert message["error"]["message"].startswith("Die Antwort wurde unterbrochen")
    assert joined(browser, turn.pk, **GERMAN)[-1]["message"] == message["error"]["message"]
    assert Turn.objects.get().error_message == str(INTERRUPTED())


WRITTEN = (
    f"{finalize.NO_ANSWER()!s}\n\nThat is what it says.",
    f"It says: {finalize.NO_ANSWER()!s}",
    "Look:\n\n“Acme”",
    "Look:\n\nAcme: Numbers must be finite.",
    f"Look:\n\n{finalize.NO_ANSWER()!s}\nNo?",
)


@pytest.mark.parametrize("written", WRITTEN)
def test_text_of_the_model_is_unchanged(browser: Browser, script: ScriptedModel, written: str) -> None:
    script.add(say(written))
    events = followed(browser, **GERMAN)
    pieces = "".join(event["text"] for event in events if event["type"] == "text_delta")
    message = listed(browser, Turn.objects.get().conversation_id, **GERMAN)
    assert (pieces, events[-1]["payload"]["message"], message["text"]) == (written, written, written)


def test_text_of_users_is_unchanged(browser: Browser, script: ScriptedModel) -> None:
    script.add(say("Yes."))
    history = [{"role": "user", "content": "?"}, {"role": "assistant", "content": str(finalize.NO_ANSWER())}]
    followed(browser, turn_body(str(finalize.ANSWER_REFUSED()), conversation_history=history), **GERMAN)
    address = f"/api/chat/conversations/{Turn.objects.get().conversation_id}/messages/"
    _, answer, _ = browser.request("GET", address, **GERMAN)
    texts = [each["text"] for each in answer["messages"]]
    assert texts == ["?", str(finalize.NO_ANSWER()), str(finalize.ANSWER_REFUSED()), "Yes."]


def test_german_takes_as_many_queries_as_english(user: User, api: Api) -> None:
    german = Api(user)
    german.client = Client(headers=GERMAN)
    german.client.force_login(user)
    turn = finish_turn(running_turn(user), text=str(finalize.NO_ANSWER()), closing=finalize.NO_ANSWER())

    def count_queries(client: Api) -> tuple[int, str]:
        path = f"/api/chat/conversations/{turn.conversation_id}/messages/"
        client.get(path)
        with CapturedQueries() as queries:
            answer = client.get(path).json()
        return len(queries), answer["messages"][-1]["text"][:10]

    assert count_queries(german) == (count_queries(api)[0], "Das Modell")
