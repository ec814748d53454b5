"""The API as its own description promises it: schemathesis sends what fits the document, and what does not."""
from __future__ import annotations

import json
import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

import pytest
import schemathesis
from django.core.handlers.wsgi import WSGIHandler
from django.core.signals import request_finished, request_started
from django.db import close_old_connections, transaction
from hypothesis import given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode
from schemathesis.config import GenerationConfig, SchemathesisConfig
from schemathesis.core import NotSet
from schemathesis.core.parameters import ParameterLocation

from chatproject.openapi.document import document
from tables.api.schemas import CELLS
from tests.flows.isolation_world import World

pytestmark = pytest.mark.slow

Json = dict[str, Any]
# Streams and their turns outlive a request: tests/chat/ asks them at a real server. Tokens are not made with tokens.
ELSEWHERE = re.compile(r"/api/chat/stream/|/api/chat/turns/\{turn_id\}/(stream|cancel)/|/api/tokens/|(?!/api/)")
OPERATIONS = [
    (path, method)
    for path, methods in document()["paths"].items()
    for method in ("get", "post", "put", "patch", "delete")
    if method in methods and not ELSEWHERE.match(path)
]
MODES = list(GenerationMode)
EDGES, DRAWN = 15, 200
# A document cannot know which columns, rows and indexes there are: what fits it may still be impossible, never unread.
POSSIBLE = ["2xx", "403", "404", "409", "410", "412", "422"]
REFUSED = ["400", "401", "403", "404", "405", "409", "410", "412", "415", "422"]
CONDITION = {"column": "Salary", "op": "gte", "value": 5}
FORMATS = {
    "filter": [json.dumps(given) for given in ({}, CONDITION, [CONDITION], {"and": [{"or": [CONDITION]}]})],
    "time-zone": ["", "Europe/Paris", "UTC"],
    "removed-option": ["clear", "{}", '{"Open": "To do"}'],
    "cursor": [""],
    "quoted-version": ['"0"', '"2"'],
    "page": ["tables_list", "table_view"],
    "words": ["", "jobs", "Straße ZÜRICH", "a b c d e f g h"],
}
KEY = re.compile(r"[ -~]{1,200}")
CHANGING = ("/api/tables/{table_id}/columns/{column_id}/",)
# What a body says about things that are there: the name of a field, and what the world calls its value.
FORM = "multipart/form-data"
NAMED = {"id": "row_id", "row_id": "row_id", "ids": "row_id", "merge_on": "column_id"}
NAMED |= {**dict.fromkeys(("column_id", "after_column_id"), "column_id"), "table": "table_id"}


@lru_cache(maxsize=1)
def described() -> Any:
    """The API as schemathesis sees it, in this process."""
    for name, texts in FORMATS.items():
        schemathesis.openapi.format(name, st.sampled_from(texts))
    config = {
        "checks": {
            "positive_data_acceptance": {"expected-statuses": POSSIBLE},
            "negative_data_rejection": {"expected-statuses": REFUSED},
            # Who may do what is the matter of test_every_endpoint.py.
            "ignored_auth": {"enabled": False},
        },
        "generation": {"allow-x00": False},
    }
    schema = schemathesis.openapi.from_dict(of_the_table(document()), config=SchemathesisConfig.from_dict(config))
    schema.app = WSGIHandler()
    return schema


def of_the_table(part: Any) -> Any:
    """The document with the columns that are there in place of any: else no cell would ever be written."""
    if isinstance(part, list):
        return [of_the_table(each) for each in part]
    if not isinstance(part, dict):
        return part
    if part.get("description") == CELLS["description"]:
        return {**part, "properties": {"Company": {}, "Salary": {}}, "additionalProperties": False}
    if part.get("uniqueItems"):
        # 10,000 different ids take long to draw. tests/tables/test_limits.py sends one more than the limit.
        part = {name: value for name, value in part.items() if name != "maxItems"}
    return {key: of_the_table(value) for key, value in part.items()}


def about_the_world(said: Any, *, world: World, field: str = "") -> Any:
    """A body that speaks of rows, columns and operations there are, with all else as it was drawn."""
    if field == "context" and isinstance(said, dict):
        # Every page has fields of its own for its context.
        about = {"table_id": world.ids["table_id"]} if said.get("current_page") == "table_view" else {}
        return {"current_page": said.get("current_page"), **about}
    if field == "name" and isinstance(said, str):
        return "".join(filter(str.isprintable, said)) or "A"
    if field in ("edits", "on_conflict", "overwrites", "unchecked") and isinstance(said, dict) and said:
        cell = f"{world.ids['row_id']}:{world.ids['column_id']}"
        return {cell if ":" in next(iter(said)) else "0": next(iter(said.values()))}
    if field == "changes" and isinstance(said, dict) and not any(value is not None for value in said.values()):
        return {**said, "name": "Firm"}  # null means “not changed”: at least one has to be
    if isinstance(said, dict):
        return {name: about_the_world(value, world=world, field=name) for name, value in said.items()}
    if isinstance(said, list):
        # Nothing may be named twice, and there is one of everything.
        return [about_the_world(value, world=world, field=field) for value in (said[:1] if field != "rows" else said)]
    if field == "operations" and not isinstance(said, str):
        return 0
    return world.ids[NAMED[field]] if field in NAMED and said is not None else said


@pytest.fixture
def kept_connection(world: World) -> Iterator[None]:
    """The end of a request closes no connection: the transaction of the test is in it."""
    for signal in (request_started, request_finished):
        signal.disconnect(close_old_connections)
    yield
    for signal in (request_started, request_finished):
        signal.connect(close_old_connections)


def broken_in(case: Any) -> set[ParameterLocation]:
    """Where a request that was drawn against the schema really is: the token is good, and a body may be left out."""
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


def answers_as_described(case: Any, *, world: World) -> None:
    """Sends one request, takes back what it wrote, and compares the answer with the document."""
    if case.body is None:
        return  # null is sent as no body at all, which is another case
    # What is drawn against the schema stays as it is.
    if not case.meta.is_negative_at(ParameterLocation.PATH):
        case.path_parameters = {key: world.ids.get(key, value) for key, value in case.path_parameters.items()}
    if not case.meta.is_negative_at(ParameterLocation.BODY):
        case.body = about_the_world(case.body, world=world, field="changes" if case.path in CHANGING else "")
    with transaction.atomic():
        response = case.call(headers={"Authorization": f"Bearer {world.secrets['write']}"})
        transaction.set_rollback(True)
    assert response.status_code != 429, "who calls too often is told nothing else"
    if response.status_code < 500 and case.meta.generation.mode.is_negative and not broken_in(case):
        return  # as it was sent, nothing of it was to be refused
    case.validate_response(response)


def edges_of(path: str, method: str) -> list[Any]:
    """Requests at the edges of what an operation takes: each field and parameter as it may just be, and just not."""
    operation = described()[path][method]
    config = GenerationConfig(modes=MODES, allow_x00=False)
    return list(operation.schema.iter_coverage_cases(operation, generation_modes=MODES, generation_config=config))


@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_every_answer_is_one_that_is_described(world: World, kept_connection: None, path: str, method: str) -> None:
    cases = edges_of(path, method)
    for case in cases[:: 1 + len(cases) // EDGES]:
        answers_as_described(case, world=world)


@pytest.mark.soak
@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_every_answer_at_every_edge_is_one_that_is_described(
    world: World, kept_connection: None, path: str, method: str
) -> None:
    for case in edges_of(path, method):
        answers_as_described(case, world=world)


@pytest.mark.soak
@pytest.mark.parametrize(("path", "method"), OPERATIONS)
def test_every_answer_to_drawn_requests_is_one_that_is_described(
    world: World, kept_connection: None, path: str, method: str
) -> None:
    drawn = st.one_of([described()[path][method].as_strategy(generation_mode=mode) for mode in MODES])

    @settings(max_examples=DRAWN)
    @given(case=drawn)
    def ask(case: Any) -> None:
        answers_as_described(case, world=world)

    ask()
