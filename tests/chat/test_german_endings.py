"""How an answer ended is kept in English and told to a reader's page in its language: as it streams, as it is joined
again, in the list of messages. What the model and people wrote is told as they wrote it; programs are told English."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test import Client, override_settings
from django.test.utils import CaptureQueriesContext
from django.utils import timezone

from accounts.models import Profile
from accounts.tokens import make_token
from chat.agent import finalize
from chat.agent.failures import FAILURES
from chat.models import Message, Turn
from chat.services import INTERRUPTED, count_tokens, write_events
from chat.stream import opening_event
from shared import strictjson
from shared.user_messages import literal
from tests.chat.stored_conversations import ended, started
from tests.chat.stream_client import STREAM, Browser, wish
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


# Replies, and what the person is told at the end of the text, as a warning, or as an error, in English and in German.
TOLD: dict[str, tuple[tuple[Reply, ...], str, str]] = {
    "a proposal that does not fit": (
        (say(f"Here.\n\n{EMPTY}", sizes=(7,)), say(EMPTY)),
        str(finalize.UNFIT()),
        "Mein Vorschlag ist ungültig",
    ),
    "unreadable": ((say(f"Here.\n\n{BROKEN}"), say(BROKEN)), str(finalize.UNREADABLE()), "Mein Vorschlag war"),
    "a proposal cut off": (
        tuple(cut(f"Here.\n\n{HALF}") for _ in range(3)), str(finalize.CUT_OFF()), "Mein Vorschlag brach ab",
    ),
    "text cut off": ((cut("Half"), cut(" and half"), cut(" and half")), str(finalize.CUT()), "Die Antwort brach ab"),
    "out of steps": (
        tuple(use(("echo", {})) for _ in range(5)), str(finalize.OUT_OF_STEPS()), "Der Assistent hat die Höchstzahl",
    ),
    "refused": ((say("I will n", stop_reason="refusal"),), str(finalize.REFUSED()), "Das Modell hat die Antwort"),
    "not run": (
        (say('Now. SUGGESTED_ACTIONS: [{"label": "Fly", "action": "fly", "run": true}]'),),
        str(finalize.NOT_RUN()), "Die Seite konnte",
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
    """The events of a new turn."""
    with browser.open("POST", STREAM, body or wish(), **headers) as stream:
        return list(stream)


def joined(browser: Browser, turn_id: Any, **headers: str) -> list[Json]:
    with browser.open("GET", f"/api/chat/turns/{turn_id}/stream/", **headers) as stream:
        return list(stream)


def listed(browser: Browser, conversation_id: Any, **headers: str) -> Json:
    """The last message of the conversation."""
    _, answer, _ = browser.ask("GET", f"/api/chat/conversations/{conversation_id}/messages/", **headers)
    return dict(answer["messages"][-1])


def ends_of(events: list[Json], message: Json) -> list[str]:
    """What the person is told in the end by the pieces, by the final event, and by the record."""
    final = events[-1].get("payload", events[-1])
    pieces = "".join(event["text"] for event in events if event["type"] == "text_delta")
    if events[-1]["type"] == "error":
        return [final["message"], message["error"]["message"]]
    if final.get("warning"):
        assert message["text"] == final["message"] == pieces
        return [final["warning"], message["warning"]]
    return [text.rpartition("\n\n")[2] for text in (pieces, final["message"], message["text"])]


@pytest.mark.parametrize("case", TOLD)
def test_how_an_answer_ended_is_told_in_the_language_of_its_reader(
    browser: Browser, script: ScriptedModel, case: str
) -> None:
    replies, english, german = TOLD[case]
    script.add(*replies)

    events = followed(browser, **GERMAN)
    turn = Turn.objects.get()
    message = listed(browser, turn.conversation_id, **GERMAN)
    state = browser.ask("GET", f"/api/chat/turns/{turn.pk}/", **GERMAN)[1]

    told = ends_of(events, message)
    assert {words.startswith(german) for words in told} == {True}
    assert len(set(told)) == 1
    assert joined(browser, turn.pk, **GERMAN) == events
    assert (state["error"] or {}).get("message", told[0]) == told[0]
    # The same in the browser of somebody who reads English, as it is kept.
    usual = ends_of(joined(browser, turn.pk), listed(browser, turn.conversation_id))
    kept = Message.objects.get(turn=turn, role="assistant")
    assert set(usual) == {english}
    assert english in (kept.text.rpartition("\n\n")[2], kept.warning, Turn.objects.get().error_message)
    assert script.problems == []


def test_what_the_person_chose_counts_and_programs_are_told_english(
    browser: Browser, live_server_url: str, script: ScriptedModel, user: User
) -> None:
    Profile.objects.create(user=user, language="de")
    script.add(Reply(), Reply())

    events = followed(browser)
    assert events[0]["message"] == "Liest die Seite…"
    assert events[-1]["payload"]["message"].startswith("Das Modell hat nicht geantwortet")
    _, secret = make_token(user=user, name="Bericht", now=timezone.now(), scope="write")
    program = Browser(live_server_url)
    bearer = {"Authorization": f"Bearer {secret}", **GERMAN}
    assert followed(program, **bearer)[-1]["payload"]["message"] == str(finalize.NO_ANSWER())
    turn = Turn.objects.latest("started_at")
    assert listed(program, turn.conversation_id, **bearer)["text"] == str(finalize.NO_ANSWER())


@override_settings(CHAT_TOKENS_A_DAY=1_000_000, ANTHROPIC_API_KEY="unused")
def test_when_a_days_tokens_are_used_up_the_number_and_the_hours_are_told(browser: Browser, user: User) -> None:
    count_tokens(user_id=user.pk, tokens=1_000_000, now=timezone.now())
    said = followed(browser, **GERMAN)[-1]["message"]
    assert said.startswith("Tageslimit des Assistenten erreicht (1.000.000 Token). Es beginnt in ")
    assert said.endswith(" neu, um Mitternacht UTC. Ihre Tabellen können Sie weiter nutzen.")


def test_that_a_turn_was_interrupted_is_told_where_it_is_read(browser: Browser, user: User) -> None:
    turn = started(user, now=timezone.now() - timedelta(minutes=1))
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
def test_what_the_model_wrote_is_told_as_it_wrote_it(browser: Browser, script: ScriptedModel, written: str) -> None:
    script.add(say(written))
    events = followed(browser, **GERMAN)
    pieces = "".join(event["text"] for event in events if event["type"] == "text_delta")
    message = listed(browser, Turn.objects.get().conversation_id, **GERMAN)
    assert (pieces, events[-1]["payload"]["message"], message["text"]) == (written, written, written)


def test_what_people_wrote_is_told_as_they_wrote_it(browser: Browser, script: ScriptedModel) -> None:
    script.add(say("Yes."))
    history = [{"role": "user", "content": "?"}, {"role": "assistant", "content": str(finalize.NO_ANSWER())}]
    followed(browser, wish(str(finalize.REFUSED()), conversation_history=history), **GERMAN)
    address = f"/api/chat/conversations/{Turn.objects.get().conversation_id}/messages/"
    _, answer, _ = browser.ask("GET", address, **GERMAN)
    texts = [each["text"] for each in answer["messages"]]
    assert texts == ["?", str(finalize.NO_ANSWER()), str(finalize.REFUSED()), "Yes."]


def test_german_takes_as_many_statements_as_english(user: User, api: Api) -> None:
    german = Api(user)
    german.client = Client(headers=GERMAN)
    german.client.force_login(user)
    turn = ended(started(user), text=str(finalize.NO_ANSWER()), closing=finalize.NO_ANSWER())

    def asked(client: Api) -> tuple[int, str]:
        path = f"/api/chat/conversations/{turn.conversation_id}/messages/"
        client.get(path)
        with CaptureQueriesContext(connection) as queries:
            answer = client.get(path).json()
        return len(queries), answer["messages"][-1]["text"][:10]

    assert asked(german) == (asked(api)[0], "Das Modell")
