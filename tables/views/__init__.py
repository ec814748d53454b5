"""Pages of tables. The server renders them complete for reading; scripts add editing.

In reading order: `shortcuts`, `value_format`, `lists`, `assigned`, `invitations`, `new_table` with `table_templates`,
`grid` (the page of one table), `row_form`, `edit`, `sharing`, `history` and `imports`.
"""

from __future__ import annotations

from tables.views.assigned import assigned_rows
from tables.views.edit import table_edit
from tables.views.grid.exporting import shared_table_export, table_export
from tables.views.grid.shared import copy_shared_table, shared_table
from tables.views.grid.table import table_columns_shown, table_view
from tables.views.history.pages import table_change, table_history, table_restore
from tables.views.imports.pages import import_file, import_page
from tables.views.invitations import invitation
from tables.views.lists import tables_list
from tables.views.new_table import new_table
from tables.views.row_form import table_row
from tables.views.sharing import table_sharing

__all__ = [
    "assigned_rows", "copy_shared_table", "import_file", "import_page", "invitation", "new_table", "shared_table",
    "shared_table_export", "table_change", "table_columns_shown", "table_edit", "table_export", "table_history",
    "table_restore", "table_row", "table_sharing", "table_view", "tables_list",
]  # fmt: skip
