"""What came of applying a proposal."""
from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

Json = dict[str, Any]


@dataclass(frozen=True)
class Applied:
    """What an apply did."""

    change: int
    version: int
    table_id: int
    table_name: str
    applied: list[Json] = field(default_factory=list)
    skipped: list[Json] = field(default_factory=list)

    def as_json(self) -> Json:
        """The form it has in answers and records."""
        return {
            "change": self.change,
            "version": self.version,
            "table": {"id": self.table_id, "name": self.table_name},
            "applied": self.applied,
            "skipped": self.skipped,
        }
