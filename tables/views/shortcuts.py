"""Tables of the current user, and errors of the services as Django's error pages."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, Literal

from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest

from shared.user_messages.rendering import message_text
from tables import selectors
from tables.exceptions import Forbidden, NotFound


@contextmanager
def http_errors() -> Iterator[None]:
    """Raise Http404 and PermissionDenied in place of NotFound and Forbidden."""
    try:
        yield
    except NotFound as error:
        raise Http404 from error
    except Forbidden as error:
        raise PermissionDenied(message_text(error.message)) from error


def get_table_or_404(request: HttpRequest, *, table_id: int, can: Literal["view", "edit"] = "view") -> Any:
    """Return the table. Raises Http404 if it is missing or of another user, PermissionDenied if it is read-only."""
    with http_errors():
        return selectors.get_table(request.user, table_id, can=can)
