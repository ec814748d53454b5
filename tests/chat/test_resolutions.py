"""The resolution of a proposal is stored once, in its own row."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from chat.models import Conversation, Payload, Resolution

RESOLVED = {"operations": [{"index": 0, "action": "delete", "row_id": 5, "before": {"col_a": "Größe", "col_b": 1.5}}]}


def payload_of(user: User, **fields: Any) -> Payload:
    conversation = Conversation.objects.create(user=user, page="tables_list")
    return Payload.objects.create(
        user=user, conversation=conversation, type="data_proposal", source="llm", data={}, **fields
    )


@pytest.mark.django_db
def test_resolution_of_a_proposal_is_stored_and_read() -> None:
    payload = payload_of(User.objects.create_user("ann"), resolved=RESOLVED)
    assert Payload.objects.get(pk=payload.pk).resolved == RESOLVED


@pytest.mark.django_db
def test_other_payloads_have_no_resolution() -> None:
    payload = payload_of(User.objects.create_user("ann"))
    assert Payload.objects.get(pk=payload.pk).resolved is None
    assert not Resolution.objects.exists()


@pytest.mark.django_db
def test_status_change_does_not_write_the_resolution() -> None:
    payload = payload_of(User.objects.create_user("ann"), resolved=RESOLVED)
    payload.status = Payload.Status.DISMISSED
    with CaptureQueriesContext(connection) as queries:
        payload.save()
    writing = [query["sql"] for query in queries.captured_queries if query["sql"].startswith(("INSERT", "UPDATE"))]
    assert len(writing) == 1
    assert "chat_resolution" not in writing[0]
