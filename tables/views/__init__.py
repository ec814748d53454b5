"""The pages of tables, as the server renders them: complete for reading, brought to life by scripts."""

from __future__ import annotations

from tables.views.edit import table_edit
from tables.views.exporting import shared_table_export, table_export
from tables.views.history import table_change, table_history
from tables.views.history_restore import table_restore
from tables.views.importing import import_file, import_page
from tables.views.invitations import invitation
from tables.views.lists import tables_list
from tables.views.new_table import new_table
from tables.views.row_form import table_row
from tables.views.shared import copy_shared_table, shared_table
from tables.views.sharing import table_sharing
from tables.views.table import table_view
from tables.views.view_settings import table_columns_shown

__all__ = [
    "copy_shared_table", "import_file", "import_page", "invitation", "new_table", "shared_table", "shared_table_export",
    "table_change", "table_columns_shown", "table_edit", "table_export", "table_history", "table_restore", "table_row",
    "table_sharing", "table_view", "tables_list",
]  # fmt: skip
