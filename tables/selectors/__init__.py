"""Selectors: all reads of tables, rows and their history.

Tables of other users do not exist for a user. Modules in reading order: `access` (roles, tables of a user), `tables`
(one table and its columns, lists of tables, view settings), `sharing` (members, reading links, invitations), `sql`
(cells and filters as SQL), `rows` (rows of a view), `statistics` (counts and aggregates), `history` (changes),
`file_directory`
and `files` (of cells), `imports` (uploaded files of rows and their imports).
"""
from __future__ import annotations

from tables.column_types import ColumnSpec, TableShape
from tables.models import Import, Table, TableFile
from tables.selectors.access import (
    TableAccess,
    access_to,
    allowed,
    owns_tables,
    role_of,
    table_ids_as_text,
    tables_of,
    tables_of_columns,
    tables_of_rows,
    viewable_tables,
)
from tables.selectors.file_directory import TableFiles
from tables.selectors.files import files_of, get_file, get_files
from tables.selectors.history.changes import (
    ChangeFilter,
    ChangeView,
    changes_of,
    get_change,
    is_in_effect,
    users_in_history,
)
from tables.selectors.history.column_names import with_column_names
from tables.selectors.history.details import (
    CellChange,
    ChangeDetails,
    ColumnChange,
    RowChange,
    change_details,
    change_previews,
    row_history,
    row_name,
)
from tables.selectors.history.entries import Cursor
from tables.selectors.imports import (
    get_import,
    has_files,
    import_error,
    imports_running,
    is_interrupted,
    open_questions,
    recent_imports,
    refused_cells,
)
from tables.selectors.rows.assigned import AssignedCursor, AssignedRow, AssignedRows, assigned_rows
from tables.selectors.rows.costs import refuse_costly
from tables.selectors.rows.duplicates import Duplicates, equal_rows, find_duplicates
from tables.selectors.rows.matches import rows_by_cells
from tables.selectors.rows.origins import columns_with_origins, origins_of, register_origins
from tables.selectors.rows.reading import (
    RowView,
    count_from_page,
    count_rows,
    find_rows_in_view,
    get_row,
    iterate_rows,
    live_rows,
    read_rows,
    row_numbers,
    rows_by_id,
)
from tables.selectors.rows.snapshots import ListedRow, snapshot, stream_rows
from tables.selectors.sharing import (
    acceptable_invitation,
    get_member,
    invitation_kinds,
    invitations_by,
    invitations_of,
    invitations_to,
    linked_table,
    members_of,
    read_only_link_of,
    shared_tables_of,
)
from tables.selectors.sql.computed import computed_values
from tables.selectors.statistics.aggregates import Group, aggregate, sort_groups
from tables.selectors.statistics.cache import cached_choices, cached_count, cached_stats, cached_type_changes
from tables.selectors.statistics.columns import column_stats, empty_cells
from tables.selectors.statistics.row_counts import RowCount, row_count
from tables.selectors.tables import (
    TRASH_RETENTION,
    get_any_table,
    get_table,
    get_view_settings,
    sort_tables,
    table_shape,
    tables_for,
    with_last_actor,
)

__all__ = [
    "TRASH_RETENTION",
    "AssignedCursor",
    "AssignedRow",
    "AssignedRows",
    "CellChange",
    "ChangeDetails",
    "ChangeFilter",
    "ChangeView",
    "ColumnChange",
    "ColumnSpec",
    "Cursor",
    "Duplicates",
    "Group",
    "Import",
    "ListedRow",
    "RowChange",
    "RowCount",
    "RowView",
    "Table",
    "TableAccess",
    "TableFile",
    "TableFiles",
    "TableShape",
    "acceptable_invitation",
    "access_to",
    "aggregate",
    "allowed",
    "assigned_rows",
    "cached_choices",
    "cached_count",
    "cached_stats",
    "cached_type_changes",
    "change_details",
    "change_previews",
    "changes_of",
    "column_stats",
    "columns_with_origins",
    "computed_values",
    "count_from_page",
    "count_rows",
    "empty_cells",
    "equal_rows",
    "files_of",
    "find_duplicates",
    "find_rows_in_view",
    "get_any_table",
    "get_change",
    "get_file",
    "get_files",
    "get_import",
    "get_member",
    "get_row",
    "get_table",
    "get_view_settings",
    "has_files",
    "import_error",
    "imports_running",
    "invitation_kinds",
    "invitations_by",
    "invitations_of",
    "invitations_to",
    "is_in_effect",
    "is_interrupted",
    "iterate_rows",
    "linked_table",
    "live_rows",
    "members_of",
    "open_questions",
    "origins_of",
    "owns_tables",
    "read_only_link_of",
    "read_rows",
    "recent_imports",
    "refuse_costly",
    "refused_cells",
    "register_origins",
    "role_of",
    "row_count",
    "row_history",
    "row_name",
    "row_numbers",
    "rows_by_cells",
    "rows_by_id",
    "shared_tables_of",
    "snapshot",
    "sort_groups",
    "sort_tables",
    "stream_rows",
    "table_ids_as_text",
    "table_shape",
    "tables_for",
    "tables_of",
    "tables_of_columns",
    "tables_of_rows",
    "users_in_history",
    "viewable_tables",
    "with_column_names",
    "with_last_actor",
]  # fmt: skip
