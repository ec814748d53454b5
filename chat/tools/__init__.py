"""The tools, one module each, registered when this package is imported.

`get_help` and `get_payload` are on every page. The others are those of the table application, if the app `tables` is
installed; `open_table` has the functions that they share.
"""

from django.apps import apps

from chat.tools import get_help, get_payload

__all__ = ["get_help", "get_payload"]

if apps.is_installed("tables"):
    from chat.tools import (  # noqa: F401  the tools register themselves
        aggregate_rows,
        create_row,
        delete_row,
        describe_table,
        find_duplicates,
        get_rows,
        list_tables,
        search_rows,
        update_row,
    )
