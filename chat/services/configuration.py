"""Changes of what the assistant is told and may do: checked, recorded, each as one transaction."""
from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from typing import Any
from uuid import uuid4

from django.db import transaction
from django.utils import timezone

import strictjson
from chat.catalogue import Catalogue
from chat.configuration import (
    ADDED,
    KINDS,
    Address,
    added_entry,
    entries_of,
    faults_of_entry,
    faults_of_value,
    places_of,
    values_of,
    with_added,
)
from chat.configuration import Override as OverrideValue
from chat.exceptions import Malformed, NotFound, Settled
from chat.json_schema import SchemaFault
from chat.models import Configuration, ConfigurationChange, Override
from chat.overrides import default_catalogue, stored_overrides
from user_messages import declare

ASSISTANT_CHANGED = declare(
    "assistant_changed", "The assistant was changed since you opened this. Check what would change now."
)
NO_SUCH_FIELD_CHANGE = declare("no_such_field_change", "There is no such change of a field.")
NO_ENTRY = declare("no_entry_of_kind", "There is no {kind} “{name}”.")
FIELD_CHANGED_MEANWHILE = declare(
    "field_changed_meanwhile", "{user} changed “{field}” while you were editing it. Check it again."
)
DELETED_USER = declare("deleted_user", "A deleted user")

Json = dict[str, Any]
LONGEST_NAME = 200
# In place of a value: back to the code's.
RESET = object()


@dataclass(frozen=True)
class Edit:
    """New values of an entry's fields, RESET for the default. `seen` is the version the editor had before them: who
    changed one of these fields since is not overwritten. None skips that. `bases` are the defaults that values were
    written against, where that was elsewhere."""

    address: Address
    values: Mapping[str, Any]
    seen: int | None = None
    bases: Mapping[str, Any] = field(default_factory=dict)


def change_configuration(*, user: Any, edits: Sequence[Edit], why: str = "", now: datetime) -> int:
    """Makes the changes, all or none; the answer is the version that is now current.

    Raises Malformed with the fields and what would be right, NotFound for an entry that is not there, Settled
    ("changed_meanwhile") when another editor was faster.
    """
    with transaction.atomic():
        configuration, _ = Configuration.objects.select_for_update().get_or_create(pk=1)
        made = _Changes(edits, user=user, why=why, now=now, version=configuration.version + 1)
        for edit in edits:
            _refuse_overtaken(edit)
            made.take(edit)
        if made.faults:
            first = made.faults[0]
            raise Malformed(first.detail, path=first.path, faults=made.faults)
        if made.count:
            configuration.version += 1
            configuration.stamp = uuid4()
            configuration.save(update_fields=["version", "stamp"])
    return configuration.version


def refuse_faults(edits: Sequence[Edit]) -> None:
    """Raises Malformed where saving these edits would, NotFound for an entry that is not there; keeps nothing."""
    if edits:
        with transaction.atomic():
            change_configuration(user=None, edits=[replace(edit, seen=None) for edit in edits], now=timezone.now())
            transaction.set_rollback(True)


def edits_back_to(version: int) -> list[Edit]:
    """What takes everything back to what it was at that version, as far as it can still be used: else one name that
    the code no longer has would be in the way of all the rest."""
    values: dict[Address, dict[str, Any]] = {}
    for change in ConfigurationChange.objects.filter(version__gt=version).order_by("-version", "-pk"):
        before = RESET if change.before is None else change.before["value"]
        values.setdefault(Address(change.kind, change.name), {})[change.field] = before
    edits = [Edit(address, fields) for address, fields in values.items()]
    catalogue = with_added(default_catalogue(), coming_overrides(edits), marked=True)
    there = {address for address, _ in entries_of(catalogue)}
    in_code = {address for address, _ in entries_of(default_catalogue())}
    return [
        _still_usable(edit, catalogue=catalogue, in_code=edit.address in in_code)
        if edit.address in there
        else replace(edit, values=dict.fromkeys(edit.values, RESET))
        for edit in edits
    ]


def _still_usable(edit: Edit, *, catalogue: Catalogue, in_code: bool) -> Edit:
    """The edit with the default in place of what cannot be used any more."""

    def fits(name: str, value: Any) -> bool:
        if name == ADDED:
            # What administrators made may be the code's by now.
            return not in_code
        field = KINDS[edit.address.kind].field(name)
        if field is None or (field.only_added and in_code):
            return False
        return not faults_of_value(field, value, address=edit.address, catalogue=catalogue)

    values = {
        name: value if value is RESET or fits(name, value) else RESET for name, value in edit.values.items()
    }
    return replace(edit, values=values)


def restore_configuration(*, user: Any, version: int, seen: int | None = None, why: str = "", now: datetime) -> int:
    """Takes everything back to what it was at that version, as a change of its own. Raises what a change raises, and
    Settled ("changed_meanwhile") when something was changed since the version `seen`."""
    with transaction.atomic():
        # Locked before it is read: what is taken back must be all there is.
        Configuration.objects.get_or_create(pk=1)
        current = Configuration.objects.select_for_update().get(pk=1).version
        if seen is not None and seen != current:
            raise Settled(
                ASSISTANT_CHANGED(),
                code="changed_meanwhile",
                extra={"version": current},
            )
        why = why or f"Back to version {version}"
        return change_configuration(user=user, edits=edits_back_to(version), why=why, now=now)


def restore_field(*, user: Any, change_id: int, seen: int | None = None, now: datetime) -> int:
    """Gives one field the value that this change gave it. Raises what a change raises, and NotFound."""
    change = ConfigurationChange.objects.filter(pk=change_id).exclude(field=ADDED).first()
    if change is None:
        raise NotFound(NO_SUCH_FIELD_CHANGE())
    value = RESET if change.after is None else change.after["value"]
    edit = Edit(Address(change.kind, change.name), {change.field: value}, seen=seen)
    return change_configuration(user=user, edits=[edit], why=f"As in version {change.version}", now=now)


def coming_overrides(edits: Sequence[Edit]) -> list[OverrideValue]:
    """All overrides as they would be with these edits made; writes nothing."""
    coming = {(override.address, override.field): override for override in stored_overrides()}
    for edit in edits:
        for name, value in edit.values.items():
            coming.pop((edit.address, name), None)
            if value is not RESET:
                coming[(edit.address, name)] = OverrideValue(*edit.address, name, value)
    return list(coming.values())


class _Changes:
    """The changes of one version, as they are checked and written."""

    def __init__(self, edits: Sequence[Edit], *, user: Any, why: str, now: datetime, version: int) -> None:
        self.faults: list[SchemaFault] = []
        self.count = 0
        self._record = {"user": user, "why": strictjson.storable_text(why)[:500], "created_at": now, "version": version}
        self._default = default_catalogue()
        # As it will be: what one edit adds, another may name.
        self._coming = coming_overrides(edits)
        self._known = with_added(self._default, self._coming, marked=True)

    def take(self, edit: Edit) -> None:
        """Checks the edit and writes it; what is wrong with it is in `faults`."""
        named = edit.address.name
        # What only goes is there already, whatever its name.
        only_goes = all(value is RESET for value in edit.values.values())
        if not only_goes and (strictjson.storable_text(named) != named or len(named) > LONGEST_NAME):
            raise NotFound(NO_ENTRY(kind=edit.address.kind, name=strictjson.storable_text(named)[:64]))
        defaults = self._defaults(edit)
        rows = {row.field: row for row in Override.objects.filter(kind=edit.address.kind, name=edit.address.name)}
        in_code = ADDED in defaults
        for name, value in edit.values.items():
            default = defaults.get(name)
            if name != ADDED and value is not RESET:
                self._check(edit.address, name=name, value=value, catalogue=self._known, added=not in_code)
            if value == default and name != ADDED and in_code:
                # What says the same as the code goes on following the code.
                value = RESET
            base = edit.bases.get(name, default)
            if self.faults:
                # None of it will be kept, and not every database takes what is wrong.
                continue
            self._write(edit.address, field=name, value=value, base=base, row=rows.get(name))
        if defaults and not in_code:
            whole = {**{name: row.value for name, row in rows.items()}, **edit.values}
            kept = {name: value for name, value in whole.items() if value is not RESET}
            wrong = faults_of_entry(edit.address, kept, catalogue=self._known)
            self.faults += [SchemaFault(edit.address.name, "incomplete", fault) for fault in wrong]

    def _defaults(self, edit: Edit) -> Json:
        """The code's values of the entry; of one that administrators add or have added those of an empty one."""
        place = places_of(self._default).get(edit.address)
        if place is not None:
            return {**values_of(place.entry, place=place.number), ADDED: False}
        known = edit.values.get(ADDED) is True or any(
            override.address == edit.address and override.field == ADDED for override in self._coming
        )
        entry = added_entry(edit.address)
        if known and entry is not None:
            return values_of(entry)
        if all(value is RESET for value in edit.values.values()):
            # Left over from an entry that the code no longer has: it may go.
            return {}
        raise NotFound(NO_ENTRY(kind=edit.address.kind, name=edit.address.name[:64]))

    def _check(self, address: Address, *, name: str, value: Any, catalogue: Catalogue, added: bool) -> None:
        kind = KINDS[address.kind]
        field = kind.field(name)
        if field is None or (field.only_added and not added):
            fault = f"{kind.label}: {name[:64]!r} cannot be changed."
            self.faults.append(SchemaFault(f"{address.name}.{name[:64]}", "unknown_field", fault))
            return
        wrong = faults_of_value(field, value, address=address, catalogue=catalogue)
        self.faults += [SchemaFault(f"{address.name}.{name}", "invalid", fault) for fault in wrong]

    def _write(self, address: Address, *, field: str, value: Any, base: Any, row: Override | None) -> None:
        before = {"value": row.value} if row is not None else None
        after = None if value is RESET else {"value": value}
        if before == after:
            return
        place: Json = {"kind": address.kind, "name": address.name, "field": field}
        if after is None:
            Override.objects.filter(**place).delete()
        else:
            written = {"value": value, "base": base, "updated_by": self._record["user"]}
            Override.objects.update_or_create(
                **place, defaults={**written, "updated_at": self._record["created_at"]}
            )
        ConfigurationChange.objects.create(**place, before=before, after=after, **self._record)
        self.count += 1


def _refuse_overtaken(edit: Edit) -> None:
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
