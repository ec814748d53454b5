"""Every address of the API, each method, each kind of caller: nobody reaches what is not theirs, nor learns of it."""
from __future__ import annotations

import json
from typing import Any
from uuid import UUID

import pytest
from django.contrib.auth.models import User
from django.http import HttpResponse
from django.test import Client
from django.utils import timezone

from accounts.tokens import make_token
from chatproject.openapi import document
from tables.models import Change, Row, Table
from tests.chat.entries import note_entries
from tests.chat.kept import proposed
from tests.conftest import Api

PATHS: dict[str, Any] = document()["paths"]
METHODS = ("get", "post", "put", "patch", "delete")
OPERATIONS = [(path, method) for path, methods in PATHS.items() for method in METHODS if method in methods]
OF_SOMEBODY = {
    "table_id", "row_id", "column_id", "change_id", "invitation_id", "token_id", "conversation_id", "turn_id",
    "payload_id", "token", "name",
}  # fmt: skip
OWNED = [(path, method) for path, method in OPERATIONS if any(f"{{{part}}}" in path for part in OF_SOMEBODY)]
COLUMNS = [{"name": "Company", "type": "text"}]
ROWS = [{"Company": "Acme"}]
PROPOSAL = {"mode": "update", "operations": [{"action": "add", "column": COLUMNS[0] | {"name": "B"}}]}
# Bodies that would go through if the table were one's own.
BODIES: dict[tuple[str, str], Any] = {
    ("/api/tables/{table_id}/columns/", "post"): {"name": "B", "type": "text"},
    ("/api/tables/{table_id}/rows/", "post"): ROWS[0],
    ("/api/tables/{table_id}/rows/", "put"): {"merge_on": ["Company"], "rows": ROWS},
    ("/api/tables/{table_id}/rows/", "patch"): {"rows": [{"id": 1, "data": ROWS[0]}]},
    ("/api/tables/{table_id}/rows/delete/", "post"): {"ids": [1]},
    ("/api/tables/{table_id}/rows/{row_id}/", "patch"): {"data": ROWS[0]},
    ("/api/tables/{table_id}/proposals/schema/", "post"): PROPOSAL,
    ("/api/tables/{table_id}/proposals/data/", "post"): {"operations": [{"action": "add", "data": ROWS[0]}]},
    ("/api/tables/{table_id}/members/", "post"): {"role": "viewer"},
    ("/api/tables/{table_id}/members/{name}/", "patch"): {"role": "viewer"},
    ("/api/chat/conversations/{conversation_id}/", "patch"): {"title": "Mine now"},
    ("/api/chat/payloads/{payload_id}/preview/", "post"): {"operations": "all"},
    ("/api/chat/payloads/{payload_id}/apply/", "post"): {"operations": "all"},
}
UUIDS = ("conversation_id", "turn_id", "payload_id")
NOBODYS: dict[str, Any] = dict.fromkeys(OF_SOMEBODY, 10**9) | dict.fromkeys(UUIDS, UUID(int=0))
LISTS = ("/api/tables/", "/api/tokens/", "/api/chat/conversations/")


@pytest.fixture
def things(api: Api, user: User) -> Any:
    """One of everything that belongs to somebody, by the name of its part in an address."""
    table = api.post("/api/tables/", {"name": "Jobs", "columns": COLUMNS, "rows": ROWS}).json()
    invitation = api.post(f"/api/tables/{table['id']}/members/", {"role": "viewer"}).json()
    with note_entries():
        payload = proposed(user, "north")
        yield {
            "table_id": table["id"],
            "column_id": table["columns"][0]["id"],
            "row_id": Row.objects.get().pk,
            "change_id": Change.objects.latest("pk").pk,
            "invitation_id": invitation["id"],
            "token_id": api.post("/api/tokens/", {"name": "script"}).json()["id"],
            "conversation_id": payload.conversation_id,
            "turn_id": payload.turn_id,
            "payload_id": payload.pk,
            "token": "guessed",
            "name": user.username,
            "page": "notes",
        }


def ask(client: Client, path: str, method: str, parts: dict[str, Any]) -> HttpResponse:
    body = BODIES.get((path, method), {})
    sent = "" if method in ("get", "delete") else json.dumps(body)
    return client.generic(method.upper(), path.format(**parts), sent, "application/json")


def seen(answer: HttpResponse) -> Any:
    """What an answer tells, but for the id of its request."""
    body = answer.json() if answer.content else None
    return answer.status_code, {**body, "request_id": ""} if isinstance(body, dict) else body


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_nobody_gets_in_without_signing_in(anonymous_api: Api, things: Any, path: str, method: str) -> None:
    answer = ask(anonymous_api.client, path, method, things)
    assert answer.status_code == (200 if PATHS[path][method].get("security") == [] else 401)


@pytest.mark.parametrize(("path", "method"), OWNED)
@pytest.mark.parametrize("who", ["another person", "staff", "superuser"])
def test_what_is_not_ones_own_reads_like_what_is_not_there(
    other_user: User, things: Any, who: str, path: str, method: str
) -> None:
    other_user.is_staff, other_user.is_superuser = who != "another person", who == "superuser"
    other_user.save()
    client = Api(other_user).client
    before = Table.objects.get().version
    not_mine = seen(ask(client, path, method, things))
    missing = seen(ask(client, path, method, {**things, **NOBODYS}))
    assert not_mine == missing
    assert not_mine[0] == 404, not_mine
    assert Table.objects.get().version == before


@pytest.mark.parametrize("path", LISTS)
def test_lists_hold_nothing_of_others(other_api: Api, things: Any, path: str) -> None:
    answer = ask(other_api.client, path, "get", things)
    assert answer.status_code == 200
    assert [value for value in answer.json().values() if isinstance(value, list) and value] == []


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_a_reading_token_reads_what_its_person_reads_and_writes_nothing(
    api: Api, user: User, things: Any, path: str, method: str
) -> None:
    secret = make_token(user=user, name="reader", now=timezone.now())[1]
    program = Client(headers={"Authorization": f"Bearer {secret}"})
    before = Table.objects.get().version
    answer = ask(program, path, method, things)
    if not path.startswith("/api/"):
        assert answer.status_code == 200
    elif method != "get":
        assert (answer.status_code, answer.json()["error"]) == (403, "read_only_token")
    elif path.startswith("/api/tokens/"):
        assert answer.status_code == 403
    else:
        assert answer.status_code == ask(api.client, path, method, things).status_code == 200
    assert Table.objects.get().version == before
