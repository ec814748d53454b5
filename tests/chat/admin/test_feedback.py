"""Thumbs with their reasons in the admin: filtered, as text, with the way to the answer for whoever may read it."""
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
from chat.models import Feedback, Message
from chat.services.configuration import Edit, change_configuration
from tests.chat.stored_conversations import ended, started

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("notes")]
LIST = reverse("admin:chat_feedback_changelist")


def reader(*rights: str) -> Client:
    person = User.objects.create(username="frida", is_staff=True)
    person.user_permissions.set(Permission.objects.filter(codename__in=["view_feedback", *rights]))
    client = Client()
    client.force_login(person)
    return client


def thumb(user: User, rating: str, *, reason: str = "", configuration: int = 0) -> Feedback:
    turn = ended(started(user), configuration=configuration)
    return Feedback.objects.create(
        message=Message.objects.get(turn=turn, role="assistant"), user=user, rating=rating, reason=reason
    )


def found(client: Client, **query: Any) -> list[str]:
    return [each.reason for each in client.get(LIST, query).context["cl"].result_list]


def test_a_thumb_stands_there_with_its_reason_page_and_configuration(user: User) -> None:
    thumb(user, "down", reason="It counted the header.", configuration=3)
    page = reader().get(LIST).content.decode()
    for told in ("Down", "It counted the header.", "notes", "version 3"):
        assert told in page, told


def test_they_are_found_by_rating_page_configuration_date_and_word(user: User) -> None:
    edit = Edit(Address("tool", "get_rows"), {"description": "Reads."})
    change_configuration(user=None, edits=[edit], now=timezone.now())
    thumb(user, "down", reason="Wrong", configuration=1)
    thumb(user, "up", reason="Right")
    client = reader()
    assert found(client, rating__exact="down") == ["Wrong"]
    assert found(client, configuration="1") == ["Wrong"]
    assert found(client, configuration="0") == ["Right"]
    assert found(client, page="notes") == ["Right", "Wrong"]
    assert found(client, page="table_view") == []
    assert found(client, q="righ") == ["Right"]
    assert found(client, updated_at__lt="2020-01-01 00:00:00+00:00") == []
    assert found(client, configuration="x' OR 1") == ["Right", "Wrong"]
    offered = client.get(LIST).content.decode()
    assert "?configuration=1" in offered
    assert "?page=notes" in offered


def test_people_and_the_way_to_their_answers_are_there_by_permission(user: User) -> None:
    given = thumb(user, "down", reason="Wrong")
    ways = [
        reverse("admin:chat_conversation_change", args=[given.message.conversation_id]),
        reverse("admin:chat_trace_change", args=[given.message.turn_id]),
    ]
    client = reader()
    person = User.objects.get(username="frida")
    page = client.get(LIST).content.decode()
    assert not any(way in page for way in ways)
    # A word of its own: keys that are drawn for a page may hold these letters, too.
    assert not re.search(r"\bada\b", page)
    person.user_permissions.add(Permission.objects.get(codename="view_conversation"))
    page = client.get(LIST).content.decode()
    assert [way in page for way in ways] == [True, False]
    person.user_permissions.add(Permission.objects.get(codename="view_trace"))
    assert all(way in client.get(LIST).content.decode() for way in ways)


def test_a_reason_is_text(user: User) -> None:
    thumb(user, "down", reason="<script>alert(1)</script>{{ settings.SECRET_KEY }}\u202e")
    page = reader().get(LIST).content.decode()
    assert "&lt;script&gt;alert(1)&lt;/script&gt;{{ settings.SECRET_KEY }}‹U+202E›" in page


def test_more_of_them_ask_for_no_more(user: User) -> None:
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


def test_nobody_else_sees_them_and_nobody_changes_them(user: User, editor: Client) -> None:
    given = thumb(user, "up")
    assert editor.get(LIST).status_code == 403
    place = reverse("admin:chat_feedback_change", args=[given.pk])
    client = reader()
    client.post(place, {"rating": "down"})
    assert client.post(place.replace("/change/", "/delete/"), {"post": "yes"}).status_code == 403
    assert Feedback.objects.get().rating == "up"
