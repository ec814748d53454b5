"""Response rules of every URL: never HTML, known parameters and methods, conflicts of versions."""
from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.test import Client

from chatproject.openapi.document import document
from chatproject.openapi.schema import names_by_path
from tests.flows.addresses import route_of
from tests.flows.isolation_world import PART, World
from tests.flows.test_every_endpoint_rule import (
    API,
    DOCUMENTS,
    METHODS,
    SECRETS,
    STREAMS,
    effects,
    operations,
    rolled_back,
    send,
)

pytestmark = pytest.mark.slow

Json = dict[str, Any]
WRITING = ("POST", "PUT", "PATCH")
FOREIGN = ["text/html", "application/x-www-form-urlencoded", "multipart/form-data; boundary=b", "x"]
# The upload endpoint accepts forms with a file.
UPLOADS = {("api_imports", "POST"), ("api_files", "POST")}
MOVED = '"999999"'


def described_operations() -> Iterator[tuple[str, str, Json]]:
    """Return name, method and description of every operation of the API."""
    paths = document()["paths"]
    for path, name in names_by_path().items():
        for method, operation in paths.get(path, {}).items():
            if name in API and method.upper() in METHODS:
                yield name, method.upper(), operation


def misspelt(word: str) -> str:
    """Return the word with its last letter doubled."""
    return word + word[-1]


def suggests(detail: str, word: str) -> bool:
    """Return whether a sentence ends by suggesting this word, or by listing all valid ones."""
    return word in re.split(r"Did you mean |There (?:is|are)[^.]*: ", detail)[-1].strip("“”?. ").split("”, “")


def test_html_is_never_returned(world: World) -> None:
    wrong = {}
    for name in sorted({*API} - DOCUMENTS):
        # The format is refused before the method is looked at.
        for method, query in (*((method, "") for method in METHODS), ("GET", "?format=html")):
            if not query and (name, method) in STREAMS:
                continue
            with rolled_back():
                answer = send(world, name, method, query=query, HTTP_ACCEPT="text/html")
                kind = answer.headers.get("Content-Type", "nothing")
                if kind != "application/json" and (answer.status_code, answer.content) != (204, b""):
                    wrong[name, method, query] = (answer.status_code, kind)
    assert wrong == {}


def test_unknown_method_is_refused_with_the_known_ones(world: World) -> None:
    known: dict[str, set[str]] = {}
    for name, method in operations(world):
        known.setdefault(name, set()).add(method)
    wrong = {}
    for name in API:
        for method in {*METHODS, "TRACE"} - known[name]:
            answer = send(world, name, method)
            reported = {*answer.headers.get("Allow", "").split(", ")} & {*METHODS}
            if (answer.status_code, reported) != (405, known[name]):
                wrong[name, method] = (answer.status_code, reported)
    assert wrong == {}


@pytest.mark.parametrize("kind", FOREIGN)
def test_other_content_type_is_refused_without_effect(world: World, kind: str) -> None:
    before, wrong = effects(), {}
    for name, method in operations(world):
        if method in WRITING:
            with rolled_back():
                answer = send(world, name, method, raw=b'{"name": "x"}', CONTENT_TYPE=kind)
                of_files = (name, method) in UPLOADS and kind.startswith("multipart/")
                refused = (400, "malformed") if of_files else (415, "unsupported_media_type")
                if (answer.status_code, answer.json()["error"]) != refused:
                    wrong[name, method] = (answer.status_code, answer.content)
    assert (wrong, effects()) == ({}, before)


def test_misspelt_parameter_gets_a_suggestion(world: World) -> None:
    wrong, seen = {}, 0
    for name, method, operation in described_operations():
        for parameter in operation.get("parameters", []):
            if parameter["in"] == "query":
                seen += 1
                slip = misspelt(parameter["name"])
                with rolled_back():
                    answer = send(world, name, method, query=f"?{slip}=x")
                    faults = answer.json().get("errors", [])
                reported = [(fault["path"], suggests(fault["detail"], parameter["name"])) for fault in faults]
                if answer.status_code != 400 or (slip, True) not in reported:
                    wrong[name, method, slip] = (answer.status_code, faults)
    assert seen > 50
    assert wrong == {}


def test_misspelt_field_gets_a_suggestion(world: World) -> None:
    before, wrong, seen = effects(), {}, 0
    shapes = document()["components"]["schemas"]
    for name, method, operation in described_operations():
        content = operation.get("requestBody", {}).get("content", {})
        schema = content.get("application/json", {}).get("schema", {})
        schema = shapes[schema["$ref"].split("/")[-1]] if "$ref" in schema else schema
        for field in schema.get("properties", {}) if schema.get("additionalProperties") is False else ():
            seen += 1
            slip = misspelt(field)
            with rolled_back():
                answer = send(world, name, method, raw=b'{"%s": 1}' % slip.encode())
                faults = answer.json().get("errors", [])
            reported = [(fault["path"], suggests(fault["detail"], field)) for fault in faults]
            if answer.status_code != 400 or (slip, True) not in reported:
                wrong[name, method, slip] = (answer.status_code, faults)
    assert seen > 40
    assert (wrong, effects()) == ({}, before)


def test_outdated_version_stops_every_conditional_write(world: World) -> None:
    wrong, seen = {}, 0
    for name, method, operation in described_operations():
        if any(parameter["name"] == "If-Match" for parameter in operation.get("parameters", [])):
            seen += 1
            with rolled_back():
                if name == "api_restore":
                    send(world, "api_table", "DELETE")
                answer = send(world, name, method, headers={"If-Match": MOVED})
            if (answer.status_code, answer.json()["error"]) != (412, "version_moved"):
                wrong[name, method] = (answer.status_code, answer.content)
    assert seen > 5
    assert wrong == {}
    assert world.snapshot() == world.stored


def test_every_other_write_refuses_a_version(world: World) -> None:
    wrong, seen = {}, 0
    conditional = {
        (name, method)
        for name, method, operation in described_operations()
        if any(parameter["name"] == "If-Match" for parameter in operation.get("parameters", []))
    }
    for name, method in operations(world):
        if method in (*WRITING, "DELETE") and (name, method) not in conditional:
            seen += 1
            answer = send(world, name, method, headers={"If-Match": MOVED})
            if (answer.status_code, answer.json()["error"]) != (400, "if_match_not_possible"):
                wrong[name, method] = (answer.status_code, answer.content)
    assert seen > 5
    assert wrong == {}
    assert world.snapshot() == world.stored


def test_secrets_are_only_in_the_response_that_created_them(world: World) -> None:
    reported = {}
    for name, method in SECRETS:
        answer = send(world, name, method)
        secret = answer.json().get("token") or answer.json()["url"].rstrip("/").split("/")[-1]
        reported[name] = secret
    texts = {name: send(world, name, "GET").content.decode() for name, method in operations(world) if method == "GET"
             and (name, method) not in STREAMS and name not in DOCUMENTS}  # fmt: skip
    assert [(name, where) for name, secret in reported.items() for where, text in texts.items() if secret in text] == []


def path_of(world: World, name: str) -> str:
    return "/" + PART.sub(lambda part: str(world.ids.get(part[1], 1)), route_of(name))


def test_cross_site_request_writes_nowhere(world: World) -> None:
    """Browsers send the session with cross-site requests, but only our pages know the CSRF token."""
    wrong = {}
    browser = Client(enforce_csrf_checks=True)
    browser.force_login(world.ada.user)
    for name, method in operations(world):
        if method != "GET":
            answer = browser.generic(method, path_of(world, name), b"{}", "application/json")
            if (answer.status_code, answer.headers["Content-Type"]) != (403, "application/json"):
                wrong[name, method] = (answer.status_code, answer.content)
    assert wrong == {}
    assert world.snapshot() == world.stored
