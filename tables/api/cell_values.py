"""The values of cells by column type as a table in Markdown, for the OpenAPI document."""
from __future__ import annotations

from shared import strictjson
from tables.column_types import COLUMN_TYPES
from tables.column_types.written_forms import JsonForm


def cell_values() -> str:
    """Return a table with the form of the values of each registered column type in JSON, and an example of each."""
    rows = ["| column type | value in JSON | example |", "|---|---|---|"]
    for name, column_type in COLUMN_TYPES.items():
        form = column_type.json_form or JsonForm(column_type.described, None)
        example = f"`{strictjson.dumps(form.example)}`" if form.example is not None else ""
        rows.append(f"| `{name}` | {form.described} | {example} |")
    return "\n".join(rows)
