"""Reading of request bodies with all faults of query and body."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from rest_framework.request import Request

from chat.api.query import check_parameters, json_object
from shared.rest.serializers import Body
from shared.user_messages import CodedError, read_all

MAX_FAULTS = 100


def read_fields(request: Request, *, form: type[Body], check: Callable[[dict[str, Any]], None]) -> dict[str, Any]:
    """Return the fields of a body. `check` raises the faults of their values.

    Raises an error with all faults of query and body.
    """
    data: Any = request.data
    known = {name: data[name] for name in form.field_names() if name in data} if isinstance(data, dict) else None
    _, fields, _ = read_all(
        lambda: check_parameters(request),
        lambda: json_object(request, fields=form.field_names()),
        lambda: check(known) if known is not None else None,
        errors=CodedError,
        most=MAX_FAULTS,
    )
    read: dict[str, Any] = fields
    return read
