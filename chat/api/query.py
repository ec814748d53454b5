"""Strict parsing of query parameters and JSON bodies."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any

from drf_spectacular.utils import OpenApiParameter
from rest_framework.request import Request

from chat.exceptions import ChatError, Malformed
from chat.turns.request import MAX_FAULTS, read_together, refuse_unknown, refuse_unknown_parameters
from shared.rest.serializers import Body
from shared.user_messages import CodedError, declare
from shared.user_messages.errors import read_all
from shared.user_messages.request_messages import (
    DOUBLED_PARAMETER,
    FIELD_MISSING,
    NOT_WHOLE,
    OBJECT_NEEDED,
    OUT_OF_RANGE,
    TOO_MANY_WORDS,
    TRUE_OR_FALSE,
)

Json = dict[str, Any]
MAX_SEARCH_LENGTH, MAX_SEARCH_WORDS = 200, 8
TEXT_UP_TO = declare("text_up_to", "{name} must be a text of at most {most} characters.")
WHOLE = re.compile("-?[0-9]+")
MAX_DIGITS = 18


def offset_and_limit(request: Request, described: Sequence[OpenApiParameter]) -> tuple[int, int]:
    """Return `offset` and `limit` of a list. Raises Malformed."""
    offset, limit = read_together(
        *(partial(integer_parameter, request, name, described) for name in ("offset", "limit"))
    )
    return offset, limit


def integer_parameter(request: Request, name: str, described: Iterable[OpenApiParameter]) -> int:
    """Return an integer parameter with the bounds and the default of its description. Raises Malformed."""
    schema: Any = next(parameter.type for parameter in described if parameter.name == name)
    text = request.query_params.get(name)
    if text is None:
        return int(schema["default"])
    least, most = schema["minimum"], schema["maximum"]
    if not WHOLE.fullmatch(text):
        raise Malformed(NOT_WHOLE(name=name), code="not_whole", path=name)
    if len(text) > MAX_DIGITS or not least <= int(text) <= most:
        raise Malformed(OUT_OF_RANGE(name=name, least=least, most=most), code="out_of_range", path=name)
    return int(text)


def text_parameter(request: Request, name: str, *, max_length: int = 64) -> str | None:
    """Return a text parameter, None if it is absent. Raises Malformed."""
    value = request.query_params.get(name)
    if value is not None and (len(value) > max_length or "\x00" in value):
        raise Malformed(TEXT_UP_TO(name=name, most=max_length), path=name)
    return value


def boolean_parameter(request: Request, name: str) -> bool:
    """Return a parameter that is `true` or `false`; False if it is absent. Raises Malformed."""
    value = request.query_params.get(name, "false")
    if value not in ("true", "false"):
        raise Malformed(TRUE_OR_FALSE(name=name), code="not_a_boolean", path=name)
    return value == "true"


def search_words(request: Request, name: str) -> list[str]:
    """Return the distinct, casefolded words of a search. Raises Malformed."""
    query = text_parameter(request, name, max_length=MAX_SEARCH_LENGTH) or ""
    words = list(dict.fromkeys(query.casefold().split()))
    if len(words) > MAX_SEARCH_WORDS:
        raise Malformed(TOO_MANY_WORDS(count=MAX_SEARCH_WORDS), code="too_many_words", path=name)
    return words


def check_parameters(
    request: Request, described: Iterable[OpenApiParameter] = (), *, aliases: Iterable[str] = ()
) -> None:
    """Raise Malformed for query parameters that are neither described nor aliases of one, or are repeated."""
    params = request.query_params
    known = [*(parameter.name for parameter in described), *aliases]

    def refuse_doubled(name: str) -> None:
        if len(params.getlist(name)) > 1:
            raise Malformed(DOUBLED_PARAMETER(name=name), code="doubled_parameter", path=name)

    read_together(
        lambda: refuse_unknown_parameters(params, known=known),
        *(partial(refuse_doubled, name) for name in params if name in known),
    )


def json_object(request: Request, *, fields: Sequence[str] | None = None) -> Json:
    """Return the body, an object with no other fields than `fields` (None: any). Raises Malformed."""
    body: Any = request.data
    if not isinstance(body, dict):
        raise Malformed(OBJECT_NEEDED())
    if fields is not None:
        refuse_unknown(body, known=fields)
    return dict(body)


def read_with_body(*reads: Callable[[], Any], check: Callable[[], object]) -> list[Any]:
    """Return the results of these functions. Raises their faults, and with them those of `check`, of the body."""
    try:
        return read_all(*reads, errors=ChatError, most=MAX_FAULTS)
    except ChatError as error:
        raised = error

    def refuse() -> None:
        raise raised

    def check_body() -> None:
        try:
            check()
        except CodedError as error:
            # Other errors are not about a part of the request.
            if error.path or error.faults:
                raise

    return read_all(refuse, check_body, errors=CodedError, most=MAX_FAULTS)


def read_request(
    request: Request, *, form: type[Body], check: Callable[[Json], object] = lambda body: None
) -> Json:
    """Return the values of a body that a serializer declares, of a request without parameters.

    Raises Malformed with all faults of query and body. `check` raises those between the fields of the body.
    """
    _, body = read_together(lambda: check_parameters(request), lambda: _read_body(request, form=form, check=check))
    read: Json = body
    return read


def _read_body(request: Request, *, form: type[Body], check: Callable[[Json], object]) -> Json:
    body, required = json_object(request), form.required_names()
    readers = form.readers().items()
    read_together(
        lambda: refuse_unknown(body, known=form.field_names()),
        *(partial(_refuse_missing, name) for name in required if name not in body),
        *(partial(read, body[name]) for name, read in readers if name in body),
        lambda: check(body),
    )
    return form.read(body)


def _refuse_missing(name: str) -> None:
    raise Malformed(FIELD_MISSING(name=name), code="missing", path=name)
