"""Who sees the diagnostics of a turn: staff with the permission, of their own turns."""
from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.utils import timezone

from chat.services import TraceRecord, TraceTexts, end_stale_turns, write_events
from tests.chat.stored_conversations import ended, started
from tests.conftest import Api

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("notes")]


def traced(user: User) -> str:
    turn = started(user)
    texts = TraceTexts(owner=user.pk)
    sections = [{"number": 1, "title": "Assistant", "text": texts.add("Be kind.")}]
    data = {"page": {"page": "notes"}, "sections": sections}
    ended(turn, trace=lambda: TraceRecord(data=data, texts=texts))
    return f"/api/chat/turns/{turn.pk}/trace/"


def let_see(user: User, *, staff: bool = True) -> None:
    user.is_staff = staff
    user.save()
    user.user_permissions.add(Permission.objects.get(codename="view_trace"))


def test_staff_with_the_permission_see_how_a_turn_came_about(api: Api, user: User) -> None:
    let_see(user)
    answer = api.get(traced(user))
    assert answer.status_code == 200
    assert answer.json()["sections"][0] == {
        "number": 1, "title": "Assistant", "text": "Be kind.", "bytes": 8, "tokens": 3,
    }  # fmt: skip


@pytest.mark.parametrize(("staff", "allowed"), [(False, True), (True, False), (False, False)])
def test_neither_staff_nor_the_permission_alone_is_enough(api: Api, user: User, staff: bool, allowed: bool) -> None:
    if allowed:
        let_see(user, staff=staff)
    else:
        User.objects.filter(pk=user.pk).update(is_staff=staff)
    assert api.get(traced(user)).status_code == 403


def test_nobody_sees_the_diagnostics_of_somebody_else(
    api: Api, user: User, make_user: Callable[[str], Any]
) -> None:
    let_see(user)
    assert api.get(traced(make_user("mary"))).status_code == 404


def test_of_a_running_turn_there_are_none_yet(api: Api, user: User) -> None:
    let_see(user)
    answer = api.get(f"/api/chat/turns/{started(user).pk}/trace/")
    assert (answer.status_code, answer.json()["error"]) == (404, "not_found")


def test_of_a_turn_whose_process_is_gone_it_is_said_that_there_is_none(api: Api, user: User) -> None:
    let_see(user)
    turn = started(user, now=timezone.now() - timedelta(minutes=1))
    write_events([(turn.pk, 1, '{"type":"status"}')])
    end_stale_turns(now=timezone.now())

    answer = api.get(f"/api/chat/turns/{turn.pk}/trace/")

    assert answer.status_code == 200
    assert answer.json()["error"]["code"] == "internal"
    assert answer.json()["calls"] == []
    assert answer.json()["dropped"][0].startswith("No trace was stored, because the server process stopped")
