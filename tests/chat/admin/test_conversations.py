"""Users' conversations in the admin: read with a permission, escaped, each view recorded."""
from __future__ import annotations

import json
import logging
import re
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
from tests.chat.stored_conversations import finish_turn, make_proposal, running_turn, turn_request

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("notes")]
HOSTILE = "</pre><script>alert(1)</script><img src=//evil.example/x>{{ settings.SECRET_KEY }}{% load x %}%s{x}"
LIST = reverse("admin:chat_conversation_changelist")


def staff(*rights: str, name: str = "clara") -> Client:
    user, _ = User.objects.get_or_create(username=name, defaults={"is_staff": True})
    user.user_permissions.set(Permission.objects.filter(codename__in=rights))
    client = Client()
    client.force_login(user)
    return client


def page_of(turn: Turn) -> str:
    return reverse("admin:chat_conversation_change", args=[turn.conversation_id])


def trace_of(turn: Turn) -> str:
    return reverse("admin:chat_trace_change", args=[turn.pk])


def traced(user: User, *, text: str = "Done.", message: str = "Hello", **ending: Any) -> Turn:
    """Create a turn with a trace and `text` wherever a user or model could have put it."""
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
    fields: dict[str, Any] = {"tool_history": history, "notes": [text], "unreadable": text, "warning": literal(text)}
    fields["suggested_values"] = [{"label": text, "value": text}]
    return finish_turn(
        running_turn(user, turn_request(message)),
        text=text,
        trace=lambda: TraceRecord(data=data, texts=texts),
        **{**fields, **ending},
    )


def test_conversation_shows_messages_tools_payloads_errors_and_feedback(user: User) -> None:
    payload = make_proposal(user, "north")
    answer = Message.objects.get(pk=payload.message_id)
    Feedback.objects.create(message=answer, user=user, rating="down", reason="It was wrong.")
    answer.conversation.messages.filter(role="user").update(interaction_type="value_selected")
    turn = running_turn(user, turn_request("And now?", conversation_id=str(payload.conversation_id)))
    usage = {"input_tokens": 1_234, "output_tokens": 5}
    finish_turn(turn, state="error", error_code="timeout", text="Let me", usage=usage)

    page = staff("view_conversation").get(page_of(turn)).content.decode()

    for expected in ("And now?", "Make 1 groups", "Pending", "It was wrong.", "Error: timeout", "1,234 input tokens",
                     "Value selected <code>value_selected</code>"):  # fmt: skip
        assert expected in page, expected
    record = staff("view_payload").get(reverse("admin:chat_payload_change", args=[payload.pk])).content.decode()
    assert f"<h1>Note proposal ({payload.type})</h1>" in record


def test_trace_is_linked_for_users_with_the_permission(user: User) -> None:
    turn = traced(user)
    assert trace_of(turn) not in staff("view_conversation").get(page_of(turn)).content.decode()
    both = staff("view_conversation", "view_trace")
    assert trace_of(turn) in both.get(page_of(turn)).content.decode()
    page = both.get(trace_of(turn))
    assert page.status_code == 200
    for part in ("Raw response of call 1", "Sent messages", "Rejected output", "1. Assistant", "Tool calls"):
        assert part in page.content.decode(), part


def test_tool_calls_and_versions_are_links_with_readable_names(user: User) -> None:
    turn = traced(user, text="I count. [[tool:0]]\nSee [[tool:7]].", configuration=4)
    page = staff("view_conversation", "tune_assistant").get(page_of(turn)).content.decode()
    link = re.search(r'I count. <a class="mark" href="#(tool-[^"]+)">Tool call 1: Read rows</a>', page)
    assert link is not None
    assert f'<details id="{link[1]}">' in page
    assert f'href="{reverse("admin:chat_configuration_history")}?version=4"' in page
    assert "Configuration 4" in staff("view_conversation").get(page_of(turn)).content.decode()


def test_hostile_text_is_escaped_everywhere(user: User) -> None:
    turn = traced(user, text=HOSTILE, message=HOSTILE)
    Conversation.objects.update(title=HOSTILE)
    answer = Message.objects.get(turn=turn, role="assistant")
    Feedback.objects.create(message=answer, user=user, rating="up", reason=HOSTILE)
    client = staff("view_conversation", "view_trace", "view_feedback")
    for address, least in ((LIST, 1), (page_of(turn), 8), (trace_of(turn), 8)):
        page = client.get(address).content.decode()
        assert "<script>alert" not in page, address
        assert "<img src=//evil" not in page, address
        assert page.count("{{ settings.SECRET_KEY }}{% load x %}%s{x}") >= least, address


def test_invisible_characters_are_named(user: User) -> None:
    turn = traced(user, text="pay\u200bpal \u202etxt.exe\u0007")
    page = staff("view_conversation").get(page_of(turn)).content.decode()
    assert "pay‹U+200B›pal ‹U+202E›txt.exe‹U+0007›" in page


def test_each_view_is_recorded_twice_and_lists_are_not(
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


def test_missing_or_forbidden_conversation_is_neither_shown_nor_recorded(user: User) -> None:
    turn = traced(user)
    client = staff("view_trace")
    missing = reverse("admin:chat_trace_change", args=[uuid4()])
    assert [client.get(address).status_code for address in (trace_of(turn), missing)] == [302, 302]
    assert client.get(page_of(turn)).status_code == client.get(LIST).status_code == 403
    assert not LogEntry.objects.exists()


def test_conversations_cannot_be_changed_or_deleted(user: User) -> None:
    turn = traced(user)
    client = Client()
    client.force_login(User.objects.create(username="root", is_staff=True, is_superuser=True))
    for address in (page_of(turn), trace_of(turn)):
        assert client.post(address, {"title": "x"}).status_code == 403
        assert client.post(address.replace("/change/", "/delete/"), {"post": "yes"}).status_code == 403
    client.post(LIST, {"action": "delete_selected", "_selected_action": [str(turn.conversation_id)], "post": "yes"})
    assert Conversation.objects.count() == 1


def test_long_conversation_is_paginated_with_constant_queries(user: User) -> None:
    turn = traced(user)
    client = staff("view_conversation", "view_trace")
    client.get(page_of(turn))
    with CaptureQueriesContext(connection) as few:
        client.get(page_of(turn))
    for _ in range(30):
        finish_turn(running_turn(user, turn_request("More", conversation_id=str(turn.conversation_id))))
    with CaptureQueriesContext(connection) as more:
        page = client.get(page_of(turn))
    assert len(more) == len(few)
    assert (len(page.context["chat_messages"]), page.context["inspected"].pages) == (25, 3)
    assert len(client.get(page_of(turn), {"p": "3"}).context["chat_messages"]) == 12
    assert client.get(page_of(turn), {"p": "9" * 30}).status_code == 200


def test_list_has_constant_queries_and_a_page_filter(user: User) -> None:
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


def test_list_offers_tabs_and_versions_as_filters(user: User) -> None:
    finish_turn(running_turn(user))
    Turn.objects.update(tab="plain", configuration=3)
    client = staff("view_conversation")
    listed = client.get(LIST, {"page": "notes"}).context["cl"]
    offered = {choice["query_string"] for spec in listed.filter_specs for choice in spec.choices(listed)}
    assert {f"?page=notes&{choice}" for choice in ("tab=plain", "tab=", "version=0")} <= offered
    # The conversation has moved to another page since the turn.
    Conversation.objects.update(page="table_view")
    moved = (("page=notes", 1), ("page=table_view", 1), ("page=tables_list", 0), ("page=table_view&model=other", 0))
    chosen = (("tab=plain", 1), ("tab=", 0), ("version=3", 1), ("version=0&tab=plain", 0), ("version=x", 1))
    for query, count in (*moved, *chosen):
        assert client.get(f"{LIST}?{query}").context["cl"].result_count == count, query


def test_lists_use_the_time_zone_of_the_user(user: User) -> None:
    traced(user)
    client = staff("view_conversation")
    Profile.objects.create(user=User.objects.get(username="clara"), time_zone="America/New_York")
    assert client.get(LIST, {"updated_at__gte": "2026-01-01 00:00:00+00:00"}).status_code == 200


@pytest.mark.sqlite_only
def test_filter_by_page_does_not_read_all_turns() -> None:
    conversations = staff("view_conversation").get(LIST, {"page": "table_view"}).context["cl"].queryset
    plan = conversations.explain()
    assert "USING COVERING INDEX turns_by_page (page=? AND conversation_id=?)" in plan
