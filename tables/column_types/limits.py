"""How much a table may hold: set once at the start, from settings, and never beyond what the house is built for."""
from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass
class Limits:
    """Columns and rows of a table, options of a column, bytes of a cell."""

    columns: int = 500
    rows: int = 1_000_000
    options: int = 1_000
    cell_bytes: int = 65_536


HARD = Limits()
LIMITS = Limits()


def set_limits(**wanted: int) -> None:
    """Sets those that are named, by the names of `Limits`; more than the hard cap is taken as the cap."""
    for field in fields(Limits):
        if field.name in wanted:
            setattr(LIMITS, field.name, max(1, min(wanted[field.name], getattr(HARD, field.name))))
