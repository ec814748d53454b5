"""The tools that ship, one file each; importing this package registers them."""
from chat.tools import (
    aggregate_rows,
    create_row,
    delete_row,
    describe_table,
    find_duplicates,
    get_help,
    get_payload,
    get_rows,
    list_tables,
    search_rows,
    update_row,
)

__all__ = [
    "aggregate_rows",
    "create_row",
    "delete_row",
    "describe_table",
    "find_duplicates",
    "get_help",
    "get_payload",
    "get_rows",
    "list_tables",
    "search_rows",
    "update_row",
]
