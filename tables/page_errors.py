"""Errors of selectors and services as the error pages of Django, for pages of tables and of other apps."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.exceptions import PermissionDenied
from django.http import Http404

from shared.user_messages.rendering import message_text
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
