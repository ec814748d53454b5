"""get_payload: an earlier payload of the same conversation in full."""
from __future__ import annotations

import json
from typing import Any

import pytest
from django.contrib.auth.models import User

from chat.agent.tools import ToolContext, tools
from chat.exceptions import ToolFailure
from chat.models import Payload
from tests.stored_proposals import stored_proposal

pytestmark = pytest.mark.django_db

CREATION: dict[str, Any] = {
    "mode": "create",
    "table_name": "Jobs",
    "table_description": "",
    "operations": [{"action": "add", "column": {"name": "Company", "type": "text"}}],
    "sample_rows": [],
}


@pytest.fixture
def payload(user: User) -> Payload:
    return stored_proposal(user, kind="schema_proposal", data=CREATION)


def read_payload(payload_id: object, *, user: User, conversation_id: object) -> Any:
    tool = tools.get("get_payload")
    assert tool is not None
    context = ToolContext(page="tables_list", conversation_id=str(conversation_id))
    return json.loads(tool.executor({"payload_id": str(payload_id)}, user=user, context=context))


def test_payload_is_returned_as_written_with_its_status(user: User, payload: Payload) -> None:
    Payload.objects.filter(pk=payload.pk).update(status="dismissed", outcome={"why": "too small"})

    found = read_payload(payload.pk, user=user, conversation_id=payload.conversation_id)

    assert (found["id"], found["type"], found["status"]) == (str(payload.pk), "schema_proposal", "dismissed")
    assert (found["data"], found["outcome"]) == (CREATION, {"why": "too small"})


def test_payload_of_another_conversation_is_not_returned(user: User, payload: Payload) -> None:
    other = stored_proposal(user, kind="schema_proposal", data=CREATION)

    with pytest.raises(ToolFailure, match="no such payload in this conversation"):
        read_payload(payload.pk, user=user, conversation_id=other.conversation_id)


@pytest.mark.parametrize("payload_id", ["", "7", "nothing", "00000000-0000-0000-0000-000000000000"])
def test_invalid_id_is_an_error_for_the_model(user: User, payload: Payload, payload_id: str) -> None:
    with pytest.raises(ToolFailure):
        read_payload(payload_id, user=user, conversation_id=payload.conversation_id)


def test_payload_of_another_user_does_not_exist(other_user: User, payload: Payload) -> None:
    with pytest.raises(ToolFailure) as anothers:
        read_payload(payload.pk, user=other_user, conversation_id=payload.conversation_id)
    with pytest.raises(ToolFailure) as missing:
        read_payload("00000000-0000-0000-0000-000000000000", user=other_user, conversation_id=payload.conversation_id)
    assert str(anothers.value) == str(missing.value)
