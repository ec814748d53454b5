"""Models of tables (`tables`) and of imports (`imports`)."""
from __future__ import annotations

from tables.models.imports import Import, ImportPiece, RefusedCells, StagedRows
from tables.models.tables import (
    BASE32,
    POSITION_STEP,
    CachedStatistics,
    Change,
    ChangePiece,
    Column,
    ColumnUse,
    Invitation,
    Member,
    PersonalView,
    ReadOnlyLink,
    Row,
    Table,
    new_column_id,
)

__all__ = [
    "BASE32",
    "POSITION_STEP",
    "CachedStatistics",
    "Change",
    "ChangePiece",
    "Column",
    "ColumnUse",
    "Import",
    "ImportPiece",
    "Invitation",
    "Member",
    "PersonalView",
    "ReadOnlyLink",
    "RefusedCells",
    "Row",
    "StagedRows",
    "Table",
    "new_column_id",
]  # fmt: skip
