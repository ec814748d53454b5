"""What became of each operation when it was planned, and the forms in which people and programs read it."""
from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from typing import Any

from tables.column_types import ColumnSpec
from tables.exceptions import Conflict, Fault, Invalid
from user_messages import Message, declare, message_fields

Json = dict[str, Any]
MOST_FAULTS = 1_000
CANNOT_BE_APPLIED = declare("cannot_be_applied", "Some operations cannot be applied; nothing was changed.")
CHANGED_SINCE = declare("changed_since", "The table has changed since this was proposed; nothing was changed.")
NOTHING_LEFT = declare("nothing_left", "Without what is in conflict nothing is left to apply; nothing was changed.")


@dataclass(slots=True)
class Planned:
    """One operation as it would be carried out now.

    state: ok, warning, conflict or error. `skipped` is the reason why it is left out, "" when it is carried out;
    `idle` ones are in order, but everything is like that already. `written` is the place of the operation that its
    writer knows it by, where a condition made several of one; None where that is the index.
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
    reason: str = ""
    skipped: str = ""
    idle: bool = False
    faults: list[Fault] = field(default_factory=list)

    def note(self, *, code: str, message: Message, column: str | None = None, value: Any = None) -> None:
        """A remark for the person; makes an `ok` a `warning` unless it is only for information."""
        note: Json = {"code": code, **message_fields(message)}
        note |= {"column": column} if column else {}
        self.notes.append(note | ({"value": value} if value is not None else {}))

    def warn(self, *, code: str, message: Message, column: str | None = None, value: Any = None) -> None:
        """A remark that makes it a warning."""
        self.note(code=code, message=message, column=column, value=value)
        if self.state == "ok":
            self.state = "warning"

    def fail(
        self, *, code: str, message: Message, path: str = "", column: str | None = None, value: Any = None
    ) -> None:
        """It cannot be carried out as it is."""
        self.state = "error"
        self._fault(code, message, path=path, column=column, value=value)

    def conflict(
        self, *, code: str, message: Message, path: str = "", column: str | None = None, value: Any = None
    ) -> None:
        """What it builds on has changed since."""
        if self.state != "error":
            self.state = "conflict"
        self._fault(code, message, path=path, column=column, value=value)

    @property
    def number(self) -> int:
        """The operation's number in what people and programs look at."""
        return self.index if self.written is None else self.written

    @property
    def place(self) -> str:
        """The path to the operation."""
        return f"operations[{self.number}]"

    def leave_idle(self, message: Message) -> None:
        """There is nothing to be done for it."""
        self.idle = True
        self.note(code="nothing_to_do", message=message)

    def _fault(self, code: str, message: Message, *, path: str, column: str | None, value: Any) -> None:
        self.note(code=code, message=message, column=column, value=value)
        self.faults.append(Fault(path=path or self.place, code=code, message=message, value=value))

    @property
    def carried_out(self) -> bool:
        """Whether applying does it."""
        return not self.skipped and self.state in {"ok", "warning"}

    def as_json(self) -> Json:
        """Its form in a preview."""
        form: Json = {"index": self.index, "action": self.action, "state": self.state}
        if self.row_id is not None:
            form["row_id"] = self.row_id
        if self.column_id is not None:
            form["column_id"] = self.column_id
        if self.column is not None:
            form["column"] = self.column.as_json()
        form |= {"old": self.old, "new": self.new, "notes": self.notes}
        form |= {"losses": self.losses} if self.losses is not None else {}
        form |= {"skipped": self.skipped} if self.skipped else {}
        return form | ({"reason": self.reason} if self.reason else {})


def preview_json(planned: Sequence[Planned], *, columns: Iterable[ColumnSpec]) -> Json:
    """The whole preview: operations, counts by action and state, and the columns as they would be."""
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
    """How many cells of each column row operations set."""
    counts: dict[str, int] = {}
    for each in planned:
        for column_id in each.new:
            counts[column_id] = counts.get(column_id, 0) + 1
    return counts


def refuse_unless_clear(planned: Sequence[Planned]) -> None:
    """Raises Invalid for errors, Conflict for conflicts nobody decided about."""
    errors = _each_once(fault for each in planned if each.state == "error" for fault in each.faults)
    if errors:
        raise Invalid(CANNOT_BE_APPLIED(), faults=errors)
    left = (each for each in planned if each.state == "conflict" and not each.skipped)
    conflicts = _each_once(fault for each in left for fault in each.faults)
    if conflicts:
        raise Conflict(CHANGED_SINCE(), faults=conflicts)


def _each_once(faults: Iterable[Fault]) -> tuple[Fault, ...]:
    """What a condition's operation lacks in every row it matches is told once."""
    told: dict[tuple[str, str, str], Fault] = {}
    for fault in faults:
        told.setdefault((fault.path, fault.code, fault.detail), fault)
        if len(told) == MOST_FAULTS:
            break
    return tuple(told.values())


def refuse_nothing_left(planned: Sequence[Planned]) -> None:
    """Raises Conflict when everything was left out for a conflict: an apply of nothing would use up the proposal."""
    faults = _each_once(fault for each in planned if each.skipped for fault in each.faults)
    if faults:
        raise Conflict(NOTHING_LEFT(), code="nothing_left", faults=faults)


def outcome(planned: Sequence[Planned], *, operations: Sequence[Json] = ()) -> tuple[list[Json], list[Json]]:
    """What was applied (`index`, `action`, `row_id` or `column_id`) and what was not (the same and `reason`).

    `operations` are all there were to choose from: those that were not chosen are told, too (`not_chosen`, or `error`
    for a faulty one). Other reasons are `nothing_to_do` and the codes of conflicts.
    """
    applied: list[Json] = []
    skipped: list[Json] = []
    chosen = {each.index for each in planned}
    for operation in operations if len(chosen) < len(operations) else ():
        if operation["index"] not in chosen:
            # Nobody could have chosen it as it stood.
            why = "error" if operation.get("faults") else "not_chosen"
            left = {"index": operation["index"], "action": operation["action"], "reason": why}
            skipped.append(left | {key: operation[key] for key in ("row_id", "column_id") if key in operation})
    for each in planned:
        entry: Json = {"index": each.index, "action": each.action}
        if each.row_id is not None:
            entry["row_id"] = each.row_id
        if each.column_id is not None:
            entry["column_id"] = each.column_id
        if each.carried_out and not each.idle:
            applied.append(entry)
        else:
            reason = "nothing_to_do" if each.idle else each.skipped or each.state
            skipped.append({**entry, "reason": reason})
    return applied, sorted(skipped, key=lambda left: int(left["index"]))
