"""The history of a table's content, and undo of earlier changes."""
from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from tables.operations.changes.undo_paths import cell_path
from tests.flows.stateful.content import Content, equal

Json = dict[str, Any]
# "", "overwrite", "skip", or one of the latter by the path of each cell.
Decision = str | dict[str, str]


@dataclass
class Step:
    """A change with the content before and after it.

    `backwards`: the change was an undo; its undo is a redo.
    """

    change: int
    before: Content
    after: Content
    proposal: str = ""
    backwards: bool = False


class TableModel:
    """The current content, its version, and stacks of changes to undo and redo."""

    def __init__(self, content: Content, *, version: int) -> None:
        self.now = content
        self.version = version
        self.done: list[Step] = []
        self.undone: list[Step] = []
        # Undone before another change: no longer on the redo stack, but history can still redo them.
        self.left_behind: list[Step] = []

    def draft(self) -> Content:
        """Return a copy to change and pass to `commit`."""
        return deepcopy(self.now)

    def commit(self, content: Content, *, change: int, proposal: str = "", backwards: bool = False) -> None:
        self.done.append(Step(change, before=self.now, after=content, proposal=proposal, backwards=backwards))
        self.left_behind += [step for step in self.undone if not step.backwards]
        self.undone.clear()
        self.now = content
        self.version += 1

    def undo(self) -> Step:
        step = self.done.pop()
        self.undone.append(step)
        self.now = step.before
        self.version += 1
        return step

    def redo(self) -> Step:
        step = self.undone.pop()
        self.done.append(step)
        self.now = step.after
        self.version += 1
        return step

    def in_force(self) -> list[Step]:
        """Return changes that can be undone out of order."""
        back = {step.change for step in [*self.done, *self.undone] if step.backwards}
        return [step for step in self.done if step.change not in back]


def revert(now: Content, *, current: Content, target: Content, decision: Decision) -> tuple[Content, set[str]]:
    """Return rows after reverting a step from `wanted` to `left` now, and the conflicting cells.

    Cells changed since are named by their path, with the id of the column.
    """
    after, conflicts = deepcopy(now), set()
    rows_now, was, should = dict(now.rows), dict(current.rows), dict(target.rows)
    for row_id in {*was, *should}:
        if row_id in was and row_id in should:
            if row_id in rows_now:
                conflicts |= _revert_cells(after, row_id, was=was[row_id], should=should[row_id], decision=decision)
            else:
                conflicts |= {cell_path(row_id, key) for key in _different(was[row_id], should[row_id])}
        elif row_id in should and row_id not in rows_now:
            after.add(row_id, dict(should[row_id]))
        elif row_id in was and row_id in rows_now:
            changed = _different(rows_now[row_id], was[row_id])
            conflicts |= {cell_path(row_id, key) for key in changed}
            if not any(decision_for(decision, cell_path(row_id, key)) == "skip" for key in changed):
                after.delete({row_id})
    return after, conflicts


def decision_for(decision: Decision, path: str) -> str:
    """Return the decision about one cell."""
    return decision if isinstance(decision, str) else decision.get(path, "")


def _revert_cells(after: Content, row_id: int, *, was: Json, should: Json, decision: Decision) -> set[str]:
    conflicts, cells = set(), after.cells(row_id)
    for key in _different(was, should):
        if equal(cells.get(key), should.get(key)):
            continue
        changed = not equal(cells.get(key), was.get(key))
        conflicts |= {cell_path(row_id, key)} if changed else set()
        if not changed or decision_for(decision, cell_path(row_id, key)) != "skip":
            after.change(row_id, {key: should.get(key)})
    return conflicts


def _different(one: Json, other: Json) -> set[str]:
    return {key for key in {*one, *other} if not equal(one.get(key), other.get(key))}
