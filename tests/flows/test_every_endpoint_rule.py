"""Rules of every API endpoint: parameters, ids, idempotency keys, rate limits, sizes, and the error format."""
from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.http import HttpResponse

from accounts.models import ApiToken
from tables.models import Change, Invitation, ReadOnlyLink, Row, Table
from tests.flows.addresses import all_urls, bodies, route_of
from tests.flows.isolation_world import PART, World, rolled_back

pytestmark = pytest.mark.slow

Json = dict[str, Any]
API = sorted(name for name, route in all_urls() if route.startswith("api/"))
# Public documents: they have no parameters.
DOCUMENTS = {"api_schema", "api_asyncapi", "api_docs"}
STREAMS = {("chat_stream", "POST"), ("chat_turn_stream", "GET"), ("api_events", "GET"), ("api_export", "GET"),
           ("api_file", "GET"), ("api_thumbnail", "GET")}  # fmt: skip
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
SECRETS = {("api_tokens", "POST"), ("api_link", "POST"), ("api_members", "POST"), ("api_invitation", "POST")}
# Cancelling an ended turn repeats its response anyway.
WITHOUT_KEYS = {("chat_turn_cancel", "POST")}
EXTRA: dict[tuple[str, str], Json] = {
    ("api_tokens", "POST"): {"name": "script"},
    ("api_tables", "POST"): {"name": "New", "columns": [{"name": "Company", "type": "text"}]},
    ("api_new_table_proposal", "POST"): {
        "mode": "create", "table_name": "New", "table_description": "", "sample_rows": [],
        "operations": [{"action": "add", "column": {"name": "Company", "type": "text"}}],
    },
}  # fmt: skip
IMPOSSIBLE = ("0", "9" * 30, "-1", "x", "%00", "1.5", "%F0%9F%98%80", "col_")
# One body of each kind of error. tests/shared/test_strictjson.py has what the reader of JSON refuses.
UNREADABLE = {
    "cut off": b"{", "a NUL": b'{"a": "\\u0000"}', "far too deep": b"[" * 10_000 + b"]" * 10_000,
    "not UTF-8": b'{"a": "\xff"}', "a list": b"[]", "an unknown field": b'{"zzz": 1}',
}  # fmt: skip
HEADERS = {"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-Id"}


def send(
    world: World, name: str, method: str, *, raw: bytes | None = None, query: str = "", **more: Any
) -> HttpResponse:
    """Return the response to the owner's request, with a valid body unless `raw` is given."""
    ids = {**world.ids, **more.pop("ids", {})}
    path = "/" + PART.sub(lambda part: str(ids.get(part[1], 1)), route_of(name)) + query
    body = EXTRA.get((name, method)) or bodies(name, method=method, ids=world.ids)
    data = b"" if method == "GET" else json.dumps(body).encode() if raw is None else raw
    return world.ada.client.generic(method, path, data, "application/json", **more)


def operations(world: World) -> list[tuple[str, str]]:
    """Return every API URL with each of its methods, for which the first test of a world asks."""
    found = world.operations
    for name in () if found else API:
        path = "/" + PART.sub(lambda part: str(world.ids.get(part[1], 1)), route_of(name))
        answer = world.ada.client.options(path)
        # The stream views support one method each and refuse others.
        known = answer.headers.get("Allow") or answer.json().get("allow", "")
        found += [(name, method) for method in METHODS if method in known.split(", ")]
    return found


def effects() -> tuple[int, ...]:
    return tuple(model.objects.count() for model in (Table, Row, Change, ApiToken, Invitation, ReadOnlyLink))


def test_every_method_of_every_url_is_covered(world: World) -> None:
    assert {name for name, _ in operations(world)} == {*API}
    assert {*operations(world)} >= STREAMS | SECRETS | WITHOUT_KEYS


def test_unknown_parameter_is_refused_in_json_with_rate_limits_and_the_request_id(world: World) -> None:
    before, wrong, known = effects(), {}, operations(world)
    for name in API:
        for method in METHODS:
            with rolled_back():
                answer = send(world, name, method, query="?limti=3")
            complete = set(answer.headers) >= HEADERS
            if name not in DOCUMENTS or method != "GET":
                complete = complete and answer.headers["Content-Type"] == "application/json"
                body = answer.json()
                complete = complete and {"error", "detail"} <= {*body}
                complete = complete and body["request_id"] == answer.headers["X-Request-Id"]
            if name not in DOCUMENTS and (name, method) in known:
                refused = [fault["path"] for fault in answer.json().get("errors", [])]
                complete = complete and (answer.status_code, refused) == (400, ["limti"])
            if not complete:
                wrong[name, method] = (answer.status_code, answer.content)
    assert (wrong, effects()) == ({}, before)


def test_invalid_id_is_not_found_or_refused(world: World) -> None:
    wrong = {}
    for name, method in operations(world):
        for part in PART.findall(route_of(name)):
            for impossible in IMPOSSIBLE:
                with rolled_back():
                    answer = send(world, name, method, ids={part: impossible})
                    if answer.status_code not in (400, 404) or "json" not in answer.headers["Content-Type"]:
                        wrong[name, method, part, impossible] = (answer.status_code, answer.content)
    assert wrong == {}


def test_repeated_request_with_one_key_has_one_effect_and_one_response(world: World) -> None:
    wrong = {}
    for name, method in operations(world):
        if method in ("POST", "PUT") and (name, method) not in STREAMS:
            with rolled_back():
                if name == "api_restore":
                    assert send(world, "api_table", "DELETE").status_code == 200
                key = {"Idempotency-Key": f"{name} {method}"}
                first = send(world, name, method, headers=key)
                once, again = effects(), send(world, name, method, headers=key)
                if (name, method) in SECRETS:
                    body = again.json()
                    outcome = (again.status_code, body["error"], bool(body.get("id")))
                    repeated = outcome == (409, "already_created", True)
                elif first.status_code >= 400:
                    # A refused request does not use up its key.
                    repeated = again.status_code == first.status_code and "Idempotent-Replayed" not in again.headers
                else:
                    repeated = (again.status_code, again.content) == (first.status_code, first.content)
                    repeated = repeated and ("Idempotent-Replayed" in again.headers or (name, method) in WITHOUT_KEYS)
                if not repeated or effects() != once or first.status_code >= 500:
                    wrong[name, method] = (first.status_code, first.content, again.status_code, again.content)
    assert wrong == {}


def test_too_large_body_is_refused_before_it_is_read(world: World) -> None:
    length = str(settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)
    found = {
        (name, method): send(world, name, method, raw=b"{}", CONTENT_LENGTH=length).status_code
        for name in API
        for method in METHODS[1:]
    }
    assert {endpoint: status for endpoint, status in found.items() if status != 413} == {}


# Large bodies by content, built once, and the error codes they get. tests/shared/test_strictjson.py counts values of
# other kinds.
HUGE: dict[str, tuple[Callable[[], bytes], set[str]]] = {
    "2,000,000 lists": (lambda: b'{"a":[%s[]]}' % (b"[]," * 1_999_999), {"too_many_values", "too_large"}),
    "a text of 5 MB": (lambda: b'{"a":"%s"}' % (b"x" * 5 * 1024 * 1024), {"malformed", "invalid", "too_large"}),
}


@pytest.mark.parametrize(("build", "codes"), HUGE.values(), ids=HUGE)
def test_huge_body_is_refused(world: World, build: Callable[[], bytes], codes: set[str]) -> None:
    before, wrong, body = effects(), {}, build()
    for name, method in operations(world):
        if method in ("POST", "PUT", "PATCH"):
            answer = send(world, name, method, raw=body)
            if answer.status_code not in (400, 413, 422) or answer.json()["error"] not in codes:
                wrong[name, method] = (answer.status_code, answer.content[:200])
    assert (wrong, effects()) == ({}, before)


@pytest.mark.parametrize("raw", UNREADABLE.values(), ids=UNREADABLE)
def test_unreadable_body_is_refused(world: World, raw: bytes) -> None:
    before, wrong = effects(), {}
    for name, method in operations(world):
        if method in ("POST", "PUT", "PATCH"):
            with rolled_back():
                answer = send(world, name, method, raw=raw)
                if answer.status_code not in (400, 422) or not {"error", "detail", "request_id"} <= set(answer.json()):
                    wrong[name, method] = (answer.status_code, answer.content)
    assert (wrong, effects()) == ({}, before)
