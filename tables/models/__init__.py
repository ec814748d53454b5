"""Models of tables (`tables`) and of imports (`imports`)."""
from __future__ import annotations

from tables.models.imports import Import, ImportPiece, RefusedCells, StagedRows
from tables.models.tables import (
    BASE32,
    POSITION_STEP,
    Change,
    ChangePiece,
    Column,
    ColumnUse,
    Invitation,
    KeptFigures,
    Member,
    PersonalView,
    ReadingLink,
    Row,
    Table,
    new_column_id,
)

__all__ = [
    "BASE32", "POSITION_STEP", "Change", "ChangePiece", "Column", "ColumnUse", "Import", "ImportPiece", "Invitation",
    "KeptFigures", "Member", "PersonalView", "ReadingLink", "RefusedCells", "Row", "StagedRows", "Table",
    "new_column_id",
]  # fmt: skip
