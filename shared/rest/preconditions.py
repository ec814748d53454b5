"""`If-Match`: marks the view methods that compare a version; all other writes refuse the header."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, TypeVar

from rest_framework.request import Request

from shared.user_messages import declare

Versioned = Literal["row", "table", "object of the proposal"]
BAD_IF_MATCH = declare("bad_if_match", 'If-Match must be a version in quotes, like "3".')
Method = TypeVar("Method", bound=Callable[..., Any])


def if_match(of: Versioned) -> Callable[[Method], Method]:
    """Mark a view method that writes only if the row or the table still has the version in `If-Match`."""

    def mark(method: Method) -> Method:
        method.if_match = of  # type: ignore[attr-defined]  # an attribute of our own
        return method

    return mark


def if_match_of(view: Any, method: str) -> Versioned | None:
    """Return what the version in `If-Match` belongs to for this method of a view class; None if it is refused."""
    found: Versioned | None = getattr(getattr(view, method.lower(), None), "if_match", None)
    return found


def read_if_match(request: Request) -> int | None:
    """Return the version in `If-Match: "<version>"`; None without the header or for `*`. Raises ValueError."""
    header = request.headers.get("If-Match", "*").strip()
    digits = header[1:-1]
    if header == "*":
        return None
    if header != f'"{digits}"' or not (digits.isascii() and digits.isdigit() and len(digits) <= 18):
        raise ValueError(header)
    return int(digits)
