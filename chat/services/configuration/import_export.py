"""Export of all overrides and stored tests to a file, and import with a preview, as one change."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any, NamedTuple

from django.db import transaction

from chat.configuration import (
    ADDED,
    KINDS,
    Address,
    FileReading,
    FileTest,
    entries_by_address,
    entries_of,
    faults_of_file,
    file_of,
    read_file,
    values_of,
    with_added,
)
from chat.configuration import Override as OverrideValue
from chat.exceptions import Malformed, Settled
from chat.json_schema import SchemaFault
from chat.models import Configuration, Override, PromptTest
from chat.selectors.configuration.catalogue import current_version, default_catalogue, stored_overrides
from chat.selectors.configuration.prompt_tests import prompt_tests
from chat.services.configuration.changes import RESET, Edit, change_configuration
from chat.services.configuration.prompt_tests import (
    delete_prompt_test,
    faults_of_prompt_test,
    save_prompt_test,
    title_from,
)
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
class PlannedTest:
    """A stored test that an import would add, in place of `replaced`, a test of the same title on the same page."""

    path: str
    test: PromptTest
    replaced: PromptTest | None


@dataclass(frozen=True)
class ImportPlan:
    """The changes of an import, all faults with their path in the file, and the version it was compared with."""

    changes: tuple[PlannedChange, ...]
    faults: tuple[SchemaFault, ...]
    edits: tuple[Edit, ...]
    version: int
    tests: tuple[PlannedTest, ...] = ()


class ImportResult(NamedTuple):
    """The version of the configuration after an import, and the number of added and replaced tests."""

    version: int
    tests: int


def export_configuration() -> bytes:
    """Return all overrides and stored tests as a file, without those of entries that no longer exist.

    No import would accept these.
    """
    rows: list[Json] = [dict(row) for row in Override.objects.values("kind", "name", "field", "value", "base")]
    known = set(entries_by_address(default_catalogue()))
    added = {Address(row["kind"], row["name"]) for row in rows if row["field"] == ADDED}
    places = _places(stored_overrides())
    tests = [
        {"where": test.place, "title": test.title, "messages": test.messages, "position": test.position}
        for test in prompt_tests()
        if test.place in places
    ]
    exported = (row for row in rows if Address(row["kind"], row["name"]) in known | added and _is_field(row))
    return file_of(exported, tests=tests)


def plan_import(raw: bytes, *, replace: bool) -> ImportPlan:
    """Return the changes that importing the file would make; write nothing.

    With `replace`, overrides that are not in the file are deleted. Stored tests that are not in it are not changed.
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
    tests = _planned_tests(reading.tests)
    places = _places([*remaining, *(entry.override for entry in reading.entries)])
    faults += [fault for planned in tests for fault in _test_faults(planned, places=places)]
    return ImportPlan(tuple(planned_changes(edits)), tuple(faults), tuple(edits), version, tuple(tests))


def import_configuration(
    raw: bytes, *, user: Any, replace: bool, seen: int | None = None, why: str = "", now: datetime
) -> ImportResult:
    """Import the file as one change, completely or not at all.

    Raises Malformed with all faults and their paths, Invalid for too many tests of a page, and Settled
    ("changed_meanwhile") if the current version is not `seen`, the one that the plan was compared with.
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
        for planned in plan.tests:
            if planned.replaced is not None:
                delete_prompt_test(planned.replaced, now=now)
            save_prompt_test(planned.test, user=user, now=now)
        why = why or f"Imported from a file; {how}"
        version = change_configuration(user=user, edits=plan.edits, why=why, now=now)
        return ImportResult(version, len(plan.tests))


def _planned_tests(tests: Iterable[FileTest]) -> list[PlannedTest]:
    """Return the tests that are not stored yet, each with the stored one that it replaces."""
    stored = list(prompt_tests())
    missing: list[PlannedTest] = []
    for each in tests:
        page, tab, subtab = (*each.where.split("/", 2), "", "")[:3]
        test = PromptTest(
            page=page, tab=tab, subtab=subtab, title=each.title.strip() or title_from(each.messages),
            messages=list(each.messages), position=each.position,
        )  # fmt: skip
        equal = next((other for other in stored if _content(other) == _content(test)), None)
        if equal is not None:
            stored.remove(equal)
        else:
            missing.append(PlannedTest(each.path, test, None))
    planned = []
    for added in missing:
        place = (added.test.place, added.test.title)
        replaced = next((other for other in stored if (other.place, other.title) == place), None)
        if replaced is not None:
            stored.remove(replaced)
        planned.append(PlannedTest(added.path, added.test, replaced))
    return planned


def _content(test: PromptTest) -> tuple[Any, ...]:
    return test.place, test.title, test.messages, test.position


def _test_faults(planned: PlannedTest, *, places: Collection[str]) -> Iterator[SchemaFault]:
    if planned.test.place not in places:
        fault = f"There is no page, tab or subtab “{planned.test.place[:64]}”."
        yield SchemaFault(f"{planned.path}.where", "unknown_entry", fault)
        return
    for name, fault in faults_of_prompt_test(planned.test).items():
        if name or planned.replaced is None:
            yield SchemaFault(f"{planned.path}.{name}".rstrip("."), "invalid", fault)


def _places(overrides: Iterable[OverrideValue]) -> set[str]:
    """Return the names of all pages, tabs and subtabs with these overrides."""
    catalogue = with_added(default_catalogue(), list(overrides))
    return {known.name for known, _ in entries_of(catalogue) if known.kind in {"page", "tab", "subtab"}}


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
