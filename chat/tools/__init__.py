"""The tools that ship, one file each; importing this package registers them."""
from chat.tools import (
    create_row,
    delete_row,
    describe_table,
    get_help,
    get_payload,
    get_rows,
    list_tables,
    search_rows,
    update_row,
)

__all__ = [
    "create_row",
    "delete_row",
    "describe_table",
    "get_help",
    "get_payload",
    "get_rows",
    "list_tables",
    "search_rows",
    "update_row",
]
