"""The OpenAPI document matches the API: paths, methods, parameters, bodies and responses.

tests/openapi/ has the tests of the document itself.
"""
from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.urls import get_resolver
from jsonschema import Draft202012Validator

from chatproject.management.commands.api_reference import PAGE
from chatproject.openapi.document import document
from chatproject.openapi.reference import reference_page
from chatproject.openapi.schema import names_by_path
from tables.operations.proposals.choice import FIELDS
from tables.operations.proposals.reviews import SETTINGS
from tests.chat.stored_conversations import running_turn, turn_request
from tests.conftest import Api
from tests.flows.isolation_world import rolled_back

METHODS = ("get", "post", "put", "patch", "delete")
ROOT = Path(__file__).resolve().parents[3]
APPS = ("accounts", "chat", "chatproject", "shared", "tables")
# Their errors are shown on pages only, or are lines of a log.
OTHER_FOLDERS = {"admin", "configuration", "observability"}
# The fields that an exception adds to its error.
EXTRA, FIELD = re.compile(r"\bextra ?= ?\{([^}]*)\}"), re.compile(r'"(\w+)":')
MISSING_ID = "00000000-0000-0000-0000-000000000000"
COLUMNS = [{"name": "Company", "type": "text"}, {"name": "Kind", "type": "select", "options": ["A", "B"]}]
TABLE = {"name": "Jobs", "columns": COLUMNS, "rows": [{"Company": "Acme", "Kind": "A"}, {"Company": "Bolt"}]}
DOCUMENT = document()
PATHS: dict[str, Any] = DOCUMENT["paths"]
COMPONENTS: dict[str, Any] = DOCUMENT["components"]
OPERATIONS = [(path, method) for path, methods in PATHS.items() for method in METHODS if method in methods]


def url_of(path: str, *, table: int = 1) -> str:
    """Return a path for this table with ids of missing objects in the other parts."""
    url = path.replace("{table_id}", str(table))
    parts = next(iter(PATHS[path].values())).get("parameters", ())
    for part in parts:
        url = url.replace(f"{{{part['name']}}}", "1" if part["schema"].get("type") == "integer" else MISSING_ID)
    return url


def validator(schema: dict[str, Any]) -> Draft202012Validator:
    return Draft202012Validator({**schema, "components": COMPONENTS})


def test_every_operation_has_a_summary() -> None:
    assert PATHS.keys() == names_by_path().keys()
    assert [operation for operation in OPERATIONS if not PATHS[operation[0]][operation[1]]["summary"]] == []


def test_the_reference_is_up_to_date_and_describes_all_fields() -> None:
    page = reference_page(DOCUMENT)

    assert page == PAGE.read_text("utf-8"), "Run python3 manage.py api_reference."
    assert [line for line in page.splitlines() if line.endswith("|  |")] == []


def test_every_page_size_has_a_default() -> None:
    sizes = {
        (path, method): part["schema"]
        for path, method in OPERATIONS
        for part in PATHS[path][method].get("parameters", ())
        if part["name"] == "limit"
    }
    assert sizes["/api/tables/{table_id}/rows/", "get"]["default"] == 100
    assert [name for name, size in sizes.items() if not 1 <= size.get("default", 0) <= size["maximum"]] == []


def test_choices_and_reviews_of_proposals_have_the_fields_that_payload_types_declare() -> None:
    fields = {name: set(COMPONENTS["schemas"][name]["properties"]) for name in ("Choice", "Apply", "ReviewChanges")}

    assert fields["Choice"] == fields["Apply"] == set(FIELDS)
    assert {"unchecked", "edits", *SETTINGS} <= fields["ReviewChanges"]


def test_every_api_url_has_a_name() -> None:
    def unnamed_routes(resolver: Any, *, prefix: str) -> list[str]:
        routes = []
        for entry in resolver.url_patterns:
            route = prefix + str(entry.pattern)
            if hasattr(entry, "url_patterns"):
                routes += unnamed_routes(entry, prefix=route)
            elif route.startswith("api/") and not entry.name:
                routes.append(route)
        return routes

    assert unnamed_routes(get_resolver(), prefix="") == []


def test_documented_methods_match_the_api(api: Api) -> None:
    def status(path: str, method: str) -> int:
        with rolled_back():
            return api.client.generic(method.upper(), url_of(path), b"{}", "application/json").status_code

    for path in PATHS:
        if path.startswith("/api/"):
            possible = {method for method in METHODS if status(path, method) != 405}
            assert possible == PATHS[path].keys() & set(METHODS), path


def test_documented_parameters_are_accepted(api: Api) -> None:
    table = api.post("/api/tables/", TABLE).json()["id"]
    # The metrics have the codes of earlier errors.
    for path, method in (each for each in OPERATIONS if each[0] != "/metrics"):
        names = [each["name"] for each in PATHS[path][method].get("parameters", ()) if each["in"] == "query"]
        query = "&".join(f"{name}=" for name in names)
        with rolled_back():
            url = f"{url_of(path, table=table)}?{query}"
            response = api.client.generic(method.upper(), url, b"{}", "application/json")
        assert b"unknown_parameter" not in response.content, (path, method)
        assert [name for name in names if f"no field '{name}'" in response.content.decode()] == [], (path, method)


def test_examples_match_the_schemas_of_their_bodies() -> None:
    for path, method in OPERATIONS:
        body = PATHS[path][method].get("requestBody", {}).get("content", {}).get("application/json", {})
        Draft202012Validator.check_schema(body.get("schema", {}))
        for example in body.get("examples", {}).values():
            validator(body["schema"]).validate(example["value"])


def test_bodies_with_fields_have_examples() -> None:

    def has_fields(schema: Any) -> bool:
        if "$ref" in schema:
            schema = COMPONENTS["schemas"][schema["$ref"].rsplit("/", 1)[-1]]
        return "anyOf" in schema or "oneOf" in schema or bool(schema.get("properties"))

    bodies = {
        (path, method): PATHS[path][method]["requestBody"]["content"]["application/json"]
        for path, method in OPERATIONS
        if "application/json" in PATHS[path][method].get("requestBody", {}).get("content", {})
    }
    without_examples = {operation: body for operation, body in bodies.items() if "examples" not in body}
    assert [operation for operation, body in without_examples.items() if has_fields(body["schema"])] == []


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
    "groups": ("get", "/api/tables/{table_id}/aggregate/", None),
    "the history": ("get", "/api/tables/{table_id}/changes/", None),
    "an undo": ("post", "/api/tables/{table_id}/changes/{change_id}/undo/", {}),
    "a proposal for rows": (
        "post", "/api/tables/{table_id}/proposals/data/", {"operations": [{"action": "add", "data": {"Kind": "A"}}]}),
    "a preview of rows": (
        "post", "/api/tables/{table_id}/proposals/data/?dry_run=true",
        {"operations": [{"action": "update", "row_id": "{row_id}", "changes": {"Kind": "A"}}]}),
    "a preview of columns": (
        "post", "/api/tables/{table_id}/proposals/schema/?dry_run=true&on_removed_option=clear",
        {"mode": "update", "operations": [
            {"action": "modify", "column_id": "Kind", "changes": {"options": ["A"], "optionColors": {"A": "teal"}}},
            {"action": "reorder", "column_id": "Kind", "after_column_id": None}]}),
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
def test_responses_match_the_document(api: Api, user: User, method: str, path: str, body: Any) -> None:
    table = api.post("/api/tables/", TABLE).json()["id"]
    row = api.get(f"/api/tables/{table}/rows/").json()["rows"][0]["id"]
    change = api.patch(f"/api/tables/{table}/rows/{row}/", {"data": {"Kind": "B"}}).json()["change"]
    turn = running_turn(user, turn_request(page="tables_list", object_id="", context={"current_page": "tables_list"}))
    parts = {
        "table_id": table, "row_id": row, "change_id": change, "turn_id": turn.pk,
        "conversation_id": turn.conversation_id,
    }  # fmt: skip
    sent = json.dumps(body).replace('"{row_id}"', str(row)) if body is not None else ""
    operation = PATHS[path.partition("?")[0]][method]
    if body is not None:
        schema = operation["requestBody"]["content"]["application/json"]["schema"]
        validator(schema).validate(json.loads(sent))
    response = api.client.generic(method.upper(), path.format(**parts), sent, "application/json")
    expected = operation["responses"][str(response.status_code)]
    validator(expected["content"]["application/json"]["schema"]).validate(response.json())


def test_errors_match_the_document(api: Api) -> None:
    for path in ("/api/tables/999/", "/api/nothing/", "/api/tables/?limt=5"):
        validator({"$ref": "#/components/schemas/Error"}).validate(api.get(path).json())


def test_all_fields_that_errors_add_are_documented() -> None:
    modules = [path for app in APPS for path in (ROOT / app).rglob("*.py") if not OTHER_FOLDERS & {*path.parts}]
    extras = [part for path in modules for part in EXTRA.findall(path.read_text("utf-8"))]
    added = {name for part in extras for name in FIELD.findall(part)}

    fields = COMPONENTS["schemas"]["Error"]["properties"]

    assert {"version", "conflicts", "retry_after"} <= added <= fields.keys()
    assert [name for name, field in fields.items() if "description" not in field] == []


def test_the_document_is_public(anonymous_api: Api) -> None:
    response = anonymous_api.get("/api/schema/")
    assert (response.status_code, response.json()["openapi"]) == (200, "3.1.0")


def test_the_documentation_page_lists_all_paths_without_external_sources(anonymous_api: Api) -> None:
    response = anonymous_api.get("/api/docs/")
    page = response.content.decode()
    assert response.status_code == 200
    assert [path for path in PATHS if path not in page] == []
    assert page.count("<dt>200</dt>") > 40
    assert "//" not in " ".join(part.split('"')[0] for name in ("src", "href") for part in page.split(f'{name}="')[1:])
    assert "default-src 'none'" in response.headers["Content-Security-Policy"]
