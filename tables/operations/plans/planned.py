"""The result of planning each operation, and its JSON form."""
from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from shared.user_messages import Message, declare, message_fields
from tables.column_types import ColumnSpec
from tables.exceptions import Conflict, Fault, Invalid
from tables.operations.body_reader import Form

Json = dict[str, Any]
MAX_FAULTS = 1_000
CANNOT_BE_APPLIED = declare("cannot_be_applied", "Some of this cannot be applied; nothing was changed.")
CHANGED_SINCE = declare("changed_since", "The table has changed since this was proposed; nothing was applied.")
NOTHING_LEFT = declare("nothing_left", "All selected changes are in conflict; nothing was changed.")


@dataclass(slots=True)
class Planned:
    """One operation as it would be applied now.

    state: ok, warning, conflict or error. `skipped` is the reason for which it is not applied, "" if it is; `is_noop`
    if there is nothing to change. `written` is the index of the operation as written, if a condition made it into
    several; None if it is the same as `index`. `is_named_as_written`: paths and messages have that index. `examples`
    are values as they are shown before and after a change of the format. `edited` has the paths of the user's edits, by
    the name of the column or of the field of a column.
    """

    index: int
    action: str
    state: str = "ok"
    written: int | None = None
    row_id: int | None = None
    column_id: str | None = None
    column: ColumnSpec | None = None
    old: Json = field(default_factory=dict)
    new: Json = field(default_factory=dict)
    notes: list[Json] = field(default_factory=list)
    losses: Json | None = None
    examples: list[Json] = field(default_factory=list)
    reason: str = ""
    skipped: str = ""
    is_noop: bool = False
    is_named_as_written: bool = False
    faults: list[Fault] = field(default_factory=list)
    edited: Mapping[str, str] | None = None

    def note(self, *, code: str, message: Message, column: str | None = None, value: Any = None) -> None:
        """Add a note for the user; it makes an `ok` a `warning` unless it is only informative."""
        note: Json = {"code": code, **message_fields(message)}
        note |= {"column": column} if column else {}
        self.notes.append(note | ({"value": value} if value is not None else {}))

    def warn(self, *, code: str, message: Message, column: str | None = None, value: Any = None) -> None:
        """Add a note and set the state to warning."""
        self.note(code=code, message=message, column=column, value=value)
        if self.state == "ok":
            self.state = "warning"

    def fail(
        self, *, code: str, message: Message, path: str = "", column: str | None = None, value: Any = None
    ) -> None:
        """Add a note and set the state to error."""
        self.state = "error"
        self._fault(code, message, path=path, column=column, value=value)

    def conflict(
        self, *, code: str, message: Message, path: str = "", column: str | None = None, value: Any = None
    ) -> None:
        """Add a note and set the state to conflict, because the table has changed since."""
        if self.state != "error":
            self.state = "conflict"
        self._fault(code, message, path=path, column=column, value=value)

    @property
    def number(self) -> int:
        """The index of the operation that users and clients know."""
        return self.index if self.written is None or not self.is_named_as_written else self.written

    @property
    def path(self) -> str:
        """The path of the operation."""
        return f"operations[{self.number}]"

    def path_of(self, part: str, name: str) -> str:
        """Return the path of a cell or field in `data`, `changes` or `column`, or of the edit that replaces it."""
        edited = self.edited.get(name) if self.edited else None
        return edited or f"{self.path}.{part}.{name}"

    def mark_noop(self, message: Message) -> None:
        """Mark the operation as one without effect."""
        self.is_noop = True
        self.note(code="nothing_to_do", message=message)

    def _fault(self, code: str, message: Message, *, path: str, column: str | None, value: Any) -> None:
        self.note(code=code, message=message, column=column, value=value)
        self.faults.append(Fault(path or self.path, code, value, message=message, row_id=self.row_id))

    @property
    def is_applied(self) -> bool:
        """Whether an apply executes the operation."""
        return not self.skipped and self.state in {"ok", "warning"}

    def as_json(self) -> Json:
        """Return the operation as JSON for a preview."""
        form: Json = {"index": self.index, "action": self.action, "state": self.state}
        if self.written is not None:
            form["written"] = self.written
        if self.row_id is not None:
            form["row_id"] = self.row_id
        if self.column_id is not None:
            form["column_id"] = self.column_id
        if self.column is not None:
            form["column"] = self.column.as_json()
        form |= {"old": self.old, "new": self.new, "notes": self.notes}
        form |= {"losses": self.losses} if self.losses is not None else {}
        form |= {"examples": self.examples} if self.examples else {}
        form |= {"skipped": self.skipped} if self.skipped else {}
        return form | ({"reason": self.reason} if self.reason else {})


def preview_json(planned: Sequence[Planned], *, columns: Iterable[ColumnSpec]) -> Json:
    """Return the preview: operations, counts by action and state, and the resulting columns."""
    counts: dict[str, int] = {"ok": 0, "warning": 0, "conflict": 0, "error": 0}
    for each in planned:
        counts[each.action] = counts.get(each.action, 0) + 1
        counts[each.state] += 1
    return {
        "operations": [each.as_json() for each in planned],
        "counts": counts,
        "columns": [column.as_json() for column in columns],
    }


def cells_by_column(planned: Iterable[Planned]) -> Json:
    """Return the number of cells of each column that row operations set."""
    counts: dict[str, int] = {}
    for each in planned:
        for column_id in each.new:
            counts[column_id] = counts.get(column_id, 0) + 1
    return counts


def refuse_unresolved(planned: Sequence[Planned], *, others: Sequence[Fault] = ()) -> None:
    """Raise Invalid for errors, with the undecided conflicts among them, or Conflict for conflicts alone.

    `others` are faults that are only raised with these.
    """
    faults = unresolved_faults(planned)
    if any(each.state == "error" for each in planned):
        raise Invalid(CANNOT_BE_APPLIED(), faults=(*faults, *others), most=MAX_FAULTS)
    if faults:
        raise Conflict(CHANGED_SINCE(), faults=faults, most=MAX_FAULTS)


def unresolved_faults(planned: Sequence[Planned]) -> tuple[Fault, ...]:
    """Return the faults of operations that prevent an apply, in their order: errors and undecided conflicts."""
    unresolved = (
        each for each in planned if each.state == "error" or (each.state == "conflict" and not each.skipped)
    )
    return _unique(fault for each in unresolved for fault in each.faults)


def add_unresolved(form: Form, planned: Sequence[Planned]) -> None:
    """Add the faults of operations that prevent an apply to a form that is refused anyway."""
    faults = unresolved_faults(planned)
    form.add_further(Invalid(CANNOT_BE_APPLIED(), faults=faults, most=MAX_FAULTS))


def _unique(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """Return the faults without repetitions: those of a condition's operation are the same for every row."""
    unique: dict[tuple[str, str, str], Fault] = {}
    for fault in faults:
        unique.setdefault((fault.path, fault.code, fault.detail), fault)
    return tuple(unique.values())


def refuse_all_skipped(planned: Sequence[Planned]) -> None:
    """Raise Conflict if every operation was skipped: the proposal would count as applied without any effect."""
    faults = _unique(fault for each in planned if each.skipped for fault in each.faults)
    if faults:
        raise Conflict(NOTHING_LEFT(), code="nothing_left", faults=faults, most=MAX_FAULTS)


def outcome(planned: Sequence[Planned], *, operations: Sequence[Json] = ()) -> tuple[list[Json], list[Json]]:
    """Return applied operations (`index`, `action`, `row_id` or `column_id`) and others (also with `reason`).

    `operations` are all of the proposal: those not chosen are included in the second list with the reason
    `not_chosen`, or `error` for a faulty one. Other reasons are `nothing_to_do` and the codes of conflicts.
    """
    applied: list[Json] = []
    skipped: list[Json] = []
    chosen = {each.index for each in planned}
    for operation in operations if len(chosen) < len(operations) else ():
        if operation["index"] not in chosen:
            # A faulty operation could not be chosen.
            why = "error" if operation.get("faults") else "not_chosen"
            undecided = {"index": operation["index"], "action": operation["action"], "reason": why}
            known = {key: operation[key] for key in ("written", "row_id", "column_id") if key in operation}
            skipped.append(undecided | known)
    for each in planned:
        entry: Json = {"index": each.index, "action": each.action}
        if each.written is not None:
            entry["written"] = each.written
        if each.row_id is not None:
            entry["row_id"] = each.row_id
        if each.column_id is not None:
            entry["column_id"] = each.column_id
        if each.is_applied and not each.is_noop:
            applied.append(entry)
        else:
            reason = "nothing_to_do" if each.is_noop else each.skipped or each.state
            skipped.append({**entry, "reason": reason})
    return applied, sorted(skipped, key=lambda undecided: int(undecided["index"]))
