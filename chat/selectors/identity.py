"""Ids as they come from outside: a text that cannot be an id names nothing."""
from __future__ import annotations

import re
from typing import Any
from uuid import UUID

from chat.exceptions import NotFound

UUID_FORM = re.compile(r"[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}")


def as_uuid(value: Any, *, what: str) -> UUID:
    """The UUID of a text in its usual form. Raises NotFound, for there is nothing with another id."""
    if isinstance(value, UUID):
        return value
    if isinstance(value, str) and UUID_FORM.fullmatch(value):
        return UUID(value)
    raise nothing(what)


def nothing(what: str) -> NotFound:
    """The one sentence for what is missing and for what is somebody else's."""
    return NotFound(f"There is no such {what}.")
