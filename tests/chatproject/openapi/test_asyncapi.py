"""The AsyncAPI document is valid, and matches the sockets and their messages."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from jsonschema import Draft7Validator, Draft202012Validator

from chatproject.openapi.asyncapi import asyncapi_document
from chatproject.openapi.schema import PARAMETER
from chatproject.server.application import routes
from tables.operations import Origin
from tables.services import create_table
from tests.conftest import Api
from tests.tables.consumers.sockets import RealPage, real_socket, session_of

DOCUMENT = asyncapi_document(host="tables.example.org", secure=True)
OFFICIAL = Path(__file__).parent / "vendor" / "asyncapi-3.0.0.json"


def test_the_document_is_valid_asyncapi() -> None:
    schema = json.loads(OFFICIAL.read_text(encoding="utf-8"))
    assert [error.message for error in Draft7Validator(schema).iter_errors(DOCUMENT)] == []
    for payload in DOCUMENT["components"]["schemas"].values():
        Draft202012Validator.check_schema(payload)


def test_references_are_defined() -> None:
    for part in json.dumps(DOCUMENT).split('"$ref": "#/')[1:]:
        found: Any = DOCUMENT
        for name in part.split('"')[0].split("/"):
            found = found[name]


def test_the_channels_are_the_routes_of_the_sockets() -> None:
    addresses = {"/" + PARAMETER.sub(r"{\g<name>}", str(route.pattern)) for route in routes if str(route.pattern)}
    assert {channel["address"] for channel in DOCUMENT["channels"].values()} == addresses


@pytest.mark.django_db
def test_the_document_is_public_and_names_its_server(anonymous_api: Api) -> None:
    response = anonymous_api.get("/api/asyncapi/")
    assert response.status_code == 200
    assert response.json()["servers"]["this"]["host"] == "testserver"
    assert "/api/asyncapi/" in anonymous_api.get("/api/schema/").json()["info"]["description"]


def test_messages_of_the_sockets_match_the_document(live_server_url: str, user: User, api: Api) -> None:
    columns = [{"name": "Company", "type": "text"}]
    table = create_table(user=user, name="Jobs", columns=columns, origin=Origin("api"))
    session = session_of(user)
    with (
        real_socket(live_server_url, f"/ws/tables/{table.pk}/", session=session) as of_table,
        real_socket(live_server_url, "/ws/chat/?page=table_view&object_id=1", session=session) as of_chat,
    ):
        assert described(of_chat, "here", channel="chat")["latest"] == ""
        assert described(of_table, "presence", channel="tables")["role"] == "owner"
        api.post(f"/api/tables/{table.pk}/rows/", {"Company": "Acme"})
        assert described(of_table, "change", channel="tables")["actor"] == "ada"


def described(page: RealPage, kind: str, *, channel: str) -> Any:
    """Return the next message of this type, which is one of the channel and matches its payload."""
    message = page.receive(kind)
    components = DOCUMENT["components"]
    names = [name for name in DOCUMENT["channels"][channel]["messages"] if components["messages"][name]["name"] == kind]
    Draft202012Validator({**components["schemas"][names[0]], "additionalProperties": False}).validate(message)
    return message
