"""Query parameters and small bodies, read strictly."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from chat.exceptions import Malformed
from chat.turns.request import refuse_unknown
from rest.serializers import Body
from user_messages import declare
from user_messages.request_messages import (
    BOOLEAN_NEEDED,
    DOUBLED_PARAMETER,
    OBJECT_NEEDED,
    TOO_MANY_WORDS,
    WHOLE_NUMBER,
)

Json = dict[str, Any]
MOST_SEARCH, MOST_WORDS = 200, 8
TEXT_UP_TO = declare("text_up_to", "A text of at most {most} characters.")


def page_of(request: Request, described: Iterable[OpenApiParameter], *, usual: int = 50) -> tuple[int, int]:
    """`offset` and `limit` of a list."""
    limit = number(request, "limit", described, usual=usual)
    return number(request, "offset", described, usual=0), limit


def number(request: Request, name: str, described: Iterable[OpenApiParameter], *, usual: int) -> int:
    """A whole number within the bounds of its description. Raises Malformed."""
    text = request.query_params.get(name)
    if text is None:
        return usual
    schema: Any = next(parameter.type for parameter in described if parameter.name == name)
    least, most = schema["minimum"], schema["maximum"]
    if not (text.isascii() and text.isdigit() and len(text) < 11 and least <= int(text) <= most):
        raise Malformed(WHOLE_NUMBER(least=least, most=most), path=name)
    return int(text)


def text(request: Request, name: str, *, most: int = 64) -> str | None:
    """A parameter as it is, None where absent. Raises Malformed."""
    value = request.query_params.get(name)
    if value is not None and (len(value) > most or "\x00" in value):
        raise Malformed(TEXT_UP_TO(most=most), path=name)
    return value


def flag(request: Request, name: str) -> bool:
    """`true` or `false`; false where absent. Raises Malformed."""
    value = request.query_params.get(name, "false")
    if value not in ("true", "false"):
        raise Malformed(BOOLEAN_NEEDED(), path=name)
    return value == "true"


def words(request: Request, name: str) -> list[str]:
    """The words of a search without case, each once. Raises Malformed."""
    found = list(dict.fromkeys((text(request, name, most=MOST_SEARCH) or "").casefold().split()))
    if len(found) > MOST_WORDS:
        raise Malformed(TOO_MANY_WORDS(count=MOST_WORDS), code="too_many_words", path=name)
    return found


def only(request: Request, described: Iterable[OpenApiParameter] = ()) -> None:
    """Refuses every query parameter that is not described, and one that is given twice."""
    given = request.query_params
    refuse_unknown(given, known=[parameter.name for parameter in described])
    for name in given:
        if len(given.getlist(name)) > 1:
            raise Malformed(DOUBLED_PARAMETER(), code="doubled_parameter", path=name)


def body_of(request: Request, *, fields: Sequence[str] | None = None) -> Json:
    """The body as an object with no other fields than these. Raises Malformed."""
    body: Any = request.data
    if not isinstance(body, dict):
        raise Malformed(OBJECT_NEEDED())
    if fields is not None:
        refuse_unknown(body, known=fields)
    return dict(body)


def read_body(request: Request, *, form: type[Body]) -> Json:
    """The values of a body that a serializer declares. Raises Malformed."""
    return form.read(body_of(request, fields=form.field_names()))


def following(*, offset: int, limit: int, count: int) -> int | None:
    """The offset of the next page, None on the last."""
    return offset + limit if offset + limit < count else None
