"""JSON schemas that bodies and parameters are described by, and functions that combine them."""
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
# Something to be seen, and nothing that cannot be.
TITLE: Json = {**NAME, "pattern": r"^[^\x00-\x1f\x7f-\x9f]*[^\s\x00-\x1f\x7f-\x9f][^\x00-\x1f\x7f-\x9f]*$"}
ZONE: Json = {"type": "string", "format": "time-zone", "description": "An IANA name like Europe/Paris."}
PAGE: Json = {"type": "string", "format": "page", "description": "A page that has the chat."}
UUID: Json = {"type": "string", "format": "uuid"}
TIME: Json = {"type": "string", "format": "date-time"}


def maybe(schema: Json) -> Json:
    """The schema, or null."""
    return {"anyOf": [schema, {"type": "null"}]}


def one_of(*words: str) -> Json:
    """One of these words."""
    return {"type": "string", "enum": list(words)}


def many(schema: Json, **limits: int) -> Json:
    """A list."""
    return {"type": "array", "items": schema, **limits}


def a(name: str) -> Json:
    """A shape that is written down under a name."""
    return {"$ref": f"#/components/schemas/{name}"}


def answer(optional: Mapping[str, Json] | None = None, **fields: Json) -> Json:
    """An object that is answered: these fields are there, the optional ones may be, others may come one day."""
    return {"type": "object", "properties": {**(optional or {}), **fields}, "required": list(fields)}


def body(optional: Mapping[str, Json] | None = None, **fields: Json) -> Json:
    """An object that is sent: any other field is refused."""
    return {**answer(optional, **fields), "additionalProperties": False}


def json_body(schema: Json) -> Json:
    """The body of a request, for `extend_schema`."""
    return {"application/json": schema}
