"""Responses match the OpenAPI document: schemathesis sends valid and invalid requests."""
from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from itertools import islice
from typing import Any

import pytest
import schemathesis
from django.contrib.auth.models import User
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from hypothesis import given, settings
from hypothesis import strategies as st
from jsonschema import Draft202012Validator
from schemathesis import GenerationMode
from schemathesis.config import GenerationConfig, SchemathesisConfig
from schemathesis.core import NotSet
from schemathesis.core.parameters import ParameterLocation

from chatproject.openapi.document import document
from tables.api.schemas import CELLS
from tests.conftest import Api
from tests.flows.isolation_world import World
from tests.stored_proposals import rows_proposal
from tests.tables.shared_table import invite_user, make_table

pytestmark = pytest.mark.slow

Json = dict[str, Any]
# Streams and their turns outlive a request: tests/chat/ covers them on a real server. Tokens do not create tokens.
EXCLUDED = re.compile(
    r"/api/chat/stream/|/api/chat/turns/\{turn_id\}/(stream|cancel)/|/api/tables/\{table_id\}/events/|/api/tokens/|(?!/api/)"
)
OPERATIONS = [
    (path, method)
    for path, methods in document()["paths"].items()
    for method in ("get", "post", "put", "patch", "delete")
    if method in methods and not EXCLUDED.match(path)
]
MODES = list(GenerationMode)
# In the ordinary run, one of STEP requests at the limits, and at most EDGES valid and EDGES invalid ones.
EDGES, STEP, DRAWN = 3, 5, 200
# A document does not know existing columns, rows and indexes: a valid request may refer to missing ones.
POSSIBLE = ["2xx", "403", "404", "409", "410", "412", "422"]
REFUSED = ["400", "401", "403", "404", "405", "409", "410", "412", "415", "422"]
CONDITION = {"column": "Salary", "op": "gte", "value": 5}
FORMATS = {
    "filter": [json.dumps(given) for given in ({}, CONDITION, [CONDITION], {"and": [{"or": [CONDITION]}]})],
    "groups": ["", '[{"column": "Company"}]'],
    "measures": ["", '[{"function": "sum", "column": "Salary"}]'],
    "time-zone": ["", "Europe/Paris", "UTC"],
    "removed-option": ["clear", "{}", '{"Open": "To do"}'],
    "cursor": [""],
    "quoted-version": ['"0"', '"2"'],
    "page": ["tables_list", "table_view"],
    "words": ["", "jobs", "Straße ZÜRICH", "a b c d e f g h"],
}
KEY = re.compile(r"[ -~]{1,200}")
CHANGING = ("/api/tables/{table_id}/columns/{column_id}/",)
# Values of fields that refer to existing objects, by the ids of the world.
FORM = "multipart/form-data"
NAMED = {"id": "row_id", "row_id": "row_id", "ids": "row_id", "merge_on": "column_id"}
NAMED |= {**dict.fromkeys(("column_id", "after_column_id"), "column_id"), "table": "table_id"}


@lru_cache(maxsize=1)
def api_schema() -> Any:
    """Return the schema of the API as read in this process."""
    for name, texts in FORMATS.items():
        schemathesis.openapi.format(name, st.sampled_from(texts))
    config = {
        "checks": {
            "positive_data_acceptance": {"expected-statuses": POSSIBLE},
            "negative_data_rejection": {"expected-statuses": REFUSED},
            # Permissions are the subject of test_every_endpoint.py.
            "ignored_auth": {"enabled": False},
        },
        "generation": {"allow-x00": False},
    }
    schema = schemathesis.openapi.from_dict(with_real_columns(document()), config=SchemathesisConfig.from_dict(config))
    schema.app = WSGIHandler()
    return schema


def with_real_columns(part: Any) -> Any:
    """Return the document with the existing columns instead of any, so that cells are written."""
    if isinstance(part, list):
        return [with_real_columns(each) for each in part]
    if not isinstance(part, dict):
        return part
    if part.get("description") == CELLS["description"]:
        return {**part, "properties": {"Company": {}, "Salary": {}}, "additionalProperties": False}
    if part.get("uniqueItems"):
        # 10,000 different ids take long to draw. tests/tables/test_limits.py sends one more than the limit.
        part = {name: value for name, value in part.items() if name != "maxItems"}
    return {key: with_real_columns(value) for key, value in part.items()}


def with_real_ids(body: Any, *, world: World, field: str = "") -> Any:
    """Return a body that refers to existing rows, columns and operations, otherwise as drawn."""
    if field == "context" and isinstance(body, dict):
        # Every page has its own context fields.
        has_table = body.get("current_page") in ("table_view", "table_edit")
        about = {"table_id": world.ids["table_id"]} if has_table else {}
        return {"current_page": body.get("current_page"), **about}
    if field == "name" and isinstance(body, str):
        return "".join(filter(str.isprintable, body)) or "A"
    if field in ("edits", "on_conflict", "overwrites", "unchecked") and isinstance(body, dict) and body:
        cell = f"{world.ids['row_id']}:{world.ids['column_id']}"
        return {cell if ":" in next(iter(body)) else "0": next(iter(body.values()))}
    if field == "changes" and isinstance(body, dict) and not any(value is not None for value in body.values()):
        return {**body, "name": "Firm"}  # null means “not changed”: at least one field is required
    if isinstance(body, dict):
        return {name: with_real_ids(value, world=world, field=name) for name, value in body.items()}
    if isinstance(body, list):
        # Each object may be named only once, and there is one of each kind.
        return [with_real_ids(value, world=world, field=field) for value in (body[:1] if field != "rows" else body)]
    if field == "operations" and not isinstance(body, str):
        return 0
    return world.ids[NAMED[field]] if field in NAMED and body is not None else body


def lists() -> dict[str, Json]:
    """Return the schema of `next` of each list that has it, by path."""
    document_ = document()
    found = {}
    for path, methods in document_["paths"].items():
        content = methods.get("get", {}).get("responses", {}).get("200", {}).get("content", {})
        schema = content.get("application/json", {}).get("schema", {})
        if "$ref" in schema:
            schema = document_["components"]["schemas"][schema["$ref"].rsplit("/", 1)[-1]]
        if "next" in schema.get("properties", {}):
            found[path] = schema["properties"]["next"]
    return found


LISTS = lists()


GROUPED = {"group_by": '[{"column": "Company"}]'}
# The import has no cells that cannot be read.
HAS_ONE_PAGE = "/api/imports/{import_id}/report/"


def add_second_objects(world: World) -> Json:
    """Give ada a second table and one with people, a second invitation, conversation and fill; the first fill runs.

    Return the ids, with that of a proposal for two rows.
    """
    owner, grace = world.ada, Api(User.objects.get(username="grace"))
    make_table(owner)
    lead = {"Lead": owner.user.pk}
    owner.post("/api/tables/", {"name": "Tasks", "columns": [{"name": "Lead", "type": "person"}], "rows": [lead, lead]})
    fills = f"/api/tables/{world.ids['table_id']}/fills/"
    owner.post(fills, {"columns": ["Salary"], "instruction": "Guess.", "rows": "all"})
    owner.post(f"/api/tables/{world.ids['table_id']}/rows/", {"Company": "Dyno"})
    owner.post(f"{fills}{world.ids['fill_id']}/run/", {})
    for table in (f"/api/tables/{world.graces['table_id']}/", make_table(grace)):
        invite_user(grace, table, "ada")
    adds = [{"action": "add", "data": {"Company": name}} for name in ("Crux", "Dyno")]
    return {**world.ids, "payload_id": rows_proposal(owner.user, *adds, table_id=world.ids["table_id"]).pk}


def test_next_of_a_list_is_the_address_of_its_next_page(world: World) -> None:
    ids = add_second_objects(world)

    for path, schema in LISTS.items():
        url = path.format(**ids)
        following = world.ada.get(url, limit=1, **(GROUPED if "aggregate" in path else {})).json()["next"]
        described = Draft202012Validator(schema)
        valid = [described.is_valid(value) for value in (following, None, 1, "tables")]
        assert valid == [True, True, False, False], path
        assert following is None if path == HAS_ONE_PAGE else world.ada.get(following).status_code == 200, path


@pytest.fixture
def open_connection(world: World) -> Iterator[None]:
    """Keep the connection open at the end of a request, because it has the transaction of the test."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def invalid_parts(case: Any) -> set[ParameterLocation]:
    """Return where a request drawn against the schema is invalid: the token is valid, and a body may be left out."""
    drawn = {where for where in ParameterLocation if case.meta.is_negative_at(where)}
    headers = case.headers or {}
    key = str(headers.get("Idempotency-Key", "")).strip() or "absent"
    only_a_token = "If-Match" not in headers and KEY.fullmatch(key)
    left_out = isinstance(case.body, NotSet) and not any(body.is_required for body in case.operation.body)
    # In a form everything is text or a file, whatever was drawn.
    sent = case.body if case.media_type == FORM and isinstance(case.body, dict) else {}
    a_form = "file" in sent and re.fullmatch("[0-9]{0,18}", str(sent.get("table", "")))
    harmless = {ParameterLocation.HEADER: only_a_token, ParameterLocation.BODY: left_out or a_form}
    return {where for where in drawn if not harmless.get(where)}


def check_response(case: Any, *, world: World) -> None:
    """Send a request, roll back its changes, and compare the response with the document."""
    if case.body is None:
        return  # null is sent as no body at all, which is another case
    # Values drawn against the schema stay unchanged.
    if not case.meta.is_negative_at(ParameterLocation.PATH):
        case.path_parameters = {key: world.ids.get(key, value) for key, value in case.path_parameters.items()}
    if not case.meta.is_negative_at(ParameterLocation.BODY):
        case.body = with_real_ids(case.body, world=world, field="changes" if case.path in CHANGING else "")
    with transaction.atomic():
        response = case.call(headers={"Authorization": f"Bearer {world.secrets['write']}"})
        transaction.set_rollback(True)
    assert response.status_code != 429, "the limit hides all other statuses"
    if response.status_code < 500 and case.meta.generation.mode.is_negative and not invalid_parts(case):
        return  # the request as sent was valid
    case.validate_response(response)


def boundary_cases(path: str, method: str, *, modes: list[GenerationMode] = MODES) -> Iterator[Any]:
    """Yield requests at the limits of an operation: each field and parameter just valid, and just invalid."""
    operation = api_schema()[path][method]
    config = GenerationConfig(modes=modes, allow_x00=False)
    return operation.schema.iter_coverage_cases(operation, generation_modes=modes, generation_config=config)


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_responses_match_the_document(world: World, open_connection: None, path: str, method: str) -> None:
    for mode in MODES:
        # Drawing all of them takes longer than sending these.
        for case in islice(boundary_cases(path, method, modes=[mode]), 0, EDGES * STEP, STEP):
            check_response(case, world=world)


@pytest.mark.soak
@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_responses_at_the_limits_match_the_document(
    world: World, open_connection: None, path: str, method: str
) -> None:
    for case in boundary_cases(path, method):
        check_response(case, world=world)


@pytest.mark.soak
@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_responses_to_generated_requests_match_the_document(
    world: World, open_connection: None, path: str, method: str
) -> None:
    drawn = st.one_of([api_schema()[path][method].as_strategy(generation_mode=mode) for mode in MODES])

    @settings(max_examples=DRAWN)
    @given(case=drawn)
    def check(case: Any) -> None:
        check_response(case, world=world)

    check()
