"""The outcome of a proposal for columns on the current table: applied, skipped, unresolved or invalid."""
from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

from chat.models import Payload
from tests.flows.stateful.content import EMPTY, Content, fits, read

Json = dict[str, Any]


@dataclass
class Proposed:
    """A proposal for columns, the table at that time, and the user who got it."""

    operations: list[Json]
    then: Content
    by: str
    payload: Payload | None = None

    @property
    def nameable(self) -> list[int]:
        return [index for index, each in enumerate(self.operations) if each["action"] in ("add", "modify")]


@dataclass
class ExpectedOutcome:
    """The status, the chosen and skipped operations, and the table afterwards, with new columns named `new3`."""

    after: Content
    chosen: list[int]
    skipped: set[int] = field(default_factory=set)
    status: int = 200


def expected_outcome(
    proposed: Proposed,
    *,
    now: Content,
    chosen: list[int],
    edits: dict[str, Json] | None = None,
    decision: str = "",
    clear: bool = False,
) -> ExpectedOutcome:
    """Errors have priority over conflicts, and conflicts over lost values."""
    doing = _Application(proposed, now=now, decision=decision, clear=clear)
    for index, operation in enumerate(proposed.operations):
        doing.take(operation, index=index, is_chosen=index in chosen, edit=(edits or {}).get(str(index), {}))
    after = doing.finished()
    plan = ExpectedOutcome(after, chosen, skipped=doing.skipped)
    if doing.impossible or not after.names_differ():
        plan.status = 422
    elif doing.in_doubt - doing.skipped:
        plan.status = 409
    elif doing.losing:
        plan.status = 422
    elif doing.skipped and after == now:
        plan.status = 409
    return plan


class _Application:
    def __init__(self, proposed: Proposed, *, now: Content, decision: str, clear: bool) -> None:
        self.then, self.now, self.after = proposed.then, now, deepcopy(now)
        self.decision, self.clear = decision, clear
        self.order = now.column_ids()
        self.anchors: dict[str, str | None] = {}
        self.named: dict[str, str] = {}
        self.in_doubt: set[int] = set()
        self.skipped: set[int] = set()
        self.impossible = self.losing = False

    def take(self, operation: Json, *, index: int, is_chosen: bool, edit: Json) -> None:
        if operation["action"] == "add":
            self._add(operation, new=f"new{index}", is_chosen=is_chosen, edit=edit)
            return
        key = self.named.get(operation["column_id"], operation["column_id"])
        if not is_chosen:
            return
        if key not in self.after.column_ids():
            self.impossible |= key in self.order and key not in self.now.column_ids()
            self._skip_missing(index)
        elif operation["action"] == "modify":
            self._modify(key, changes=operation["changes"], edit=edit, index=index)
        elif operation["action"] == "remove":
            same_type = key in self.named.values() or self.then.column(key)["type"] == self.now.column(key)["type"]
            if same_type or self._is_overwritten(index):
                self.after.remove_column(key)
        else:
            after_column = operation["after_column_id"]
            if after_column is not None and after_column not in self.order:
                self._skip_missing(index)
            else:
                self.order.remove(key)
                self.anchors.pop(key, None)
                self.order.insert(0 if after_column is None else self.order.index(after_column) + 1, key)

    def finished(self) -> Content:
        columns = {column["id"]: {**column, "name": column["name"].strip()} for column in self.after.columns}
        self.after.columns = [columns[key] for key in self.order if key in columns]
        return self.after

    def _add(self, operation: Json, *, new: str, is_chosen: bool, edit: Json) -> None:
        anchor = self.anchors[new] = operation["after_column_id"]
        self.named[operation["column"]["name"]] = new
        at = self.order.index(anchor) + 1 if anchor in self.order else len(self.order)
        while anchor is not None and at < len(self.order) and self.anchors.get(self.order[at]) == anchor:
            at += 1
        self.order.insert(at, new)
        if is_chosen:
            self.after.columns.append({**operation["column"], **edit, "id": new})

    def _modify(self, key: str, *, changes: Json, edit: Json, index: int) -> None:
        meant = {**changes, **edit}
        if key in self.now.column_ids():
            was, column_now = self.then.column(key), self.now.column(key)
            for name in changes:
                new_value = meant[name].strip() if name == "name" else meant[name]
                if column_now[name] not in (was[name], new_value) and not self._is_overwritten(index):
                    return
        column = self.after.column(key)
        column.update({name: value for name, value in meant.items() if name in ("name", "required")})
        if "default" in meant:
            value = meant["default"]
            column["default"] = None if value in EMPTY else read(value, column=column)
            self.impossible |= value not in EMPTY and (column["default"] is None or not fits(column["default"], column))
        if meant.get("type", column["type"]) != column["type"]:
            done = self.after.retype(key, kind=meant["type"], options=None, clear=self.clear)
            self.impossible |= not done and meant["type"] == "select"
            self.losing |= not done and meant["type"] != "select"

    def _skip_missing(self, index: int) -> None:
        """Skip an operation whose column no longer exists."""
        self.in_doubt.add(index)
        self.skipped |= {index} if self.decision else set()

    def _is_overwritten(self, index: int) -> bool:
        """Return whether the operation is applied although its column has changed since."""
        if self.decision == "overwrite":
            return True
        self.in_doubt.add(index)
        self.skipped |= {index} if self.decision else set()
        return False
