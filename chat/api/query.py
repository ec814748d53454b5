"""Query parameters and small bodies, read strictly."""
from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rest_framework.request import Request

from chat.exceptions import Malformed
from chat.turns.request import refuse_unknown

Json = dict[str, Any]
MAX_OFFSET = 1_000_000
MOST_SEARCH, MOST_WORDS = 200, 8


def page_of(request: Request, *, most: int = 100, usual: int = 50) -> tuple[int, int]:
    """`offset` and `limit` of a list."""
    limit = number(request, "limit", usual=usual, least=1, most=most)
    return number(request, "offset", usual=0, most=MAX_OFFSET), limit


def number(request: Request, name: str, *, usual: int, least: int = 0, most: int) -> int:
    """A whole number from `least` to `most`. Raises Malformed."""
    text = request.query_params.get(name)
    if text is None:
        return usual
    if not (text.isascii() and text.isdigit() and len(text) < 11 and least <= int(text) <= most):
        raise Malformed(f"A whole number from {least} to {most}.", path=name)
    return int(text)


def text(request: Request, name: str, *, most: int = 64) -> str | None:
    """A parameter as it is, None where absent. Raises Malformed."""
    value = request.query_params.get(name)
    if value is not None and (len(value) > most or "\x00" in value):
        raise Malformed(f"A text of at most {most} characters.", path=name)
    return value


def flag(request: Request, name: str) -> bool:
    """`true` or `false`; false where absent. Raises Malformed."""
    value = request.query_params.get(name, "false")
    if value not in ("true", "false"):
        raise Malformed("true or false.", path=name)
    return value == "true"


def words(request: Request, name: str) -> list[str]:
    """The words of a search without case, each once. Raises Malformed."""
    found = list(dict.fromkeys((text(request, name, most=MOST_SEARCH) or "").casefold().split()))
    if len(found) > MOST_WORDS:
        raise Malformed(f"A search may have at most {MOST_WORDS} words.", code="too_many_words", path=name)
    return found


def only(request: Request, *known: str) -> None:
    """Refuses every other query parameter, and one that is given twice."""
    given = request.query_params
    refuse_unknown(given, known=known)
    for name in given:
        if len(given.getlist(name)) > 1:
            raise Malformed("This parameter may be given only once.", code="doubled_parameter", path=name)


def body_of(request: Request, *, fields: Sequence[str] | None = None) -> Json:
    """The body as an object with no other fields than these. Raises Malformed."""
    body: Any = request.data
    if not isinstance(body, dict):
        raise Malformed("A JSON object is needed here.")
    if fields is not None:
        refuse_unknown(body, known=fields)
    return dict(body)


def following(*, offset: int, limit: int, count: int) -> int | None:
    """The offset of the next page, None on the last."""
    return offset + limit if offset + limit < count else None
