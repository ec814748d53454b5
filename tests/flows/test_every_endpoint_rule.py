"""What holds at every address of the API: parameters, ids, keys, rates, sizes, and the one shape of errors."""
from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.conf import settings
from django.http import HttpResponse

from accounts.models import ApiToken
from tables.models import Change, Invitation, ReadOnlyLink, Row, Table
from tests.flows.addresses import bodies, every_address, route_of
from tests.flows.isolation_world import PART, World, taken_back

pytestmark = pytest.mark.slow

Json = dict[str, Any]
API = sorted(name for name, route in every_address() if route.startswith("api/"))
# Documents for everybody: they take no parameters that mean anything.
DOCUMENTS = {"api_schema", "api_docs"}
STREAMS = {("chat_stream", "POST"), ("chat_turn_stream", "GET"), ("api_export", "GET")}
METHODS = ("GET", "POST", "PUT", "PATCH", "DELETE")
SECRETS = {("api_tokens", "POST"), ("api_link", "POST"), ("api_members", "POST"), ("api_invitation", "POST")}
# Stopping what has ended answers the same again by itself.
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
UNREADABLE = {
    "cut off": b"{", "not a number": b'{"a": NaN}', "too large a number": b'{"a": 1e400}',
    "a key twice": b'{"a": 1, "a": 2}', "a NUL": b'{"a": "\\u0000"}',
    "half a pair": b'{"a": "\\ud800"}', "too deep": b"[" * 70 + b"]" * 70,
    "far too deep": b"[" * 10_000 + b"]" * 10_000,
    "not UTF-8": b'{"a": "\xff"}', "a list": b"[]", "a number": b"1", "an unknown field": b'{"zzz": 1}',
}  # fmt: skip
HEADERS = {"X-RateLimit-Limit", "X-RateLimit-Remaining", "X-RateLimit-Reset", "X-Request-Id"}


def send(
    world: World, name: str, method: str, *, raw: bytes | None = None, query: str = "", **more: Any
) -> HttpResponse:
    """The owner's request, with a body that would go through unless `raw` is another."""
    ids = {**world.ids, **more.pop("ids", {})}
    path = "/" + PART.sub(lambda part: str(ids.get(part[1], 1)), route_of(name)) + query
    body = EXTRA.get((name, method)) or bodies(name, method=method, ids=world.ids)
    data = b"" if method == "GET" else json.dumps(body).encode() if raw is None else raw
    return world.ada.client.generic(method, path, data, "application/json", **more)


def operations(world: World) -> list[tuple[str, str]]:
    """Every address of the API by every method it knows."""
    found = []
    for name in API:
        path = "/" + PART.sub(lambda part: str(world.ids.get(part[1], 1)), route_of(name))
        answer = world.ada.client.options(path)
        # The views of the stream know one method each and say so when they are asked for another.
        known = answer.headers.get("Allow") or answer.json().get("allow", "")
        found += [(name, method) for method in METHODS if method in known.split(", ")]
    return found


def effects() -> tuple[int, ...]:
    return tuple(model.objects.count() for model in (Table, Row, Change, ApiToken, Invitation, ReadOnlyLink))


def test_every_method_of_every_address_is_walked(world: World) -> None:
    assert {name for name, _ in operations(world)} == {*API}
    assert {*operations(world)} >= STREAMS | SECRETS | WITHOUT_KEYS


def test_an_unknown_parameter_is_refused_everywhere(world: World) -> None:
    before, wrong = effects(), {}
    for name, method in operations(world):
        with taken_back():
            answer = send(world, name, method, query="?limti=3")
            refused = answer.status_code == 400 and [fault["path"] for fault in answer.json()["errors"]] == ["limti"]
            if not refused and name not in DOCUMENTS:
                wrong[name, method] = answer.content
    assert (wrong, effects()) == ({}, before)


def test_every_answer_tells_where_one_stands_and_every_refusal_which_request_it_was(world: World) -> None:
    wrong = {}
    for name in API:
        for method in METHODS:
            with taken_back():
                answer = send(world, name, method, query="?limti=3")
                told = set(answer.headers) >= HEADERS
                if name not in DOCUMENTS or method != "GET":
                    body = answer.json()
                    told = told and {"error", "detail"} <= {*body}
                    told = told and body["request_id"] == answer.headers["X-Request-Id"]
                if not told:
                    wrong[name, method] = (answer.status_code, answer.content)
    assert wrong == {}


def test_an_id_that_cannot_be_is_not_found_or_refused(world: World) -> None:
    wrong = {}
    for name, method in operations(world):
        for part in PART.findall(route_of(name)):
            for impossible in IMPOSSIBLE:
                with taken_back():
                    answer = send(world, name, method, ids={part: impossible})
                    if answer.status_code not in (400, 404) or "json" not in answer.headers["Content-Type"]:
                        wrong[name, method, part, impossible] = (answer.status_code, answer.content)
    assert wrong == {}


def test_sent_twice_with_one_key_it_has_one_effect_and_one_answer(world: World) -> None:
    wrong = {}
    for name, method in operations(world):
        if method in ("POST", "PUT") and (name, method) not in STREAMS:
            with taken_back():
                if name == "api_restore":
                    assert send(world, "api_table", "DELETE").status_code == 200
                key = {"Idempotency-Key": f"{name} {method}"}
                first = send(world, name, method, headers=key)
                once, again = effects(), send(world, name, method, headers=key)
                if (name, method) in SECRETS:
                    told = again.json()
                    kept = (again.status_code, told["error"], bool(told.get("id"))) == (409, "already_created", True)
                else:
                    kept = (again.status_code, again.content) == (first.status_code, first.content)
                    kept = kept and ("Idempotent-Replayed" in again.headers or (name, method) in WITHOUT_KEYS)
                if not kept or effects() != once or first.status_code >= 500:
                    wrong[name, method] = (first.status_code, first.content, again.status_code, again.content)
    assert wrong == {}


def test_a_body_that_is_too_large_is_refused_before_it_is_read(world: World) -> None:
    length = str(settings.DATA_UPLOAD_MAX_MEMORY_SIZE + 1)
    found = {
        (name, method): send(world, name, method, raw=b"{}", CONTENT_LENGTH=length).status_code
        for name in API
        for method in METHODS[1:]
    }
    assert {place: status for place, status in found.items() if status != 413} == {}


# Large bodies by what they consist of, built once, and the codes with which they are refused. tests/strictjson counts
# values of other kinds.
HUGE: dict[str, tuple[Callable[[], bytes], set[str]]] = {
    "6,000,000 lists": (lambda: b'{"a":[%s[]]}' % (b"[]," * 5_999_999), {"too_many_values", "too_large"}),
    "a text of 5 MB": (lambda: b'{"a":"%s"}' % (b"x" * 5 * 1024 * 1024), {"malformed", "invalid", "too_large"}),
}


@pytest.mark.parametrize(("build", "codes"), HUGE.values(), ids=HUGE)
def test_a_huge_body_is_refused_everywhere(world: World, build: Callable[[], bytes], codes: set[str]) -> None:
    before, wrong, body = effects(), {}, build()
    for name, method in operations(world):
        if method in ("POST", "PUT", "PATCH"):
            answer = send(world, name, method, raw=body)
            if answer.status_code not in (400, 413, 422) or answer.json()["error"] not in codes:
                wrong[name, method] = (answer.status_code, answer.content[:200])
    assert (wrong, effects()) == ({}, before)


@pytest.mark.parametrize("raw", UNREADABLE.values(), ids=UNREADABLE)
def test_a_body_that_cannot_be_read_is_refused_everywhere(world: World, raw: bytes) -> None:
    before, wrong = effects(), {}
    for name, method in operations(world):
        if method in ("POST", "PUT", "PATCH"):
            with taken_back():
                answer = send(world, name, method, raw=raw)
                if answer.status_code not in (400, 422) or not {"error", "detail", "request_id"} <= set(answer.json()):
                    wrong[name, method] = (answer.status_code, answer.content)
    assert (wrong, effects()) == ({}, before)
