"""The admin of stored chat objects is read-only."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.test import Client
from django.urls import reverse

from chat.models import Payload, Turn
from chat.services import TraceRecord, TraceTexts
from tests.chat.stored_conversations import finish_turn, make_proposal, running_turn

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("notes")]


def signed_in(**rights: Any) -> Client:
    client = Client()
    client.force_login(User.objects.create(username="root", **rights))
    return client


def test_turn_list_shows_tokens_cost_error_and_hidden_text(user: User, settings: Any) -> None:
    settings.CHAT_PRICE_INPUT, settings.CHAT_PRICE_OUTPUT = 1_000.0, 10_000.0
    usage = {"input_tokens": 4_321, "output_tokens": 87}
    turn = finish_turn(running_turn(user), state="error", error_code="timeout", usage=usage)
    Turn.objects.filter(pk=turn.pk).update(dropped=7)

    page = signed_in(is_staff=True, is_superuser=True).get(reverse("admin:chat_turn_changelist")).content.decode()

    for name, value in (("tokens_in", "4321"), ("tokens_out", "87"), ("cost", "5.191000"), ("left_out", "7")):
        assert f'<td class="field-{name}">{value}</td>' in page, name
    assert "timeout" in page


@pytest.mark.parametrize("model", ["conversation", "turn", "payload"])
def test_superuser_sees_an_object_and_cannot_change_it(user: User, model: str) -> None:
    payload = make_proposal(user, "north")
    ids = {
        "conversation": payload.conversation_id,
        "turn": payload.turn_id,
        "payload": payload.pk,
    }
    client, url = signed_in(is_staff=True, is_superuser=True), reverse(f"admin:chat_{model}_change", args=[ids[model]])

    assert client.get(url).status_code == 200
    assert client.post(url, {"summary": "changed", "title": "changed"}).status_code == 403
    assert Payload.objects.get().summary == "Make 1 groups"


def traced(user: User) -> Turn:
    texts = TraceTexts(owner=user.pk)
    sections = [{"number": 1, "title": "Assistant", "text": texts.add("Be <b>kind</b>.")}]
    return finish_turn(running_turn(user), trace=lambda: TraceRecord(data={"sections": sections}, texts=texts))


def trace_page(client: Client, turn: Turn) -> Any:
    return client.get(reverse("admin:chat_trace_change", args=[turn.pk]))


def test_superuser_sees_a_trace_as_text(user: User) -> None:
    client = signed_in(is_staff=True, is_superuser=True)

    answer = trace_page(client, traced(user))

    assert "Be &lt;b&gt;kind&lt;/b&gt;." in answer.content.decode()


def test_staff_with_the_permission_see_traces_of_their_own_turns_only(user: User) -> None:
    client = signed_in(is_staff=True)
    staff = User.objects.get(username="root")
    staff.user_permissions.add(Permission.objects.get(codename="view_trace"))
    own, other = traced(staff), traced(user)

    listed = client.get(reverse("admin:chat_trace_changelist")).content.decode()

    assert trace_page(client, own).status_code == 200
    assert trace_page(client, other).status_code == 302
    assert str(own.pk) in listed
    assert str(other.pk) not in listed
