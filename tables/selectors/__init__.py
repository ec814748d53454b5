"""All reading of tables, rows and their history. Whoever asks gets their own; the rest does not exist."""
from __future__ import annotations

from tables.column_types import ColumnSpec, TableShape
from tables.models import Import, Table
from tables.selectors.access import TableAccess, access_to, allowed, role_of, table_keys_of, tables_left_of, tables_of
from tables.selectors.aggregates import Group, aggregate
from tables.selectors.change_entries import Cursor
from tables.selectors.change_rows import (
    CellChange,
    ChangeDetails,
    ColumnChange,
    RowChange,
    RowHistory,
    change_details,
    change_previews,
    row_history,
    row_name,
)
from tables.selectors.changes import (
    ALL_CHANGES,
    ChangeFilter,
    ChangeView,
    changes_of,
    get_change,
    is_in_effect,
    people_in_history,
)
from tables.selectors.costs import refuse_costly
from tables.selectors.count_cache import Kept, kept_choices, kept_count, kept_stats, kept_type_changes
from tables.selectors.duplicates import Duplicates, find_duplicates
from tables.selectors.imports import (
    get_import,
    import_error,
    imports_running,
    open_questions,
    recent_imports,
    refused_cells,
    seems_lost,
)
from tables.selectors.invitations import (
    acceptable_invitation,
    invitation_kinds,
    invitations_by,
    invitations_of,
    invitations_to,
)
from tables.selectors.link_targets import tables_of_columns, tables_of_rows, viewable_tables
from tables.selectors.matches import rows_by_cells
from tables.selectors.rows import (
    RowView,
    count_rows,
    counted_by_page,
    every_row_of,
    get_row,
    live_rows,
    numbers_of_rows,
    places_of_rows,
    read_rows,
    rows_by_id,
)
from tables.selectors.sharing import link_of, members_of, shared_tables_of, table_behind
from tables.selectors.snapshots import Listed, snapshot, stream_rows
from tables.selectors.statistics import column_stats, empty_cells
from tables.selectors.tables import (
    TRASH_KEPT,
    column_spec,
    get_table,
    in_order,
    table_for_operators,
    table_shape,
    tables_for,
    with_last_actor,
)
from tables.selectors.view_settings import look_of

__all__ = [
    "ALL_CHANGES", "TRASH_KEPT", "CellChange", "ChangeDetails", "ChangeFilter", "ChangeView", "ColumnChange",
    "ColumnSpec", "Cursor", "Duplicates", "Group", "Import", "Kept", "Listed", "RowChange", "RowHistory", "RowView",
    "Table", "TableAccess", "TableShape", "acceptable_invitation", "access_to", "aggregate", "allowed",
    "change_details", "change_previews", "changes_of", "column_spec", "column_stats", "count_rows", "counted_by_page",
    "empty_cells", "every_row_of", "find_duplicates", "get_change", "get_import", "get_row", "get_table",
    "import_error", "imports_running", "in_order", "invitation_kinds", "invitations_by", "invitations_of",
    "invitations_to",
    "is_in_effect", "kept_choices", "kept_count", "kept_stats", "kept_type_changes", "link_of", "live_rows",
    "look_of", "members_of", "numbers_of_rows", "open_questions", "people_in_history", "places_of_rows", "read_rows",
    "recent_imports",
    "refuse_costly", "refused_cells", "role_of", "row_history", "row_name", "rows_by_cells", "rows_by_id",
    "seems_lost", "shared_tables_of", "snapshot", "stream_rows", "table_behind", "table_for_operators",
    "table_keys_of", "table_shape", "tables_for", "tables_left_of", "tables_of", "tables_of_columns", "tables_of_rows",
    "viewable_tables", "with_last_actor",
]  # fmt: skip
