"""What a change of columns comes to: how they would stand, and what that does to their definitions."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from tables.column_types import ColumnSpec
from tables.operations.columns import definition, difference
from tables.operations.delta import Delta
from tables.operations.planned import Planned
from user_messages import declare

Json = dict[str, Any]
DEFAULT_CLEARED = declare("default_cleared", "The default does not fit the new type and is cleared.")


@dataclass
class SchemaPlan:
    """`before` and `after` are the columns in order. `culprits` says which operation touched a column last.

    `open_options` are columns that become select columns with the values they hold as options. `copies` are new columns
    that begin with the values of another one, which is there before.
    """

    planned: list[Planned]
    before: tuple[ColumnSpec, ...]
    after: tuple[ColumnSpec, ...]
    table: Json | None
    culprits: dict[str, Planned] = field(default_factory=dict)
    open_options: set[str] = field(default_factory=set)
    copies: dict[str, str] = field(default_factory=dict)

    def delta(self) -> Delta:
        """What happens to the definitions (the rows come from conversion)."""
        was = {column.id: column for column in self.before}
        now = {column.id: column for column in self.after}
        delta = Delta(table=self.table)
        for key in [*was, *(key for key in now if key not in was)]:
            if key not in now:
                delta.columns.append([key, definition(was[key]), None])
            elif key not in was:
                delta.columns.append([key, None, definition(now[key])])
            else:
                old, new = difference(was[key], now[key])
                if old:
                    delta.columns.append([key, old, new])
        if list(was) != list(now):
            delta.order = {"was": list(was), "now": list(now)}
        return delta

    def replace_column(self, column: ColumnSpec) -> None:
        """Takes the definition that the values of the rows led to."""
        self.after = tuple(column if each.id == column.id else each for each in self.after)
        self.culprits[column.id].column = column
