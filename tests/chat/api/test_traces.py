"""Diagnostics of turns are visible to staff with the permission, for their own turns."""
from __future__ import annotations

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.contrib.auth.models import Permission, User
from django.utils import timezone

from chat.services import TraceRecord, TraceTexts, end_stale_turns, write_events
from tests.chat.stored_conversations import finish_turn, running_turn
from tests.conftest import Api

pytestmark = [pytest.mark.django_db, pytest.mark.usefixtures("notes")]


def traced(user: User) -> str:
    turn = running_turn(user)
    texts = TraceTexts(owner=user.pk)
    sections = [{"number": 1, "title": "Assistant", "text": texts.add("Be kind.")}]
    data = {"page": {"page": "notes"}, "sections": sections}
    finish_turn(turn, trace=lambda: TraceRecord(data=data, texts=texts))
    return f"/api/chat/turns/{turn.pk}/trace/"


def allow_diagnostics(user: User, *, staff: bool = True) -> None:
    user.is_staff = staff
    user.save()
    user.user_permissions.add(Permission.objects.get(codename="view_trace"))


def test_staff_with_the_permission_see_the_trace_of_a_turn(api: Api, user: User) -> None:
    allow_diagnostics(user)
    answer = api.get(traced(user))
    assert answer.status_code == 200
    assert answer.json()["sections"][0] == {
        "number": 1, "title": "Assistant", "text": "Be kind.", "bytes": 8, "tokens": 3,
    }  # fmt: skip


@pytest.mark.parametrize(("staff", "allowed"), [(False, True), (True, False), (False, False)])
def test_staff_status_and_permission_are_both_required(api: Api, user: User, staff: bool, allowed: bool) -> None:
    if allowed:
        allow_diagnostics(user, staff=staff)
    else:
        User.objects.filter(pk=user.pk).update(is_staff=staff)
    assert api.get(traced(user)).status_code == 403


def test_trace_of_another_user_does_not_exist(
    api: Api, user: User, make_user: Callable[[str], Any]
) -> None:
    allow_diagnostics(user)
    assert api.get(traced(make_user("mary"))).status_code == 404


def test_running_turn_has_no_trace_yet(api: Api, user: User) -> None:
    allow_diagnostics(user)
    answer = api.get(f"/api/chat/turns/{running_turn(user).pk}/trace/")
    assert (answer.status_code, answer.json()["error"]) == (404, "not_found")


def test_turn_of_a_lost_process_reports_that_there_is_no_trace(api: Api, user: User) -> None:
    allow_diagnostics(user)
    turn = running_turn(user, now=timezone.now() - timedelta(minutes=1))
    write_events([(turn.pk, 1, '{"type":"status"}')])
    end_stale_turns(now=timezone.now())

    answer = api.get(f"/api/chat/turns/{turn.pk}/trace/")

    assert answer.status_code == 200
    assert answer.json()["error"]["code"] == "interrupted"
    assert answer.json()["calls"] == []
    assert answer.json()["dropped"][0].startswith("No trace was stored, because the server process stopped")
