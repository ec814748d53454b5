"""The pages that ship, one file each; importing this package registers them, and the kinds of link they use."""
from chat.pages import table_edit, table_links, table_view, tables_list

__all__ = ["table_edit", "table_links", "table_view", "tables_list"]
