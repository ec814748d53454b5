"""The tools of the table application, one module each, registered when this package is imported.

`open_table` has the functions that the tools of a table share.
"""

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
