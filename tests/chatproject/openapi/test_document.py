"""The description of the API says what the API does: addresses, methods, parameters, bodies and answers."""
from __future__ import annotations

import json
from typing import Any

import pytest
import schemathesis
from django.contrib.auth.models import User
from django.urls import get_resolver
from jsonschema import Draft202012Validator

from chatproject.openapi.document import document
from chatproject.openapi.paths import names_by_path
from tests.chat.stored_conversations import running_turn, turn_request
from tests.conftest import Api
from tests.flows.isolation_world import rolled_back

METHODS = ("get", "post", "put", "patch", "delete")
NOBODY = "00000000-0000-0000-0000-000000000000"
COLUMNS = [{"name": "Company", "type": "text"}, {"name": "Kind", "type": "select", "options": ["A", "B"]}]
TABLE = {"name": "Jobs", "columns": COLUMNS, "rows": [{"Company": "Acme", "Kind": "A"}, {"Company": "Bolt"}]}
DOCUMENT = document()
PATHS: dict[str, Any] = DOCUMENT["paths"]
COMPONENTS: dict[str, Any] = DOCUMENT["components"]
OPERATIONS = [(path, method) for path, methods in PATHS.items() for method in METHODS if method in methods]


def address(path: str, *, table: int = 1) -> str:
    """A path with its parts filled in: the table, and things that are not there."""
    filled = path.replace("{table_id}", str(table))
    parts = next(iter(PATHS[path].values())).get("parameters", ())
    for part in parts:
        filled = filled.replace(f"{{{part['name']}}}", "1" if part["schema"].get("type") == "integer" else NOBODY)
    return filled


def validator(schema: dict[str, Any]) -> Draft202012Validator:
    return Draft202012Validator({**schema, "components": COMPONENTS})


def test_every_operation_of_every_address_is_described() -> None:
    assert PATHS.keys() == names_by_path().keys()
    assert [at for at in OPERATIONS if not PATHS[at[0]][at[1]]["summary"]] == []


def test_every_address_of_the_api_has_a_name() -> None:
    def nameless(resolver: Any, *, prefix: str) -> list[str]:
        found = []
        for entry in resolver.url_patterns:
            route = prefix + str(entry.pattern)
            if hasattr(entry, "url_patterns"):
                found += nameless(entry, prefix=route)
            elif route.startswith("api/") and not entry.name:
                found.append(route)
        return found

    assert nameless(get_resolver(), prefix="") == []


def test_the_methods_that_are_described_are_those_that_are_possible(api: Api) -> None:
    def status(path: str, method: str) -> int:
        with rolled_back():
            return api.client.generic(method.upper(), address(path), b"{}", "application/json").status_code

    for path in PATHS:
        if path.startswith("/api/"):
            possible = {method for method in METHODS if status(path, method) != 405}
            assert possible == PATHS[path].keys() & set(METHODS), path


def test_a_parameter_that_is_described_is_known(api: Api) -> None:
    table = api.post("/api/tables/", TABLE).json()["id"]
    for path, method in OPERATIONS:
        names = [each["name"] for each in PATHS[path][method].get("parameters", ()) if each["in"] == "query"]
        query = "&".join(f"{name}=" for name in names)
        with rolled_back():
            url = f"{address(path, table=table)}?{query}"
            answer = api.client.generic(method.upper(), url, b"{}", "application/json")
        assert b"unknown_parameter" not in answer.content, (path, method)
        assert [name for name in names if f"no field '{name}'" in answer.content.decode()] == [], (path, method)


def test_the_document_is_what_its_standard_asks_for() -> None:
    """OpenAPI 3.1, by the schema that the standard has of itself."""
    schemathesis.openapi.from_dict(document()).validate()


def test_the_document_holds_together() -> None:
    whole = document()
    text = json.dumps(whole)
    named = {part.split('"')[0] for part in text.split("#/components/schemas/")[1:]}
    assert named <= whole["components"]["schemas"].keys()
    identifiers = [PATHS[path][method]["operationId"] for path, method in OPERATIONS]
    assert len(identifiers) == len(set(identifiers))
    for schema in whole["components"]["schemas"].values():
        Draft202012Validator.check_schema(schema)


def test_bodies_are_schemas_and_examples_fit_them() -> None:
    for path, method in OPERATIONS:
        body = PATHS[path][method].get("requestBody", {}).get("content", {}).get("application/json", {})
        Draft202012Validator.check_schema(body.get("schema", {}))
        for example in body.get("examples", {}).values():
            validator(body["schema"]).validate(example["value"])


def test_whatever_takes_a_body_shows_one() -> None:
    """But for those of which every field may be left out because there is none."""

    def says_something(schema: Any) -> bool:
        if "$ref" in schema:
            schema = COMPONENTS["schemas"][schema["$ref"].rsplit("/", 1)[-1]]
        return "anyOf" in schema or "oneOf" in schema or bool(schema.get("properties"))

    bodies = {
        (path, method): PATHS[path][method]["requestBody"]["content"]["application/json"]
        for path, method in OPERATIONS
        if "requestBody" in PATHS[path][method]
    }
    assert [at for at, body in bodies.items() if says_something(body["schema"]) and "examples" not in body] == []


CALLS: dict[str, tuple[str, str, Any]] = {
    "tables": ("get", "/api/tables/", None),
    "a table": ("get", "/api/tables/{table_id}/", None),
    "a renamed table": ("patch", "/api/tables/{table_id}/", {"name": "Other"}),
    "a trashed table": ("delete", "/api/tables/{table_id}/", None),
    "a copy": ("post", "/api/tables/{table_id}/duplicate/", {}),
    "columns": ("get", "/api/tables/{table_id}/columns/", None),
    "a new column": ("post", "/api/tables/{table_id}/columns/", {"name": "Due", "type": "date"}),
    "rows": ("get", "/api/tables/{table_id}/rows/", None),
    "a new row": ("post", "/api/tables/{table_id}/rows/", {"Company": "Crux"}),
    "new rows": ("post", "/api/tables/{table_id}/rows/", {"rows": [{"Company": "Crux"}]}),
    "an upsert": (
        "put", "/api/tables/{table_id}/rows/",
        {"merge_on": ["Company"], "rows": [{"Company": "Acme"}, {"Company": "D"}]}),
    "a row": ("get", "/api/tables/{table_id}/rows/{row_id}/", None),
    "a changed row": ("patch", "/api/tables/{table_id}/rows/{row_id}/", {"data": {"Kind": "B"}}),
    "changed rows": ("patch", "/api/tables/{table_id}/rows/", {"rows": [{"id": "{row_id}", "data": {"Kind": "B"}}]}),
    "a deleted row": ("delete", "/api/tables/{table_id}/rows/{row_id}/", None),
    "deleted rows": ("post", "/api/tables/{table_id}/rows/delete/", {"ids": ["{row_id}"]}),
    "stats": ("get", "/api/tables/{table_id}/stats/", None),
    "choices": ("get", "/api/tables/{table_id}/choices/", None),
    "the history": ("get", "/api/tables/{table_id}/changes/", None),
    "an undo": ("post", "/api/tables/{table_id}/changes/{change_id}/undo/", {}),
    "a proposal for rows": (
        "post", "/api/tables/{table_id}/proposals/data/", {"operations": [{"action": "add", "data": {"Kind": "A"}}]}),
    "members": ("get", "/api/tables/{table_id}/members/", None),
    "an invitation": (
        "post", "/api/tables/{table_id}/members/", {"kind": "user", "name": "grace", "role": "viewer"}),
    "an invitation link": ("post", "/api/tables/{table_id}/members/", {"kind": "link", "role": "viewer"}),
    "invitations": ("get", "/api/tables/invitations/", None),
    "a link": ("post", "/api/tables/{table_id}/link/", {}),
    "conversations": ("get", "/api/chat/conversations/", None),
    "messages": ("get", "/api/chat/conversations/{conversation_id}/messages/", None),
    "a conversation": ("get", "/api/chat/conversations/{conversation_id}/", None),
    "a turn": ("get", "/api/chat/turns/{turn_id}/", None),
    "payload types": ("get", "/api/chat/payload-types/", None),
    "me": ("get", "/api/me/", None),
    "tokens": ("get", "/api/tokens/", None),
    "a new token": ("post", "/api/tokens/", {"name": "script"}),
    "readiness": ("get", "/readyz", None),
    "the document": ("get", "/api/schema/", None),
}  # fmt: skip


@pytest.mark.parametrize(("method", "path", "body"), CALLS.values(), ids=CALLS.keys())
def test_an_answer_is_what_is_described(api: Api, user: User, method: str, path: str, body: Any) -> None:
    table = api.post("/api/tables/", TABLE).json()["id"]
    row = api.get(f"/api/tables/{table}/rows/").json()["rows"][0]["id"]
    change = api.patch(f"/api/tables/{table}/rows/{row}/", {"data": {"Kind": "B"}}).json()["change"]
    turn = running_turn(user, turn_request(page="tables_list", object_id="", context={"current_page": "tables_list"}))
    parts = {
        "table_id": table, "row_id": row, "change_id": change, "turn_id": turn.pk,
        "conversation_id": turn.conversation_id,
    }  # fmt: skip
    sent = json.dumps(body).replace('"{row_id}"', str(row)) if body is not None else ""
    described = PATHS[path][method]
    if body is not None:
        schema = described["requestBody"]["content"]["application/json"]["schema"]
        validator(schema).validate(json.loads(sent))
    answer = api.client.generic(method.upper(), path.format(**parts), sent, "application/json")
    expected = described["responses"][str(answer.status_code)]
    validator(expected["content"]["application/json"]["schema"]).validate(answer.json())


@pytest.mark.parametrize("path", ["/api/tables/999/", "/api/nothing/", "/api/tables/?limt=5"])
def test_a_failure_is_what_is_described(api: Api, path: str) -> None:
    validator({"$ref": "#/components/schemas/Error"}).validate(api.get(path).json())


def test_anybody_may_read_the_document(anonymous_api: Api) -> None:
    answer = anonymous_api.get("/api/schema/")
    assert (answer.status_code, answer.json()["openapi"]) == (200, "3.1.0")


def test_the_page_for_people_names_every_address_and_loads_nothing_from_elsewhere(anonymous_api: Api) -> None:
    answer = anonymous_api.get("/api/docs/")
    page = answer.content.decode()
    assert answer.status_code == 200
    assert [path for path in PATHS if path not in page] == []
    assert "//" not in " ".join(part.split('"')[0] for name in ("src", "href") for part in page.split(f'{name}="')[1:])
    assert "default-src 'none'" in answer.headers["Content-Security-Policy"]
