"""Puts the document together: the addresses from the URLs, what they do from what is written down."""
from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from django.urls import URLPattern, URLResolver, get_resolver

from chatproject.openapi.imports_operations import IMPORTS
from chatproject.openapi.other_operations import ACCOUNTS, CHAT, ROOF
from chatproject.openapi.shapes import SHAPES
from chatproject.openapi.tables_operations import TABLES
from chatproject.openapi.values import COUNT, UUID, Json
from chatproject.openapi.words import Operation, a, one_of
from tables.column_types import type_names

GROUPS = {"tables": TABLES, "imports": IMPORTS, "chat": CHAT, "accounts": ACCOUNTS, "server": ROOF}
KINDS = {
    "api_docs": ("text/html",), "metrics": ("text/plain",),
    "api_export": ("text/csv", "application/json", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
}  # fmt: skip
PART = re.compile(r"<(?:(?P<kind>\w+):)?(?P<name>\w+)>")
UUIDS = {"conversation_id", "turn_id", "payload_id", "message_id"}
# A piece of an address: what stands between two slashes.
PIECE: Json = {"type": "string", "pattern": "^[^/]+$"}
KEY: Json = {"type": "string", "minLength": 1, "maxLength": 255, "pattern": "^[ -~]+$"}
VERSION: Json = {"type": "string", "format": "quoted-version"}
DESCRIPTION = (
    "Every failure has one shape (Error): a code, a sentence, and where it was, each with its path. What is not yours "
    "and what is not there are the same 404. Unknown fields and parameters are refused.\n\n"
    "Programs send “Authorization: Bearer <token>”; a token with scope read is refused (403) by everything that may "
    "write. With an Idempotency-Key a request that is sent twice has its effect once and the same answer twice. "
    "A request that the database cannot carry out in time is a 503 with Retry-After (too_costly; busy where a lock was "
    "not free), and nothing is written. A server process works on a few requests of a user or address at a time; "
    "more wait, and those that wait too long are a 429 with Retry-After. "
    "X-RateLimit-Limit, X-RateLimit-Remaining and X-RateLimit-Reset in every response give the calls per minute that "
    "are allowed and left, and when they start anew."
)


def document() -> Json:
    """The OpenAPI document as a JSON object, with the column types there are now."""
    return _document(type_names())


@lru_cache(maxsize=1)
def _document(types: tuple[str, ...]) -> Json:
    paths: Json = {}
    addresses = dict(named_addresses())
    for tag, operations in GROUPS.items():
        for name, methods in operations.items():
            path, parts = addresses[name]
            described = {
                method: _operation(operation, tag=tag, name=name, method=method)
                for method, operation in methods.items()
            }
            paths[path] = {**({"parameters": parts} if parts else {}), **described}
    return {
        "openapi": "3.1.0",
        "info": {"title": "Table Chat", "version": "1", "description": DESCRIPTION},
        "tags": [{"name": tag} for tag in GROUPS],
        "security": [{"token": []}, {"session": []}],
        "paths": paths,
        "components": {
            "schemas": {**SHAPES, "ColumnType": one_of(*types)},
            "responses": {"Error": {"description": "A failure.", "content": _json(a("Error"))}},
            "securitySchemes": {
                "token": {"type": "http", "scheme": "bearer"},
                "session": {"type": "apiKey", "in": "cookie", "name": "sessionid"},
            },
        },
    }


def named_addresses() -> Iterator[tuple[str, tuple[str, list[Json]]]]:
    """The name, path and path parameters of every address below /api/ and of those for machines beside it."""
    for route, pattern in _patterns(get_resolver(), prefix="/"):
        if pattern.name and (route.startswith("/api/") or pattern.name in ROOF):
            parts = [_part(found) for found in PART.finditer(route)]
            yield pattern.name, (PART.sub(r"{\g<name>}", route), parts)


def _patterns(resolver: URLResolver, *, prefix: str) -> Iterator[tuple[str, URLPattern]]:
    for entry in resolver.url_patterns:
        route = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from _patterns(entry, prefix=route)
        else:
            yield route, entry


def _part(found: re.Match[str]) -> Json:
    schema = COUNT if found["kind"] == "int" else UUID if found["name"] in UUIDS else PIECE
    return {"name": found["name"], "in": "path", "required": True, "schema": schema}


def _operation(operation: Operation, *, tag: str, name: str, method: str) -> Json:
    described: Json = {"operationId": f"{name}_{method}", "summary": operation.says}
    described |= {"tags": [tag], "responses": _responses(operation, name=name)}
    parameters = [
        {"name": each.name, "in": each.where, "description": each.says, "schema": each.schema}
        for each in operation.query
    ]
    if method != "get" and operation.once:
        parameters.append(_header("Idempotency-Key", "Makes sending this twice do it once.", schema=KEY))
    if operation.if_match:
        says = 'The version in quotes, like "3"; 412 when it has moved.'
        parameters.append(_header("If-Match", says, schema=VERSION))
    if parameters:
        described["parameters"] = parameters
    if operation.takes is not None:
        example = {} if operation.example is None else {"example": operation.example}
        # A body of which nothing is needed may be left out.
        needed = operation.takes.get("required") != []
        content = _json(operation.takes, **example)
        if operation.form is not None:
            content["multipart/form-data"] = {"schema": operation.form}
        described["requestBody"] = {"required": needed, "content": content}
    return {**described, "security": []} if operation.public else described


def _responses(operation: Operation, *, name: str) -> Json:
    kinds = ("text/event-stream",) if operation.streams else KINDS.get(name, ("application/json",))
    responses: Json = {
        str(status): {"description": "Done." if status < 400 else "Not now."}
        | ({"content": {kind: {"schema": schema} for kind in kinds}} if schema is not None else {})
        for status, schema in operation.answers.items()
    }
    return {**responses, "default": {"$ref": "#/components/responses/Error"}}


def _json(schema: Json, **more: Any) -> Json:
    return {"application/json": {"schema": schema, **more}}


def _header(name: str, says: str, *, schema: Json) -> Json:
    return {"name": name, "in": "header", "description": says, "schema": schema}
