"""Deletion of overrides without effect, as a change to the configuration."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from django.db import transaction

from chat.configuration import Address
from chat.exceptions import Settled
from chat.models import Configuration, Override
from chat.selectors.orphaned_overrides import orphaned_overrides
from chat.services.configuration import RESET, Edit, change_configuration
from shared.user_messages import declare

ORPHANED_OVERRIDES_CHANGED = declare(
    "orphaned_overrides_changed",
    "Another administrator has deleted this meanwhile, or it is in use now. Check the list again.",
)

WHY = "Removed because it had no effect"


def delete_orphaned_overrides(
    *, user: Any, ids: Collection[int], seen: int | None, why: str = "", now: datetime
) -> int:
    """Delete these overrides and return the version that is current then.

    With the marker of an added entry, all its overrides are deleted. Raises Settled ("changed_meanwhile") if one of
    them was deleted, is in use, or was changed since the version `seen`, and Malformed if an entry would be incomplete.
    """
    with transaction.atomic():
        # Locked before the overrides are read, so that they are still without effect when they are deleted.
        Configuration.objects.get_or_create(pk=1)
        version = Configuration.objects.select_for_update().get(pk=1).version
        orphans = {orphan.row.pk: orphan for orphan in orphaned_overrides()}
        if not ids or not set(ids) <= set(orphans):
            raise Settled(
                ORPHANED_OVERRIDES_CHANGED(),
                code="changed_meanwhile",
                extra={"version": version},
            )
        values: dict[Address, dict[str, Any]] = {}
        for pk in ids:
            orphan = orphans[pk]
            rows: list[Override] = [orphan.row, *orphan.others]
            values.setdefault(orphan.address, {}).update({row.field: RESET for row in rows})
        edits = [Edit(address, fields, seen=seen) for address, fields in values.items()]
        return change_configuration(user=user, edits=edits, why=why or WHY, now=now)
