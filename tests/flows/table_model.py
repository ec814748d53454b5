"""What a table must hold, in plain Python: the rules once more, without a database; the real one is run beside it."""
from __future__ import annotations

from copy import deepcopy
from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]
OPTIONS = ("Open", "Done")
FITS = {
    "text": lambda value: isinstance(value, str),
    "number": lambda value: isinstance(value, int | float) and not isinstance(value, bool),
    "boolean": lambda value: isinstance(value, bool),
    "select": lambda value: value in OPTIONS,
}
EMPTY = (None, "")


@dataclass
class Content:
    """What undo must give back: columns `{"id", "name", "type", "required"}` and rows `[id, cells]`, in order."""

    columns: list[Json] = field(default_factory=list)
    rows: list[tuple[int, Json]] = field(default_factory=list)

    def column(self, column_id: str) -> Json:
        return next(column for column in self.columns if column["id"] == column_id)

    def cells_fit(self, cells: Json) -> bool:
        """Whether these values, by column id, are of their columns' types; empty fits any."""
        return all(value in EMPTY or FITS[self.column(key)["type"]](value) for key, value in cells.items())

    def may_add(self, cells: Json) -> bool:
        needed = [column["id"] for column in self.columns if column["required"]]
        return self.cells_fit(cells) and all(cells.get(key) not in EMPTY for key in needed)

    def may_change(self, row_id: int, cells: Json) -> bool:
        """Whether they fit, and none that must have a value loses it."""
        now = self.cells(row_id)
        emptied = [key for key, value in cells.items() if value in EMPTY and key in now]
        return self.cells_fit(cells) and not any(self.column(key)["required"] for key in emptied)

    def cells(self, row_id: int) -> Json:
        return next(cells for key, cells in self.rows if key == row_id)

    def add(self, row_id: int, cells: Json) -> None:
        self.rows.append((row_id, {key: value for key, value in cells.items() if value not in EMPTY}))

    def change(self, row_id: int, cells: Json) -> None:
        now = self.cells(row_id)
        now.update(cells)
        for key in [key for key, value in now.items() if value in EMPTY]:
            del now[key]

    def delete(self, row_ids: set[int]) -> None:
        self.rows = [(key, cells) for key, cells in self.rows if key not in row_ids]

    def remove_column(self, column_id: str) -> None:
        self.columns = [column for column in self.columns if column["id"] != column_id]
        for _, cells in self.rows:
            cells.pop(column_id, None)

    def name_is_free(self, name: str, *, for_column: str = "") -> bool:
        others = [column["name"].casefold() for column in self.columns if column["id"] != for_column]
        return name.casefold() not in others


@dataclass
class Step:
    """A change, with what was before it and after it."""

    change: int
    before: Content
    after: Content
    proposal: str = ""


class TableModel:
    """A table's content now, its version, and the changes that can be taken back and done again."""

    def __init__(self, content: Content, *, version: int) -> None:
        self.now = content
        self.version = version
        self.done: list[Step] = []
        self.undone: list[Step] = []

    def draft(self) -> Content:
        """A copy to change; `commit` makes it what is."""
        return deepcopy(self.now)

    def commit(self, content: Content, *, change: int, proposal: str = "") -> None:
        self.done.append(Step(change, before=self.now, after=content, proposal=proposal))
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
