"""People's conversations in the admin: read by whoever has the right, all of it as text, each opening recorded."""
from __future__ import annotations

import json
import logging
from typing import Any
from uuid import uuid4

import pytest
from django.contrib.admin.models import LogEntry
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from accounts.models import Profile
from chat.models import Conversation, Feedback, Message, Turn
from chat.services import TraceRecord, TraceTexts
from shared.user_messages import literal
from tests.chat.stored_conversations import ended, proposed, started, wish

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("notes")]
HOSTILE = "</pre><script>alert(1)</script><img src=//evil.example/x>{{ settings.SECRET_KEY }}{% load x %}%s{x}"
LIST = reverse("admin:chat_conversation_changelist")


def staff(*rights: str, name: str = "clara") -> Client:
    person, _ = User.objects.get_or_create(username=name, defaults={"is_staff": True})
    person.user_permissions.set(Permission.objects.filter(codename__in=rights))
    client = Client()
    client.force_login(person)
    return client


def page_of(turn: Turn) -> str:
    return reverse("admin:chat_conversation_change", args=[turn.conversation_id])


def trace_of(turn: Turn) -> str:
    return reverse("admin:chat_trace_change", args=[turn.pk])


def traced(user: User, *, text: str = "Done.", said: str = "Hello", **ending: Any) -> Turn:
    """A turn of which is kept how it came about, with `text` wherever somebody could have put it."""
    texts = TraceTexts(owner=user.pk)
    named = texts.add({"role": "user", "content": [{"type": "text", "text": text}]})
    data = {
        "page": {"page": text},
        "model": text,
        "stop_reason": text,
        "calls": [{
            "same": 0, "then": [named], "kind": "answer", "stop_reason": "end_turn", "usage": {}, "retries": 0,
            "began_ms": 0, "first_token_ms": 1, "ended_ms": 2,
            "answer": texts.add([{"type": "text", "text": text}]),
        }],
        "dropped": [text],
        "sections": [{"number": 1, "title": "Assistant", "text": texts.add(text)}],
        "declared_tools": texts.add([{"name": text}]),
        "tools": [{"index": 0, "began_ms": 1}],
    }  # fmt: skip
    history = [{"tool_name": "get_rows", "input": {"q": text}, "output": text, "is_error": True, "duration_ms": 3}]
    told: dict[str, Any] = {"tool_history": history, "notes": [text], "unreadable": text, "warning": literal(text)}
    told["suggested_values"] = [{"label": text, "value": text}]
    return ended(
        started(user, wish(said)), text=text, trace=lambda: TraceRecord(data=data, texts=texts), **{**told, **ending}
    )


def test_a_conversation_shows_messages_tools_payloads_errors_and_thumbs(user: User) -> None:
    payload = proposed(user, "north")
    answer = Message.objects.get(pk=payload.message_id)
    Feedback.objects.create(message=answer, user=user, rating="down", reason="It was wrong.")
    turn = started(user, wish("And now?", conversation_id=str(payload.conversation_id)))
    ended(turn, state="error", error_code="timeout", text="Let me", usage={"input_tokens": 1_234, "output_tokens": 5})

    page = staff("view_conversation").get(page_of(turn)).content.decode()

    for told in ("And now?", "Make 1 groups", "Pending", "It was wrong.", "error: timeout", "1234 input tokens"):
        assert told in page, told


def test_how_an_answer_came_about_is_one_link_away_for_whoever_may_see_it(user: User) -> None:
    turn = traced(user)
    assert trace_of(turn) not in staff("view_conversation").get(page_of(turn)).content.decode()
    both = staff("view_conversation", "view_trace")
    assert trace_of(turn) in both.get(page_of(turn)).content.decode()
    page = both.get(trace_of(turn))
    assert page.status_code == 200
    for part in ("Raw response of call 1", "Sent messages", "Rejected output", "1. Assistant", "Tool calls"):
        assert part in page.content.decode(), part


def test_hostile_text_is_printed_as_it_is_everywhere(user: User) -> None:
    turn = traced(user, text=HOSTILE, said=HOSTILE)
    Conversation.objects.update(title=HOSTILE)
    answer = Message.objects.get(turn=turn, role="assistant")
    Feedback.objects.create(message=answer, user=user, rating="up", reason=HOSTILE)
    client = staff("view_conversation", "view_trace", "view_feedback")
    for address, least in ((LIST, 1), (page_of(turn), 8), (trace_of(turn), 8)):
        page = client.get(address).content.decode()
        assert "<script>alert" not in page, address
        assert "<img src=//evil" not in page, address
        assert page.count("{{ settings.SECRET_KEY }}{% load x %}%s{x}") >= least, address


def test_what_cannot_be_seen_in_a_text_is_named(user: User) -> None:
    turn = traced(user, text="pay\u200bpal \u202etxt.exe\u0007")
    page = staff("view_conversation").get(page_of(turn)).content.decode()
    assert "pay‹U+200B›pal ‹U+202E›txt.exe‹U+0007›" in page


def test_each_opening_is_recorded_twice_and_looking_through_lists_is_not(
    user: User, caplog: pytest.LogCaptureFixture
) -> None:
    turn = traced(user)
    client = staff("view_conversation", "view_trace")
    client.get(LIST)
    assert not LogEntry.objects.exists()
    with caplog.at_level(logging.INFO, logger="chat"):
        client.get(page_of(turn))
        client.get(trace_of(turn))
    seen = list(LogEntry.objects.order_by("pk").values_list("user__username", "object_id", "change_message"))
    assert seen == [
        ("clara", str(turn.conversation_id), "Viewed. Owner: ada."),
        ("clara", str(turn.pk), "Viewed. Owner: ada."),
    ]
    lines = [r.getMessage().partition("admin: ")[2] for r in caplog.records if r.name == "chat.admin.access_log"]
    assert [json.loads(line)["kind"] for line in lines] == ["conversation", "trace"]


def test_what_is_not_there_or_not_ones_own_to_see_is_neither_shown_nor_recorded(user: User) -> None:
    turn = traced(user)
    client = staff("view_trace")
    missing = reverse("admin:chat_trace_change", args=[uuid4()])
    assert [client.get(address).status_code for address in (trace_of(turn), missing)] == [302, 302]
    assert client.get(page_of(turn)).status_code == client.get(LIST).status_code == 403
    assert not LogEntry.objects.exists()


def test_nothing_of_it_can_be_changed_or_deleted(user: User) -> None:
    turn = traced(user)
    client = Client()
    client.force_login(User.objects.create(username="root", is_staff=True, is_superuser=True))
    for address in (page_of(turn), trace_of(turn)):
        assert client.post(address, {"title": "x"}).status_code == 403
        assert client.post(address.replace("/change/", "/delete/"), {"post": "yes"}).status_code == 403
    client.post(LIST, {"action": "delete_selected", "_selected_action": [str(turn.conversation_id)], "post": "yes"})
    assert Conversation.objects.count() == 1


def test_a_long_conversation_is_read_a_page_at_a_time_with_as_many_queries_as_a_short_one(user: User) -> None:
    turn = traced(user)
    client = staff("view_conversation", "view_trace")
    client.get(page_of(turn))
    with CaptureQueriesContext(connection) as few:
        client.get(page_of(turn))
    for _ in range(30):
        ended(started(user, wish("More", conversation_id=str(turn.conversation_id))))
    with CaptureQueriesContext(connection) as more:
        page = client.get(page_of(turn))
    assert len(more) == len(few)
    assert (len(page.context["chat_messages"]), page.context["look"].pages) == (25, 3)
    assert len(client.get(page_of(turn), {"p": "3"}).context["chat_messages"]) == 12
    assert client.get(page_of(turn), {"p": "9" * 30}).status_code == 200


def test_the_list_asks_for_no_more_the_more_there_is_and_filters_by_page(user: User) -> None:
    traced(user)
    client = staff("view_conversation")
    client.get(LIST)
    with CaptureQueriesContext(connection) as few:
        client.get(LIST)
    for _ in range(5):
        traced(user)
    with CaptureQueriesContext(connection) as more:
        assert client.get(LIST, {"page": "notes"}).context["cl"].result_count == 6
    assert len(more) == len(few)
    assert client.get(LIST, {"page": "table_view"}).context["cl"].result_count == 0
    assert client.get(LIST, {"page": "'; DROP"}).status_code == 200


def test_lists_work_in_a_time_zone_of_ones_own(user: User) -> None:
    traced(user)
    client = staff("view_conversation")
    Profile.objects.create(user=User.objects.get(username="clara"), time_zone="America/New_York")
    assert client.get(LIST, {"updated_at__gte": "2026-01-01 00:00:00+00:00"}).status_code == 200
