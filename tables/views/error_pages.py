"""What is not there, and what may not be done, have pages of their own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

from django.core.exceptions import PermissionDenied
from django.http import Http404

from tables.exceptions import Forbidden, NotFound
from user_messages.rendering import message_text


@contextmanager
def refused_as_pages() -> Iterator[None]:
    """Raises Http404 and PermissionDenied in place of NotFound and Forbidden."""
    try:
        yield
    except NotFound as error:
        raise Http404 from error
    except Forbidden as error:
        raise PermissionDenied(message_text(error.message)) from error
