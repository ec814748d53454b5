"""A table's content through its changes, and what becomes of it when one is taken back in the middle."""
from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass
from typing import Any

from tests.flows.stateful.content import Content, same

Json = dict[str, Any]
# "", "overwrite", "keep", or one of these for each `"<row>:<column>"`.
Decision = str | dict[str, str]


@dataclass
class Step:
    """Something that was done, with what was before and after it.

    `backwards`: what was done was to take the change back; to take that back is to do the change again.
    """

    change: int
    before: Content
    after: Content
    proposal: str = ""
    backwards: bool = False


class TableModel:
    """A table's content now, its version, and the steps that can be taken back and done again, last in, first out."""

    def __init__(self, content: Content, *, version: int) -> None:
        self.now = content
        self.version = version
        self.done: list[Step] = []
        self.undone: list[Step] = []
        # Undone, and then something else was done: nobody's last step any more, but history can still do them again.
        self.left_behind: list[Step] = []

    def draft(self) -> Content:
        """A copy to change; `commit` makes it what is."""
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
        """Steps whose change can be taken back out of turn."""
        back = {step.change for step in [*self.done, *self.undone] if step.backwards}
        return [step for step in self.done if step.change not in back]


def taken_back(now: Content, *, left: Content, wanted: Content, decision: Decision) -> tuple[Content, set[str]]:
    """Rows as they become when a step from `wanted` to `left` is taken back now; and what stands in its way.

    What changed since is named `"<row>:<column>"`.
    """
    after, in_the_way = deepcopy(now), set()
    there, was, should = dict(now.rows), dict(left.rows), dict(wanted.rows)
    for row_id in {*was, *should}:
        if row_id in was and row_id in should:
            if row_id in there:
                in_the_way |= _cells_back(after, row_id, was=was[row_id], should=should[row_id], decision=decision)
            else:
                in_the_way |= {f"{row_id}:{key}" for key in _different(was[row_id], should[row_id])}
        elif row_id in should and row_id not in there:
            after.add(row_id, dict(should[row_id]))
        elif row_id in was and row_id in there:
            changed = _different(there[row_id], was[row_id])
            in_the_way |= {f"{row_id}:{key}" for key in changed}
            if not any(said(decision, f"{row_id}:{key}") == "keep" for key in changed):
                after.delete({row_id})
    return after, in_the_way


def said(decision: Decision, path: str) -> str:
    """The decision about one cell."""
    return decision if isinstance(decision, str) else decision.get(path, "")


def _cells_back(after: Content, row_id: int, *, was: Json, should: Json, decision: Decision) -> set[str]:
    in_the_way, cells = set(), after.cells(row_id)
    for key in _different(was, should):
        if same(cells.get(key), should.get(key)):
            continue
        changed = not same(cells.get(key), was.get(key))
        in_the_way |= {f"{row_id}:{key}"} if changed else set()
        if not changed or said(decision, f"{row_id}:{key}") != "keep":
            after.change(row_id, {key: should.get(key)})
    return in_the_way


def _different(one: Json, other: Json) -> set[str]:
    return {key for key in {*one, *other} if not same(one.get(key), other.get(key))}
