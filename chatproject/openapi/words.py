"""Descriptions of operations that their views do not have."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Literal

from rest.schemas import Json


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
