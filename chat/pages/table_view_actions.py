"""Client actions of the page of a table: sort, filter, search, columns, export, print, undo."""

from __future__ import annotations

from typing import Any

from chat.actions import ClientAction, register_client_action

Json = dict[str, Any]

MAX_SORT_KEYS = 10
MAX_COLUMNS = 200
TEXT: Json = {"type": "string", "maxLength": 200}


def _data(required: tuple[str, ...] = (), /, **properties: Json) -> Json:
    """Return the JSON Schema of an action's data."""
    return {"type": "object", "properties": properties, "required": list(required), "additionalProperties": False}


NAMES: Json = {"type": "array", "items": TEXT, "minItems": 1, "maxItems": MAX_COLUMNS}
SORT_KEY: Json = _data(("column",), column=TEXT, descending={"type": "boolean"})

TABLE_ACTIONS = tuple(
    register_client_action(entry)
    for entry in (
        ClientAction(
            action="sort_rows",
            description='Sort the rows: {"by": [{"column": "Salary", "descending": true}]}; [] clears the sort.',
            parameters=("by",),
            schema=_data(("by",), by={"type": "array", "items": SORT_KEY, "maxItems": MAX_SORT_KEYS}),
            may_run=True,
        ),
        ClientAction(
            action="filter_rows",
            description="Filter the rows, replacing the current filter: `filter` as for get_rows, null clears it.",
            parameters=("filter",),
            schema=_data(("filter",), filter={"type": ["object", "array", "null"]}),
            may_run=True,
        ),
        ClientAction(
            action="search_table",
            description='Show only rows that contain a text; "" clears the search.',
            parameters=("text",),
            schema=_data(("text",), text=TEXT),
            may_run=True,
        ),
        ClientAction(
            action="clear_view",
            description="Clear sort, filter and search.",
            schema=_data(),
            may_run=True,
        ),
        ClientAction(
            action="hide_columns",
            description="Hide the columns in a list, for this user only.",
            parameters=("columns",),
            schema=_data(("columns",), columns=NAMES),
            may_run=True,
        ),
        ClientAction(
            action="show_columns",
            description="Show hidden columns again, without `columns` all; with `only` true, hide all others.",
            parameters=("columns", "only"),
            schema={**_data(columns=NAMES, only={"type": "boolean"}), "dependentRequired": {"only": ["columns"]}},
            may_run=True,
        ),
        ClientAction(
            action="export_table",
            description=(
                'Download a file: `format` csv, json, xlsx, or zip with the files in cells, if there are any; `rows` '
                '"shown" (as filtered) or "all".'
            ),
            parameters=("format", "rows"),
            schema=_data(("format",), format={"enum": ["csv", "json", "xlsx", "zip"]}, rows={"enum": ["shown", "all"]}),
            may_run=True,
        ),
        ClientAction(action="print_table", description="Open the print dialog.", schema=_data(), may_run=True),
        ClientAction(
            action="open_sharing",
            description="Open the sharing of the table: members and links.",
            schema=_data(),
            may_run=True,
        ),
        ClientAction(
            action="open_history",
            description="Open the history of the table.",
            schema=_data(),
            may_run=True,
        ),
        ClientAction(
            action="undo_change",
            description=(
                "Undo this user's last change to the table. Not if that is already undone or was never applied: an "
                "older change would be undone. To undo a change of the view, set the view again."
            ),
            schema=_data(),
            may_run=True,
            writes=True,
        ),
        ClientAction(
            action="redo_change",
            description="Redo the change that was undone last.",
            schema=_data(),
            may_run=True,
            writes=True,
        ),
    )
)
