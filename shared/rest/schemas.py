"""JSON schemas of bodies and parameters, and functions that combine them."""
from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Json = dict[str, Any]

TEXT: Json = {"type": "string"}
NAME: Json = {"type": "string", "minLength": 1, "maxLength": 255}
WHOLE: Json = {"type": "integer"}
ID: Json = {"type": "integer", "minimum": 1, "maximum": 2**63 - 1}
COUNT: Json = {"type": "integer", "minimum": 0, "maximum": 10**18 - 1}
FLAG: Json = {"type": "boolean"}
ANYTHING: Json = {}
OBJECT: Json = {"type": "object"}
# At least one visible character, and no control characters.
TITLE: Json = {**NAME, "pattern": r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"}
ZONE: Json = {"type": "string", "format": "time-zone", "description": "An IANA name such as Europe/Paris."}
PAGE: Json = {"type": "string", "format": "page", "description": "A page with the chat."}
UUID: Json = {"type": "string", "format": "uuid"}
TIME: Json = {"type": "string", "format": "date-time"}


def maybe(schema: Json) -> Json:
    """Return the schema of this or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def one_of(*words: str) -> Json:
    """Return the schema of one of these words."""
    return {"type": "string", "enum": list(words)}


def many(schema: Json, **limits: int) -> Json:
    """Return the schema of a list."""
    return {"type": "array", "items": schema, **limits}


def a(name: str) -> Json:
    """Return a reference to the schema component of this name."""
    return {"$ref": f"#/components/schemas/{name}"}


def answer(optional: Mapping[str, Json] | None = None, **fields: Json) -> Json:
    """Return the schema of an object in a response: `optional` fields may be absent, and others may be added later."""
    return {"type": "object", "properties": {**(optional or {}), **fields}, "required": list(fields)}


def body(optional: Mapping[str, Json] | None = None, **fields: Json) -> Json:
    """Return the schema of an object in a request: other fields are refused."""
    return {**answer(optional, **fields), "additionalProperties": False}


def json_body(schema: Json) -> Json:
    """Return a JSON request body for `extend_schema`."""
    return {"application/json": schema}
