"""The words in which the API is written down: JSON schemas put together, and operations."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from chatproject.openapi.values import Json


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


@dataclass(frozen=True)
class Asked:
    """A query parameter, or a header."""

    name: str
    schema: Json
    says: str
    where: Literal["query", "header"] = "query"


@dataclass(frozen=True)
class Operation:
    """What one method at one address does."""

    says: str
    answers: Mapping[int, Json | None]
    takes: Json | None = None
    example: Any = None
    # The same as a form with a file.
    form: Json | None = None
    query: tuple[Asked, ...] = ()
    # Answers one event after the other, and takes no Idempotency-Key.
    streams: bool = False
    once: bool = True
    if_match: bool = False
    public: bool = False


Operations = Mapping[str, Mapping[str, Operation]]

def limit(most: int) -> Asked:
    """The parameter of a list that shows at most so many at once."""
    return Asked("limit", {"type": "integer", "minimum": 1, "maximum": most}, "How many to answer at most.")


OFFSET = Asked("offset", {"type": "integer", "minimum": 0, "maximum": 1_000_000}, "How many to leave out first.")
