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
            description='Sorts the rows: {"by": [{"column": "Salary", "descending": true}]}; [] removes the order.',
            parameters=("by",),
            schema=_data(("by",), by={"type": "array", "items": SORT_KEY, "maxItems": MAX_SORT_KEYS}),
            may_run=True,
        ),
        ClientAction(
            action="filter_rows",
            description=(
                "Shows only some rows; `filter` has the form that get_rows takes, or null to remove it. It replaces "
                "the filter there is."
            ),
            parameters=("filter",),
            schema=_data(("filter",), filter={"type": ["object", "array", "null"]}),
            may_run=True,
        ),
        ClientAction(
            action="search_table",
            description='Shows only rows that hold a text; "" ends the search.',
            parameters=("text",),
            schema=_data(("text",), text=TEXT),
            may_run=True,
        ),
        ClientAction(
            action="clear_view",
            description="Removes order, filter and search.",
            schema=_data(),
            may_run=True,
        ),
        ClientAction(
            action="hide_columns",
            description="Hides columns, named in a list, for this person.",
            parameters=("columns",),
            schema=_data(("columns",), columns=NAMES),
            may_run=True,
        ),
        ClientAction(
            action="show_columns",
            description="Shows hidden columns again, without `columns` all; with `only` true it hides all others.",
            parameters=("columns", "only"),
            schema={**_data(columns=NAMES, only={"type": "boolean"}), "dependentRequired": {"only": ["columns"]}},
            may_run=True,
        ),
        ClientAction(
            action="export_table",
            description='Downloads a file: `format` csv, json or xlsx, `rows` "shown" (as filtered) or "all".',
            parameters=("format", "rows"),
            schema=_data(("format",), format={"enum": ["csv", "json", "xlsx"]}, rows={"enum": ["shown", "all"]}),
            may_run=True,
        ),
        ClientAction(action="print_table", description="Opens the print dialog.", schema=_data(), may_run=True),
        ClientAction(
            action="open_sharing",
            description="Opens the table's sharing: members and links.",
            schema=_data(),
            may_run=True,
        ),
        ClientAction(
            action="open_history",
            description="Opens the table's history of changes.",
            schema=_data(),
            may_run=True,
        ),
        ClientAction(
            action="undo_change",
            description=(
                "Undoes this person's last change of the table. Not for what is undone already or was never applied: "
                "an older change would be undone. To undo a change of the view, set it again."
            ),
            schema=_data(),
            may_run=True,
            writes=True,
        ),
        ClientAction(
            action="redo_change",
            description="Redoes the change that was undone last.",
            schema=_data(),
            may_run=True,
            writes=True,
        ),
    )
)
