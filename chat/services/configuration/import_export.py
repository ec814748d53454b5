"""Export of all overrides to a file, and import with a preview, as one change."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from django.db import transaction

from chat.configuration import (
    ADDED,
    KINDS,
    Address,
    FileReading,
    entries_by_address,
    faults_of_file,
    file_of,
    read_file,
    values_of,
)
from chat.configuration import Override as OverrideValue
from chat.exceptions import Malformed, Settled
from chat.json_schema import SchemaFault
from chat.models import Configuration, Override
from chat.selectors.configuration.catalogue import current_version, default_catalogue, stored_overrides
from chat.services.configuration.changes import RESET, Edit, change_configuration
from shared.user_messages import declare

CHANGED_SINCE_IMPORT_WAS_SHOWN = declare(
    "changed_since_import_was_shown",
    "The assistant was changed since you opened this import. Check what it would change now.",
)

Json = dict[str, Any]


@dataclass(frozen=True)
class PlannedChange:
    """A field that an import would change: before and after as `{"value": …}`, None for the default."""

    address: Address
    field: str
    default: Any
    before: Json | None
    after: Json | None


@dataclass(frozen=True)
class ImportPlan:
    """The changes of an import, all faults with their path in the file, and the version it was compared with."""

    changes: tuple[PlannedChange, ...]
    faults: tuple[SchemaFault, ...]
    edits: tuple[Edit, ...]
    version: int


def export_configuration() -> bytes:
    """Return all overrides as a file, without those of entries that no longer exist, which no import would accept."""
    rows: list[Json] = [dict(row) for row in Override.objects.values("kind", "name", "field", "value", "base")]
    known = set(entries_by_address(default_catalogue()))
    added = {Address(row["kind"], row["name"]) for row in rows if row["field"] == ADDED}
    return file_of(row for row in rows if Address(row["kind"], row["name"]) in known | added and _is_field(row))


def plan_import(raw: bytes, *, replace: bool) -> ImportPlan:
    """Return the changes that importing the file would make; write nothing.

    With `replace`, overrides that are not in the file are deleted.
    """
    version = current_version()
    stored = {(o.address, o.field): o for o in stored_overrides()}
    reading = read_file(raw)
    remaining = [] if replace else list(stored.values())
    faults = [*reading.faults, *faults_of_file(reading.entries, catalogue=default_catalogue(), remaining=remaining)]
    if reading.faults and not reading.entries:
        # The file could not be read at all, so its changes are unknown.
        return ImportPlan((), tuple(faults), (), version)
    edits = _edits(reading, replaced=list(stored.values()) if replace else [])
    return ImportPlan(tuple(planned_changes(edits)), tuple(faults), tuple(edits), version)


def import_configuration(
    raw: bytes, *, user: Any, replace: bool, seen: int | None = None, why: str = "", now: datetime
) -> int:
    """Import the file as one change, completely or not at all, and return the version that is current then.

    Raises Malformed with all faults and their paths, and Settled ("changed_meanwhile") if the current version is not
    `seen`, the one that the plan was compared with.
    """
    with transaction.atomic():
        # Locked before the plan is computed, so that it is still valid when it is written.
        Configuration.objects.get_or_create(pk=1)
        version = Configuration.objects.select_for_update().get(pk=1).version
        if seen is not None and seen != version:
            raise Settled(
                CHANGED_SINCE_IMPORT_WAS_SHOWN(),
                code="changed_meanwhile",
                extra={"version": version},
            )
        plan = plan_import(raw, replace=replace)
        if plan.faults:
            first = plan.faults[0]
            raise Malformed(first.detail, path=first.path, faults=plan.faults)
        how = "settings not in the file reset" if replace else "other settings not changed"
        return change_configuration(user=user, edits=plan.edits, why=why or f"Imported from a file; {how}", now=now)


def _edits(reading: FileReading, *, replaced: Iterable[OverrideValue]) -> list[Edit]:
    values: dict[Address, Json] = {}
    bases: dict[Address, Json] = {}
    for override in replaced:
        values.setdefault(override.address, {})[override.field] = RESET
    for entry in reading.entries:
        override = entry.override
        values.setdefault(override.address, {})[override.field] = override.value
        if entry.based:
            bases.setdefault(override.address, {})[override.field] = entry.base
    return [Edit(address, fields, bases=bases.get(address, {})) for address, fields in values.items()]


def planned_changes(edits: Iterable[Edit]) -> Iterable[PlannedChange]:
    """Yield the changes that these edits would make; write nothing."""
    stored = {(override.address, override.field): override for override in stored_overrides()}
    code_entries = entries_by_address(default_catalogue())
    for edit in edits:
        code_entry = code_entries.get(edit.address)
        defaults = values_of(code_entry.entry, position=code_entry.position) if code_entry is not None else {}
        for field, value in edit.values.items():
            override = stored.get((edit.address, field))
            before = {"value": override.value} if override is not None else None
            is_default = value is RESET or (field in defaults and defaults[field] == value)
            after = None if is_default else {"value": value}
            if before != after:
                yield PlannedChange(edit.address, field, defaults.get(field), before, after)


def _is_field(row: Json) -> bool:
    kind = KINDS.get(row["kind"])
    return kind is not None and (row["field"] == ADDED or kind.field(row["field"]) is not None)
