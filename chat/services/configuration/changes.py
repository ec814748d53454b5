"""Changes to the configuration: validated, recorded, each in one transaction."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import uuid4

from django.db import transaction
from django.utils import timezone

from chat.catalogue import Catalogue
from chat.configuration import (
    ADDED,
    KINDS,
    Address,
    added_entry,
    entries_by_address,
    entries_of,
    faults_by_field_of_entry,
    faults_of_limits,
    faults_of_value,
    values_of,
    with_added,
)
from chat.configuration import Override as OverrideValue
from chat.exceptions import Malformed, NotFound, Settled
from chat.json_schema import SchemaFault
from chat.models import Configuration, ConfigurationChange, Override
from chat.selectors.configuration.catalogue import default_catalogue, stored_overrides
from chat.selectors.configuration.orphaned_overrides import orphaned_overrides
from shared import strictjson
from shared.user_messages import declare

ASSISTANT_CHANGED = declare(
    "assistant_changed", "The assistant was changed since you opened this. Check what would change now."
)
NO_SUCH_FIELD_CHANGE = declare("no_such_field_change", "There is no such change of a field.")
NO_ENTRY = declare("no_entry_of_kind", "There is no {kind} “{name}”.")
FIELD_CHANGED_MEANWHILE = declare(
    "field_changed_meanwhile", "{user} changed “{field}” while you were editing it. Check it again."
)
DELETED_USER = declare("deleted_user", "A deleted user")
ORPHANED_OVERRIDES_CHANGED = declare(
    "orphaned_overrides_changed",
    "Another administrator has deleted this meanwhile, or it is in use now. Check the list again.",
)

Json = dict[str, Any]
MAX_NAME_LENGTH = 200
ORPHANED_REASON = "Removed because it had no effect"
# Used as a value: delete the override, so that the default from code applies.
RESET = object()


@dataclass(frozen=True)
class Edit:
    """New values for the fields of an entry, RESET for the default.

    `seen` is the version that the editor's form was rendered from: a field that was changed since is not overwritten.
    None skips this check. `bases` are defaults that values were written against, if they are not the current ones.
    """

    address: Address
    values: Mapping[str, Any]
    seen: int | None = None
    bases: Mapping[str, Any] = field(default_factory=dict)


def change_configuration(
    *, user: Any, edits: Sequence[Edit], why: str = "", shown: int | None = None, now: datetime
) -> int:
    """Write the edits, all or none, and return the version that is current then.

    Raises Malformed with all faults, NotFound for an unknown entry, and Settled ("changed_meanwhile") if another
    editor has changed one of the fields, or if the current version is not `shown`, the one that was confirmed.
    """
    with transaction.atomic():
        configuration, _ = Configuration.objects.select_for_update().get_or_create(pk=1)
        if shown is not None and shown != configuration.version:
            raise Settled(ASSISTANT_CHANGED(), code="changed_meanwhile", extra={"version": configuration.version})
        writer = _ChangeWriter(edits, user=user, why=why, now=now, version=configuration.version + 1)
        for edit in edits:
            _check_not_overtaken(edit)
            writer.write(edit)
        writer.check_limits()
        if writer.faults:
            first = writer.faults[0]
            raise Malformed(first.detail, path=first.path, faults=writer.faults)
        if writer.count:
            configuration.version += 1
            configuration.stamp = uuid4()
            configuration.save(update_fields=["version", "stamp"])
    return configuration.version


def validate_edits(edits: Sequence[Edit]) -> None:
    """Raise Malformed or NotFound if `change_configuration` would with these edits; write nothing."""
    check_edits([replace(edit, seen=None) for edit in edits])


def check_edits(edits: Sequence[Edit]) -> None:
    """Raise the errors that `change_configuration` would with these edits; write nothing."""
    if edits:
        with transaction.atomic():
            change_configuration(user=None, edits=edits, now=timezone.now())
            transaction.set_rollback(True)


def edits_to_restore(version: int) -> list[Edit]:
    """Return the edits that restore the configuration of a version.

    Values that are no longer valid, such as those of an entry that was removed from the code, are reset to the default,
    so that they do not prevent restoring the rest.
    """
    values: dict[Address, dict[str, Any]] = {}
    for change in ConfigurationChange.objects.filter(version__gt=version).order_by("-version", "-pk"):
        before = RESET if change.before is None else change.before["value"]
        values.setdefault(Address(change.kind, change.name), {})[change.field] = before
    return usable_edits([Edit(address, fields) for address, fields in values.items()])


def usable_edits(edits: list[Edit]) -> list[Edit]:
    """Return the edits with RESET in place of values that are no longer valid."""
    catalogue = with_added(default_catalogue(), overrides_after(edits), marked=True)
    known = {address for address, _ in entries_of(catalogue)}
    in_code = {address for address, _ in entries_of(default_catalogue())}
    usable = [
        _reset_unusable_values(edit, catalogue=catalogue, in_code=edit.address in in_code)
        if edit.address in known
        else replace(edit, values=dict.fromkeys(edit.values, RESET))
        for edit in edits
    ]
    contradicting = faults_of_limits(catalogue.engine, _limits(overrides_after(usable)))
    return [
        replace(edit, values={n: RESET if n in contradicting else value for n, value in edit.values.items()})
        if edit.address.kind == "engine"
        else edit
        for edit in usable
    ]


def _reset_unusable_values(edit: Edit, *, catalogue: Catalogue, in_code: bool) -> Edit:
    """Return the edit with RESET in place of values that are no longer valid."""

    def is_valid(name: str, value: Any) -> bool:
        if name == ADDED:
            # An entry that administrators added may be declared in code by now.
            return not in_code
        field = KINDS[edit.address.kind].field(name)
        if field is None or (field.only_added and in_code):
            return False
        return not faults_of_value(field, value, address=edit.address, catalogue=catalogue)

    values = {name: value if value is RESET or is_valid(name, value) else RESET for name, value in edit.values.items()}
    return replace(edit, values=values)


def restore_configuration(*, user: Any, version: int, seen: int | None = None, why: str = "", now: datetime) -> int:
    """Restore the configuration of a version as a new change, and return the version that is current then.

    Raises the errors of `change_configuration`, and Settled ("changed_meanwhile") if the current version is not `seen`.
    """
    with transaction.atomic():
        # Locked before the history is read, so that no change is added to it in between.
        Configuration.objects.get_or_create(pk=1)
        Configuration.objects.select_for_update().get(pk=1)
        why = why or f"Restored version {version}"
        return change_configuration(user=user, edits=edits_to_restore(version), why=why, shown=seen, now=now)


def restore_field(*, user: Any, change_id: int, seen: int | None = None, now: datetime) -> int:
    """Restore the value that a change gave to its field, and return the version that is current then.

    Raises NotFound and the errors of `change_configuration`.
    """
    change = ConfigurationChange.objects.filter(pk=change_id).exclude(field=ADDED).first()
    if change is None:
        raise NotFound(NO_SUCH_FIELD_CHANGE())
    value = RESET if change.after is None else change.after["value"]
    edit = Edit(Address(change.kind, change.name), {change.field: value}, seen=seen)
    return change_configuration(user=user, edits=[edit], why=f"Restored the value of version {change.version}", now=now)


def overrides_after(edits: Sequence[Edit]) -> list[OverrideValue]:
    """Return all overrides as they would be after these edits; write nothing."""
    overrides = {(override.address, override.field): override for override in stored_overrides()}
    for edit in edits:
        for name, value in edit.values.items():
            overrides.pop((edit.address, name), None)
            if value is not RESET:
                overrides[(edit.address, name)] = OverrideValue(*edit.address, name, value)
    return list(overrides.values())


def _limits(overrides: Iterable[OverrideValue]) -> Json:
    """Return the overridden fields of the engine."""
    return {override.field: override.value for override in overrides if override.kind == "engine"}


class _ChangeWriter:
    """Validates and writes the edits of one version."""

    def __init__(self, edits: Sequence[Edit], *, user: Any, why: str, now: datetime, version: int) -> None:
        self.faults: list[SchemaFault] = []
        self.count = 0
        reason = strictjson.replace_unstorable_text(why)[:500]
        self._record = {"user": user, "why": reason, "created_at": now, "version": version}
        self._default = default_catalogue()
        self._edited = {(edit.address, name) for edit in edits for name in edit.values}
        self._before = _limits(stored_overrides())
        # With all edits applied, because one of them may refer to an entry that another one adds.
        self._overrides = overrides_after(edits)
        self._catalogue = with_added(self._default, self._overrides, marked=True)

    def write(self, edit: Edit) -> None:
        """Validate an edit and write it, or add to `faults`."""
        entry_name = edit.address.name
        # Overrides with invalid names, written by SQL, can still be reset.
        only_resets = all(value is RESET for value in edit.values.values())
        valid_name = strictjson.replace_unstorable_text(entry_name) == entry_name and len(entry_name) <= MAX_NAME_LENGTH
        if not only_resets and not valid_name:
            raise NotFound(NO_ENTRY(kind=edit.address.kind, name=strictjson.replace_unstorable_text(entry_name)[:64]))
        defaults = self._defaults(edit)
        rows = {row.field: row for row in Override.objects.filter(kind=edit.address.kind, name=edit.address.name)}
        in_code = ADDED in defaults
        for name, value in edit.values.items():
            default = defaults.get(name)
            if name != ADDED and value is not RESET:
                self._check(edit.address, name=name, value=value, catalogue=self._catalogue, added=not in_code)
            if value == default and name != ADDED and in_code:
                # No override for a value that equals the default, so that it follows changes of the default.
                value = RESET
            base = edit.bases.get(name, default)
            if self.faults:
                # The transaction will be rolled back, and databases may reject an invalid value.
                continue
            self._write_field(edit.address, field=name, value=value, base=base, row=rows.get(name))
        if defaults and not in_code:
            merged = {**{name: row.value for name, row in rows.items()}, **edit.values}
            values = {name: value for name, value in merged.items() if value is not RESET}
            for name, fault in faults_by_field_of_entry(edit.address, values, catalogue=self._catalogue):
                path = f"{entry_name}.{name}" if name else entry_name
                if path not in {each.path for each in self.faults}:
                    self.faults.append(SchemaFault(path, "required" if name else "incomplete", fault))

    def check_limits(self) -> None:
        """Add faults for edited limits that contradict others, and for those that others contradict after the edits."""
        engine, address = self._default.engine, Address("engine", "all")
        before = faults_of_limits(engine, self._before)
        for name, fault in faults_of_limits(engine, _limits(self._overrides)).items():
            if (address, name) in self._edited or name not in before:
                self.faults.append(SchemaFault(f"{address.name}.{name}", "invalid", fault))

    def _defaults(self, edit: Edit) -> Json:
        """Return the values of the entry in code, or those of an empty entry if administrators added it."""
        code_entry = entries_by_address(self._default).get(edit.address)
        if code_entry is not None:
            return {**values_of(code_entry.entry, position=code_entry.position), ADDED: False}
        known = edit.values.get(ADDED) is True or any(
            override.address == edit.address and override.field == ADDED for override in self._overrides
        )
        entry = added_entry(edit.address)
        if known and entry is not None:
            return values_of(entry)
        if all(value is RESET for value in edit.values.values()):
            # Overrides of an entry that the code no longer has can be reset.
            return {}
        raise NotFound(NO_ENTRY(kind=edit.address.kind, name=edit.address.name[:64]))

    def _check(self, address: Address, *, name: str, value: Any, catalogue: Catalogue, added: bool) -> None:
        kind = KINDS[address.kind]
        field = kind.field(name)
        if field is None or (field.only_added and not added):
            fault = f"{name[:64]!r} is not an editable field of “{kind.label}”."
            self.faults.append(SchemaFault(f"{address.name}.{name[:64]}", "unknown_field", fault))
            return
        faults = faults_of_value(field, value, address=address, catalogue=catalogue)
        self.faults += [SchemaFault(f"{address.name}.{name}", "invalid", fault) for fault in faults]

    def _write_field(self, address: Address, *, field: str, value: Any, base: Any, row: Override | None) -> None:
        before = {"value": row.value} if row is not None else None
        after = None if value is RESET else {"value": value}
        if before == after:
            return
        key: Json = {"kind": address.kind, "name": address.name, "field": field}
        if after is None:
            Override.objects.filter(**key).delete()
        else:
            defaults = {"value": value, "base": base, "updated_by": self._record["user"]}
            Override.objects.update_or_create(**key, defaults={**defaults, "updated_at": self._record["created_at"]})
        ConfigurationChange.objects.create(**key, before=before, after=after, **self._record)
        self.count += 1


def _check_not_overtaken(edit: Edit) -> None:
    if edit.seen is None:
        return
    since = ConfigurationChange.objects.filter(
        kind=edit.address.kind, name=edit.address.name, field__in=list(edit.values), version__gt=edit.seen
    )
    other = since.select_related("user").order_by("-version").first()
    if other is not None:
        user = other.user.get_username() if other.user else DELETED_USER()
        field = KINDS[edit.address.kind].field(other.field) if edit.address.kind in KINDS else None
        raise Settled(
            FIELD_CHANGED_MEANWHILE(user=user, field=field.label if field else other.field),
            code="changed_meanwhile",
            extra={"field": other.field, "version": other.version},
        )


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
        Configuration.objects.select_for_update().get(pk=1)
        edits = edits_to_delete_orphans(ids, seen=seen)
        return change_configuration(user=user, edits=edits, why=why or ORPHANED_REASON, now=now)


def edits_to_delete_orphans(ids: Collection[int], *, seen: int | None) -> list[Edit]:
    """Return the edits that delete these overrides. Raises Settled if one of them was deleted or is in use."""
    orphans = {orphan.row.pk: orphan for orphan in orphaned_overrides()}
    if not ids or not set(ids) <= set(orphans):
        version = Configuration.objects.values_list("version", flat=True).first() or 0
        raise Settled(ORPHANED_OVERRIDES_CHANGED(), code="changed_meanwhile", extra={"version": version})
    values: dict[Address, dict[str, Any]] = {}
    for pk in ids:
        rows: list[Override] = [orphans[pk].row, *orphans[pk].others]
        values.setdefault(orphans[pk].address, {}).update({row.field: RESET for row in rows})
    return [Edit(address, fields, seen=seen) for address, fields in values.items()]
