"""Feedback in the admin: filters, escaped reasons, links to the answers for users with the permission."""
from __future__ import annotations

import re
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from django.utils import timezone

from chat.configuration import Address
from chat.models import Conversation, Feedback, Message
from chat.services.configuration.changes import Edit, change_configuration
from tests.chat.stored_conversations import finish_turn, running_turn

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("notes")]
LIST = reverse("admin:chat_feedback_changelist")


def reader(*rights: str) -> Client:
    reader_user = User.objects.get_or_create(username="frida", defaults={"is_staff": True})[0]
    reader_user.user_permissions.set(Permission.objects.filter(codename__in=["view_feedback", *rights]))
    client = Client()
    client.force_login(reader_user)
    return client


def thumb(user: User, rating: str, *, reason: str = "", configuration: int = 0) -> Feedback:
    turn = finish_turn(running_turn(user), configuration=configuration)
    return Feedback.objects.create(
        message=Message.objects.get(turn=turn, role="assistant"), user=user, rating=rating, reason=reason
    )


def found(client: Client, **query: Any) -> list[str]:
    return [each.reason for each in client.get(LIST, query).context["cl"].result_list]


def test_feedback_is_listed_with_reason_page_and_configuration(user: User) -> None:
    thumb(user, "down", reason="It counted the header.", configuration=3)
    page = reader().get(LIST).content.decode()
    for expected in ("Down", "It counted the header.", "Notes (notes)", ">Version 3</td>"):
        assert expected in page, expected
    link = f'<a href="{reverse("admin:chat_configuration_history")}?version=3">Version 3</a>'
    assert link in reader("tune_assistant").get(LIST).content.decode()


def test_feedback_is_filtered_by_rating_page_configuration_date_and_search(user: User) -> None:
    edit = Edit(Address("tool", "get_rows"), {"description": "Reads."})
    change_configuration(user=None, edits=[edit], now=timezone.now())
    thumb(user, "down", reason="Wrong", configuration=1)
    # The conversation has moved to another page since the answer.
    Conversation.objects.filter(pk=thumb(user, "up", reason="Right").message.conversation_id).update(page="table_view")
    client = reader()
    assert found(client, rating__exact="down") == ["Wrong"]
    assert found(client, configuration="1") == ["Wrong"]
    assert found(client, configuration="0") == ["Right"]
    assert found(client, configuration="current") == ["Wrong"]
    assert found(client, configuration="earlier") == []
    assert found(client, page="notes") == ["Right", "Wrong"]
    assert found(client, page="table_view") == []
    assert found(client, q="righ") == ["Right"]
    assert found(client, updated_at__lt="2020-01-01 00:00:00+00:00") == []
    assert found(client, configuration="x' OR 1") == ["Right", "Wrong"]
    offered = client.get(LIST).content.decode()
    assert "?configuration=earlier" in offered
    assert "?page=notes" in offered


def test_users_and_links_to_answers_depend_on_permissions(user: User) -> None:
    rated = thumb(user, "down", reason="Wrong")
    links = [
        reverse("admin:chat_conversation_change", args=[rated.message.conversation_id]),
        reverse("admin:chat_trace_change", args=[rated.message.turn_id]),
    ]
    client = reader()
    reader_user = User.objects.get(username="frida")
    page = client.get(LIST).content.decode()
    assert not any(link in page for link in links)
    # A distinctive word, because random keys in the page may contain short ones.
    assert not re.search(r"\bada\b", page)
    reader_user.user_permissions.add(Permission.objects.get(codename="view_conversation"))
    page = client.get(LIST).content.decode()
    assert [link in page for link in links] == [True, False]
    reader_user.user_permissions.add(Permission.objects.get(codename="view_trace"))
    assert all(link in client.get(LIST).content.decode() for link in links)


def test_reason_is_escaped(user: User) -> None:
    thumb(user, "down", reason="<script>alert(1)</script>{{ settings.SECRET_KEY }}\u202e")
    page = reader().get(LIST).content.decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;{{ settings.SECRET_KEY }}‹U+202E›" in page


def test_list_has_constant_queries(user: User) -> None:
    thumb(user, "down")
    client = reader("view_conversation", "view_trace")
    client.get(LIST)
    with CaptureQueriesContext(connection) as few:
        client.get(LIST)
    for _ in range(5):
        thumb(user, "up", configuration=2)
    with CaptureQueriesContext(connection) as more:
        client.get(LIST)
    assert len(more) == len(few)


def test_feedback_is_private_and_cannot_be_changed(user: User, editor: Client) -> None:
    rated = thumb(user, "up")
    assert editor.get(LIST).status_code == 403
    url = reverse("admin:chat_feedback_change", args=[rated.pk])
    client = reader()
    client.post(url, {"rating": "down"})
    assert client.post(url.replace("/change/", "/delete/"), {"post": "yes"}).status_code == 403
    assert Feedback.objects.get().rating == "up"
