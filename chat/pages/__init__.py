"""The pages that ship, one file each; importing this package registers them."""
from chat.pages import table_edit, table_view, tables_list

__all__ = ["table_edit", "table_view", "tables_list"]
