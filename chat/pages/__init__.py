"""The pages of the table application, their link kinds and help, registered when this package is imported.

- `tables_list`, `table_view`, `table_edit`: the pages, named after their URLs
- `introduction`: the text about Table Chat in the prompts of all three, and their help
- `table_view_actions`: client actions of the page of a table
- `table_data`: the JSON that the model receives about tables
- `size_limit`: reduces this JSON to 24 kB
- `context_cache`: caches it while the table does not change
- `example_table`: a sample table for previews of prompts
- `table_links`: links to tables, rows and columns
"""

from chat.help import FOLDER, register_folder
from chat.pages import table_edit, table_links, table_view, tables_list

__all__ = ["table_edit", "table_links", "table_view", "tables_list"]

register_folder(FOLDER)
