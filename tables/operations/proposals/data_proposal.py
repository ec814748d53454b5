"""Resolve a proposal for rows: names to ids, conditions to rows, values to stored values."""
from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date
from typing import Any

from shared.user_messages import declare
from shared.user_messages.request_messages import FIELD_MISSING
from tables.column_types import TableShape
from tables.exceptions import Fault, Outdated, TablesError
from tables.operations.body_reader import Form, is_row_id
from tables.operations.cells import (
    NOTHING_COPIED,
    UNKNOWN_ROW,
    CellReader,
    Cells,
    CopiedCells,
    StoredRow,
    filled,
    read_cells,
)
from tables.operations.changes.delta import same
from tables.operations.queries.filters import Filter, parse_filter

Json = dict[str, Any]

MAX_OPERATIONS = 10_000
# Each condition scans the whole table.
MAX_WHERE_OPERATIONS = 200
NO_MATCH = declare("no_match", "No row matches this condition.")
NOTHING_TO_CHANGE = declare("matches_unchanged", "All matching rows already have these values.")
NO_OPERATIONS = declare("no_operations", "There must be at least one operation.")
TOO_MANY_OPERATIONS = declare("too_many_operations", "At most {most:,} operations are allowed; these are {count:,}.")
TOO_MANY_WITH_CONDITION = declare(
    "too_many_with_condition", "At most {most} operations can have a condition; {count:,} do."
)
OPERATION_NOT_AN_OBJECT = declare("operation_not_an_object", "An operation must be a JSON object.")
EMPTY_UPDATE = declare("empty_update", "An update must change at least one cell.")
EMPTY_CONDITION = declare("empty_condition", "The condition is empty; name at least one column, operator and value.")
AFTER_AND_BEFORE = declare("after_and_before", "Use after_row_id or before_row_id, not both.")
ROW_ID_AND_WHERE = declare("row_id_and_where", "Use row_id or where, not both.")
VERSION_AND_WHERE = declare("version_and_where", "A version is that of one row; use it with row_id.")
ROW_VERSION_MOVED = declare("row_version_moved", "Row {row} has version {version} now, not {known}.")
ROWS_MOVED = declare("rows_moved", "Some rows have another version now; nothing was changed.")
FIELDS = ("operations", "reasoning", "next")
OPERATION_FIELDS = {
    "add": ("action", "data", "after_row_id", "before_row_id", "reason"),
    "update": ("action", "row_id", "where", "changes", "version", "expected", "reason"),
    "delete": ("action", "row_id", "where", "version", "expected", "reason"),
}
MAX_FAULTS = 100


CELLS = {"add": "data", "update": "changes"}
# Position of a new row: directly after or before another one.
BESIDE = ("after_row_id", "before_row_id")
NUMBERED = re.compile(r"(?:operations|rows)\[([0-9]+)\]")
# For operations without cells. Shared, because there may be thousands.
NO_CELLS = Cells()


@dataclass(slots=True)
class Draft:
    """One operation as written. `rows` is the filter of a `where`, else `row_id` is the row (0: a new one).

    The `action` is "" if it is not known what the operation does to which row.
    `beside` is the field that positions a new row and its value; without it, the row is added at the end. `version`
    and the `expected` cells are those that the client knows.
    """

    action: str
    path: str
    cells: Cells = field(default_factory=lambda: NO_CELLS)
    row_id: int = 0
    where: Filter | None = None
    beside: tuple[str, int] | None = None
    version: int | None = None
    expected: Mapping[str, Any] | None = None
    reason: str = ""

    @property
    def reads_cells(self) -> bool:
        """Whether the cells of its rows are needed: not of rows that are only deleted."""
        return self.action != "delete" or self.expected is not None


def read_data_proposal(
    raw: Any,
    *,
    shape: TableShape,
    typecast: bool,
    today: date,
    written_limit: int = MAX_OPERATIONS,
    form: Form,
    copied: CopiedCells = NOTHING_COPIED,
) -> tuple[list[Draft], Json]:
    """Return the operations as written and the proposal's other fields; add what is wrong with them to `form`.

    New rows may have the values of `copied` rows, even if the formats of their columns accept them no longer.
    Values that do not fit are in the drafts, so that they are reported with the faults of the plan. Raises Malformed or
    Invalid if no operation can be planned.
    """
    fields = form.fields(raw, path="", allowed=FIELDS)
    written = form.items(fields.get("operations"), path="operations")
    if isinstance(fields.get("operations"), list) and not written:
        form.fault(path="operations", code="empty", message=NO_OPERATIONS())
    if len(written) > written_limit:
        message = TOO_MANY_OPERATIONS(most=written_limit, count=len(written))
        form.fault(path="operations", code="too_many", message=message)
        written = []
    reader = CellReader(shape, typecast=typecast, copied=copied)
    drafts = [
        _read_operation(each, path=f"operations[{index}]", shape=shape, reader=reader, today=today, form=form)
        for index, each in enumerate(written)
    ]
    conditions = sum(draft.where is not None for draft in drafts)
    if conditions > MAX_WHERE_OPERATIONS:
        message = TOO_MANY_WITH_CONDITION(most=MAX_WHERE_OPERATIONS, count=conditions)
        form.fault(path="operations", code="too_many", message=message)
    words = {name: form.text(fields.get(name), path=name) for name in ("reasoning", "next")}
    cannot_be_planned = conditions > MAX_WHERE_OPERATIONS or not any(draft.action for draft in drafts)
    for draft in drafts:
        if cannot_be_planned or not draft.action:
            _add_values(draft.cells, form=form)
    if cannot_be_planned:
        refuse_in_order(form)
    return drafts, words


def refuse_in_order(form: Form, *, others: Sequence[Fault] = ()) -> None:
    """Raise the faults of reading a proposal, if there are any, with `others` of its plan, in their order."""
    if form.faults:
        reported = {fault.path for fault in form.faults}
        faults = in_order([*form.faults, *(fault for fault in others if fault.path not in reported)])
        Form(faults, form.invalid_codes | {fault.code for fault in others}, form.more_faults).refuse()


def in_order(faults: Sequence[Fault]) -> list[Fault]:
    """Return faults in the order of their operations or rows; those of the whole request are first."""

    def number(fault: Fault) -> int:
        found = NUMBERED.match(fault.path)
        return int(found[1]) if found else -1

    return sorted(faults, key=number)


def _read_operation(
    raw: Any, *, path: str, shape: TableShape, reader: CellReader, today: date, form: Form
) -> Draft:
    action = raw.get("action") if isinstance(raw, dict) else None
    if not isinstance(raw, dict) or not isinstance(action, str) or action not in OPERATION_FIELDS:
        if not isinstance(raw, dict):
            form.fault(path=path, code="not_an_object", message=OPERATION_NOT_AN_OBJECT(), value=raw)
        else:
            form.one_of(action, path=f"{path}.action", allowed=tuple(OPERATION_FIELDS))
        return Draft(action="", path=path)
    fields = form.fields(raw, path=path, allowed=OPERATION_FIELDS[action])
    draft = Draft(action=action, path=path)
    if "reason" in fields:
        draft.reason = form.text(fields["reason"], path=f"{path}.reason", max_length=2_000)
    cells = CELLS.get(action)
    if cells is not None:
        where = f"{path}.{cells}"
        if cells in fields:
            draft.cells = reader.read(fields[cells], path=where, form=form)
        else:
            form.fault(path=where, code="missing", message=FIELD_MISSING(name=cells))
        if action == "update" and fields.get(cells) == {}:
            form.fault(path=where, code="empty", message=EMPTY_UPDATE())
    if action == "add":
        draft.beside = _read_beside(fields, path=path, form=form)
        is_known = isinstance(fields.get("data"), dict)
    else:
        _read_target(fields, draft=draft, shape=shape, today=today, form=form)
        _read_known(fields, draft=draft, shape=shape, form=form)
        is_known = bool(draft.row_id or draft.where)
    if not is_known:
        draft.action = ""
    return draft


def _read_beside(fields: Json, *, path: str, form: Form) -> tuple[str, int] | None:
    if fields.keys().isdisjoint(BESIDE):
        return None
    given = [name for name in BESIDE if fields.get(name) is not None]
    if len(given) > 1:
        form.fault(path=f"{path}.before_row_id", code="after_and_before", message=AFTER_AND_BEFORE())
    for name in given:
        row_id = form.row_id(fields[name], path=f"{path}.{name}")
        return (name, row_id) if row_id else None
    return None


def _read_target(fields: Json, *, draft: Draft, shape: TableShape, today: date, form: Form) -> None:
    path, row_id = draft.path, fields.get("row_id")
    if "where" not in fields:
        draft.row_id = row_id if is_row_id(row_id) else form.row_id(row_id, path=f"{path}.row_id")
        return
    if row_id is not None:
        form.fault(path=f"{path}.where", code="row_id_and_where", message=ROW_ID_AND_WHERE())
    try:
        found = parse_filter(fields["where"], shape=shape, today=today, path=f"{path}.where")
    except TablesError as error:
        form.add_error(error)
        return
    if found.clauses:
        draft.where = found
    else:
        form.fault(path=f"{path}.where", code="empty_where", message=EMPTY_CONDITION())


def _read_known(fields: Json, *, draft: Draft, shape: TableShape, form: Form) -> None:
    """Read the version and the cells that the client knows."""
    path = draft.path
    if fields.get("version") is not None:
        draft.version = form.version(fields["version"], path=f"{path}.version")
        if "where" in fields:
            form.fault(path=f"{path}.version", code="version_and_where", message=VERSION_AND_WHERE())
    if fields.get("expected") not in (None, {}):
        raw = fields["expected"]
        read = read_cells(raw, shape=shape, path=f"{path}.expected", typecast=True, form=form, are_known=True)
        _add_values(read, form=form)
        draft.expected = read.values


def _add_values(cells: Cells, *, form: Form) -> None:
    """Add the faults of values that do not fit."""
    for fault in cells.faults:
        form.invalid_codes.add(fault["code"])
        form.faults.append(Fault.from_json(fault))


def refuse_moved_rows(drafts: Sequence[Draft], *, rows: Mapping[int, StoredRow]) -> None:
    """Raise Outdated if rows have other versions than the client knows. Rows that do not exist are not compared."""
    known = [(draft, rows[draft.row_id]) for draft in drafts if draft.version is not None and draft.row_id in rows]
    refuse_versions(
        [(f"{draft.path}.version", row.id, row.version, draft.version or 0) for draft, row in known]
    )


def refuse_versions(versions: Iterable[tuple[str, int, int, int]]) -> None:
    """Raise Outdated if one of these rows (path, id, version, known version) has another version."""
    faults: list[Fault] = []
    last = 0
    for path, row_id, version, known in versions:
        if version != known:
            message = ROW_VERSION_MOVED(row=row_id, version=version, known=known)
            faults.append(Fault(path, "version_moved", value=row_id, message=message))
            last = version
    if faults:
        extra = {"version": last} if len(faults) == 1 else {}
        message = faults[0].message if len(faults) == 1 else ROWS_MOVED()
        raise Outdated(message, faults=faults, most=MAX_FAULTS, extra=extra)


def complete_data_proposal(
    drafts: Sequence[Draft],
    *,
    words: Json,
    table_id: int,
    rows: Mapping[int, StoredRow],
    matches: Mapping[int, Sequence[StoredRow]],
) -> Json:
    """Return the stored form without hash. Drafts without an action are left out.

    `rows` are those named by id, `matches[i]` are the rows that match the condition of draft i.
    """
    operations: list[Json] = []
    warnings: list[Json] = []
    # For each operation, the index of its draft: a condition makes one draft into many operations, or none.
    written: list[int] = []
    for number, draft in enumerate(drafts):
        if not draft.action:
            continue
        if draft.where is None:
            operations.append(_stored(draft, row=rows.get(draft.row_id)))
            written.append(number)
            continue
        found = [row for row in matches[number] if not _is_noop(draft, row=row)]
        operations += [_stored(draft, row=row) for row in found]
        written += [number] * len(found)
        if not found:
            code, template = ("nothing_to_change", NOTHING_TO_CHANGE) if matches[number] else ("no_match", NO_MATCH)
            warnings.append(Fault(path=f"{draft.path}.where", code=code, message=template()).as_json())
    for index, operation in enumerate(operations):
        operation["index"] = index
        if written[index] != index:
            operation["written"] = written[index]
    return {"kind": "data", "table_id": table_id, "operations": operations, "warnings": warnings, **words}


def _is_noop(draft: Draft, *, row: StoredRow) -> bool:
    """Return whether a row that a condition matched already has the proposed values."""
    if draft.action != "update" or draft.cells.faults or draft.expected is not None:
        return False
    return all(same(row.data.get(key), value) for key, value in draft.cells.values.items())


def _stored(draft: Draft, *, row: StoredRow | None) -> Json:
    operation: Json = {"index": 0, "action": draft.action}
    if draft.action == "delete" and row is not None:
        operation["row_id"], operation["before"], operation["row_version"] = row.id, dict(row.data), row.version
        if draft.expected is not None:
            operation["expected"] = dict(draft.expected)
        if draft.reason:
            operation["reason"] = draft.reason
        return operation
    faults = draft.cells.faults
    if draft.action == "add":
        operation["data"] = filled(draft.cells.values)
        if draft.beside:
            name, row_id = draft.beside
            operation[name] = row_id
        if len(operation["data"]) < len(draft.cells.values):
            operation["left_empty"] = [key for key, value in draft.cells.values.items() if value is None]
    else:
        operation["row_id"] = row.id if row else draft.row_id
        if draft.action == "update":
            operation["changes"] = dict(draft.cells.values)
        if row is None:
            message = UNKNOWN_ROW(id=draft.row_id)
            faults = [*faults, Fault(path=f"{draft.path}.row_id", code="unknown_row", message=message).as_json()]
            operation["before"] = {}
            operation["row_version"] = 0
        else:
            operation["before"] = {key: row.data.get(key) for key in draft.cells.values}
            operation["row_version"] = row.version
            if draft.expected is not None:
                operation["before"] |= draft.expected
                # If two users increment 5, both write 6; the second must get a conflict although the value is the same.
                operation["exact"] = True
    if draft.reason:
        operation["reason"] = draft.reason
    if draft.cells.casts:
        operation["casts"] = draft.cells.casts
    if faults:
        operation["faults"] = faults
    return operation
