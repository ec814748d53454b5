"""Carry the review of a proposal over to the operations of its replacement that are the same."""
from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from shared import strictjson
from tables.column_types import name_key
from tables.operations.changes.delta import restore_numbers, same

Json = dict[str, Any]
Target = tuple[Any, ...]

MAX_EXAMPLES = 5
# Building an index takes as long as reading all new rows. Rows of one proposal have few different sets of columns.
MAX_INDEXES = 20
# A row to add has no target: it is found by its content.
NEW_ROW: Target = ("new row",)
ADDED = {"add"}


@dataclass(frozen=True)
class _Operation:
    """`target`: the action and the row or column; `content`: the proposed cells or column fields."""

    index: int
    action: str
    target: Target
    content: Json
    row_id: int | None = None

    def is_extended_by(self, other: _Operation) -> bool:
        """Return whether the other proposes all of this content, and maybe more."""
        return all(key in other.content and same(value, other.content[key]) for key, value in self.content.items())


@dataclass
class _LostDecisions:
    """Number of decisions that could not be carried over, with examples of edits."""

    edits: int = 0
    unchecked: int = 0
    examples: list[Json] = field(default_factory=list)

    def add_edits(self, operation: _Operation, cells: Json) -> None:
        self.edits += len(cells)
        if cells and len(self.examples) < MAX_EXAMPLES:
            row = {} if operation.row_id is None else {"row_id": operation.row_id}
            self.examples.append({"action": operation.action, **row, "cells": cells})

    def as_json(self) -> Json:
        if not self.edits and not self.unchecked:
            return {}
        return {"edits": self.edits, "unchecked": self.unchecked, "examples": self.examples}


def carry_over(old: Json, *, review: Json, new: Json) -> tuple[Json, Json]:
    """Return the review of the new proposal, and what could not be carried over from that of the old one.

    An operation is the same if it has the same action and target and proposes at least the same content. A row to add
    is found by its content. An edit is carried over cell by cell, where the old and the new proposal propose the same
    value; edits that the new proposal contains already are not counted as lost. Checked conflicts are not carried
    over, because the new proposal was compared with the current values. The second value is `{"edits", "unchecked",
    "examples"}`, empty if nothing is lost.
    """
    lost = _LostDecisions()
    before = _operations(restore_numbers(old))
    after = _operations(new) if old["kind"] == new.get("kind") else []
    edits = {int(index): cells for index, cells in review.get("edits", {}).items()}
    unchecked = [int(index) for index in review.get("unchecked", {})]
    counterparts = _Counterparts(before, after, reviewed=sorted({*edits, *unchecked}), edits=edits)
    carried: Json = {"unchecked": {}, "edits": {}}
    for index in sorted(unchecked):
        found = counterparts.same_as(before[index])
        if found is not None:
            carried["unchecked"][str(found.index)] = True
        elif counterparts.is_replaced(before[index]):
            lost.unchecked += 1
    for index in sorted(edits):
        _carry_edit(before[index], edit=edits[index], counterparts=counterparts, carried=carried["edits"], lost=lost)
    carried |= _settings(old, review=review, new=new, lost=lost)
    return {name: value for name, value in carried.items() if value != {}}, lost.as_json()


def _carry_edit(
    operation: _Operation, *, edit: Json, counterparts: _Counterparts, carried: Json, lost: _LostDecisions
) -> None:
    left: Json = {}
    candidates = counterparts.of(operation)
    for name, value in edit.items():
        proposing = [each for each in candidates if name in each.content or operation.action in ADDED]
        if any(name in each.content and same(each.content[name], value) for each in proposing):
            continue
        matching = [each for each in proposing if same(each.content.get(name), operation.content.get(name))]
        if matching:
            carried.setdefault(str(matching[0].index), {})[name] = value
        else:
            left[name] = value
    lost.add_edits(operation, left)


def _settings(old: Json, *, review: Json, new: Json, lost: _LostDecisions) -> Json:
    settings: Json = {}
    name = review.get("table_name")
    if name is not None and name != new.get("table_name"):
        if old.get("table_name") == new.get("table_name"):
            settings["table_name"] = name
        else:
            lost.edits += 1
            lost.examples.append({"action": "name", "cells": {"name": name}})
    if review.get("include_sample_rows") is False and new.get("sample_rows"):
        settings["include_sample_rows"] = False
    if review.get("skip_next") and old.get("next") == new.get("next"):
        settings["skip_next"] = True
    return settings


class _Counterparts:
    """Finds the operations of the new proposal that those of the old one correspond to."""

    def __init__(
        self, before: list[_Operation], after: list[_Operation], *, reviewed: Iterable[int], edits: Mapping[int, Json]
    ) -> None:
        self.by_target: dict[Target, list[_Operation]] = defaultdict(list)
        for operation in after:
            self.by_target[operation.target].append(operation)
        new_rows = self.by_target.pop(NEW_ROW, [])
        self.rows = _matched_rows(
            [each for each in before if each.target == NEW_ROW], new_rows, reviewed=reviewed, edits=edits
        )
        self.has_other_rows = len(new_rows) > len(self.rows)
        self.edits = edits

    def of(self, operation: _Operation) -> list[_Operation]:
        """Return those with the same target."""
        if operation.target == NEW_ROW:
            return [self.rows[operation.index]] if operation.index in self.rows else []
        found = self.by_target.get(operation.target, [])
        renamed = self.edits.get(operation.index, {}).get("name")
        if not found and operation.action in ADDED and isinstance(renamed, str):
            # The assistant may have adopted the edited name of the column.
            return self.by_target.get(("add", name_key(renamed)), [])
        return found

    def same_as(self, operation: _Operation) -> _Operation | None:
        """Return the one that proposes at least the same for the same target."""
        if operation.target == NEW_ROW:
            return self.rows.get(operation.index)
        return next((each for each in self.of(operation) if operation.is_extended_by(each)), None)

    def is_replaced(self, operation: _Operation) -> bool:
        """Return whether the new proposal has a different operation in its place, which starts checked."""
        return self.has_other_rows if operation.target == NEW_ROW else bool(self.of(operation))


def _matched_rows(
    before: list[_Operation], after: list[_Operation], *, reviewed: Iterable[int], edits: Mapping[int, Json]
) -> dict[int, _Operation]:
    """Return rows to add by the index of the old operation: equal ones in order, then extended ones."""
    waiting: dict[str, deque[_Operation]] = defaultdict(deque)
    for operation in after:
        waiting[strictjson.canonical_dumps(operation.content)].append(operation)
    matched: dict[int, _Operation] = {}
    for operation in before:
        equal = waiting.get(strictjson.canonical_dumps(operation.content))
        if equal:
            matched[operation.index] = equal.popleft()
    rows = {each.index: each for each in before}
    extended = _ExtendedRows([each for left in waiting.values() for each in left])
    for index in reviewed:
        if index in rows and index not in matched:
            edit = edits.get(index, {})
            content = rows[index].content
            found = extended.take(content) or (extended.take({**content, **edit}) if edit else None)
            if found is not None:
                matched[index] = found
    return matched


class _ExtendedRows:
    """Finds rows to add that have at least certain cells, each once; rows are indexed by the columns of those cells."""

    def __init__(self, rows: list[_Operation]) -> None:
        self.rows = sorted(rows, key=lambda row: row.index)
        self.taken: set[int] = set()
        self.indexes: dict[frozenset[str], dict[str, deque[_Operation]]] = {}

    def take(self, cells: Json) -> _Operation | None:
        """Return the first row that has these cells and was not taken yet."""
        cells = {name: value for name, value in cells.items() if value is not None}
        columns = frozenset(cells)
        if columns not in self.indexes and cells and len(self.indexes) < MAX_INDEXES:
            self.indexes[columns] = self._index(columns)
        found = self.indexes.get(columns, {}).get(strictjson.canonical_dumps(cells), deque())
        while found:
            row = found.popleft()
            if row.index not in self.taken:
                self.taken.add(row.index)
                return row
        return None

    def _index(self, columns: frozenset[str]) -> dict[str, deque[_Operation]]:
        index: dict[str, deque[_Operation]] = defaultdict(deque)
        for row in self.rows:
            if columns <= row.content.keys():
                index[strictjson.canonical_dumps({name: row.content[name] for name in columns})].append(row)
        return index


def _operations(prepared: Json) -> list[_Operation]:
    operations = prepared["operations"]
    if prepared["kind"] == "data":
        return [_row_operation(each) for each in operations]
    # A new column gets another id in each proposal, so it is identified by its name.
    names = {each["column"]["id"]: name_key(each["column"]["name"]) for each in operations if each["action"] == "add"}
    return [_column_operation(each, names=names) for each in operations]


def _row_operation(operation: Json) -> _Operation:
    index, action = operation["index"], operation["action"]
    if action == "add":
        return _Operation(index, action, NEW_ROW, operation["data"])
    row_id = operation["row_id"]
    return _Operation(index, action, (action, row_id), operation.get("changes", {}), row_id=row_id)


def _column_operation(operation: Json, *, names: Mapping[str, str]) -> _Operation:
    def known(column_id: str | None) -> Any:
        return ("new", names[column_id]) if column_id is not None and column_id in names else column_id

    index, action = operation["index"], operation["action"]
    if action == "add":
        content = {key: value for key, value in operation["column"].items() if key != "id"}
        return _Operation(index, action, (action, name_key(content["name"])), content)
    content = dict(operation.get("changes", {}))
    if action == "reorder":
        content["after_column"] = known(operation.get("after_column_id"))
    return _Operation(index, action, (action, known(operation.get("column_id"))), content)
