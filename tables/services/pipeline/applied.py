"""What came of applying a proposal."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from tables.column_types import ColumnSpec
from tables.operations.cells import StoredRow

Json = dict[str, Any]


@dataclass(frozen=True)
class Applied:
    """What an apply did. `change` is None when everything was like that already.

    `warnings` are conditions that no row fulfils, with their paths. `columns` and `rows` are those of the table then;
    of rows only those that it dealt with.
    """

    change: int | None
    version: int
    table_id: int
    table_name: str
    applied: list[Json] = field(default_factory=list)
    skipped: list[Json] = field(default_factory=list)
    warnings: list[Json] = field(default_factory=list)
    columns: tuple[ColumnSpec, ...] = ()
    rows: Mapping[int, StoredRow] = field(default_factory=dict)

    def as_json(self) -> Json:
        """The form it has in answers and records."""
        return {
            "change": self.change,
            "version": self.version,
            "table": {"id": self.table_id, "name": self.table_name},
            "applied": self.applied,
            "skipped": self.skipped,
            **({"warnings": self.warnings} if self.warnings else {}),
        }
