"""Pages of tables. The server renders them complete for reading; scripts add editing.

Modules in reading order: `error_pages`, `lists` with `cards`, `invitations`, `new_table` with `table_templates`,
`table_query` (what the URL requests) with `added_condition`, `table` with `cells`, `value_format` and
`search_highlights`, the toolbar (`filters`, `filter_words`, `sorting`, `view_settings`), `row_form`, `edit`, `sharing`
with `shared`, `history` with `change_details`, `undo_conflicts` and `history_restore`, `importing` with `import_form`,
and `exporting`.
"""

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
