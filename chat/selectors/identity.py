"""Ids as they come from outside: a text that cannot be an id names nothing."""
from __future__ import annotations

import re
from typing import Any
from uuid import UUID

from django.contrib.auth import get_user_model

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


def lock_person(user: Any) -> None:
    """Until the transaction ends, nobody else counts what this person has open or began: not in any process."""
    # Not the whole row: whatever else refers to the person need not wait.
    get_user_model().objects.select_for_update(no_key=True).filter(pk=user.pk).values_list("pk").first()
