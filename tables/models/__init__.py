"""Models of tables (`tables`), files in cells (`files`), former members (`former_members`) and imports (`imports`)."""
from __future__ import annotations

from tables.models.files import FileContent, FileRow, TableFile
from tables.models.former_members import FormerMember
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
    "FileContent",
    "FileRow",
    "FormerMember",
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
    "TableFile",
    "new_column_id",
]  # fmt: skip
