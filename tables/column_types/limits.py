"""Size limits of tables, set once at startup from the settings, within hard caps."""
from __future__ import annotations

from dataclasses import dataclass, fields


@dataclass
class Limits:
    """Columns and rows of a table, options of a column, bytes of a cell."""

    columns: int = 500
    rows: int = 1_000_000
    options: int = 1_000
    cell_bytes: int = 65_536


HARD_LIMITS = Limits()
LIMITS = Limits()


def set_limits(**limits: int) -> None:
    """Set limits by the field names of `Limits`. Higher values than the hard cap are reduced to it."""
    for field in fields(Limits):
        if field.name in limits:
            setattr(LIMITS, field.name, max(1, min(limits[field.name], getattr(HARD_LIMITS, field.name))))
