"""Takes overrides away that come to nothing, as a change like any other: checked, recorded, told to who was slower."""
from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db import transaction

from chat.configuration import Address
from chat.exceptions import Settled
from chat.models import Configuration, Override
from chat.selectors.orphaned_overrides import leftovers
from chat.services.configuration import RESET, Edit, change_configuration
from user_messages import declare

LEFTOVERS_CHANGED = declare(
    "leftovers_changed", "Another administrator has deleted this meanwhile, or it is in use now. Check the list again."
)

WHY = "It came to nothing"


def take_away(*, user: Any, ids: Collection[int], seen: int | None, why: str = "", now: datetime) -> int:
    """Takes these overrides away, and with what an entry was made by all of that entry; the answer is the version that
    is then current.

    Raises Settled ("changed_meanwhile") when one of them is gone, is in use by now, or was changed since the version
    `seen`, and Malformed where an entry would lose what it needs; then nothing was taken away.
    """
    with transaction.atomic():
        # Locked before it is looked at: what is taken away must still come to nothing.
        Configuration.objects.get_or_create(pk=1)
        version = Configuration.objects.select_for_update().get(pk=1).version
        found = {leftover.row.pk: leftover for leftover in leftovers()}
        if not ids or not set(ids) <= set(found):
            raise Settled(
                LEFTOVERS_CHANGED(),
                code="changed_meanwhile",
                extra={"version": version},
            )
        values: dict[Address, dict[str, Any]] = {}
        for pk in ids:
            leftover = found[pk]
            rows: list[Override] = [leftover.row, *leftover.others]
            values.setdefault(leftover.address, {}).update({row.field: RESET for row in rows})
        edits = [Edit(address, fields, seen=seen) for address, fields in values.items()]
        return change_configuration(user=user, edits=edits, why=why or WHY, now=now)
