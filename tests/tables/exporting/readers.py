"""Read exported files with independent readers."""
from __future__ import annotations

import csv
import io
import json
import re
from typing import Any

from python_calamine import CalamineWorkbook

from tables.operations.formula_escaping import unescape_formula

Rows = list[list[Any]]
ESCAPE = re.compile("_x([0-9A-Fa-f]{4})_")


def csv_rows(content: bytes) -> Rows:
    """Return the names and rows as texts, still escaped."""
    text = content.decode("utf-8-sig")
    return list(csv.reader(io.StringIO(text, newline=""), strict=True))


def json_rows(content: bytes) -> Rows:
    """Return the names and rows."""
    records = json.loads(content)
    return [list(records[0]), *(list(record.values()) for record in records)] if records else []


def xlsx_rows(content: bytes) -> Rows:
    """Return the names and rows, with dates as dates and numbers as floats."""
    sheet = CalamineWorkbook.from_filelike(io.BytesIO(content)).get_sheet_by_index(0)
    return sheet.to_python(skip_empty_area=False)


def unescaped(text: str) -> str:
    """Return a text of a CSV file as it is stored in the table."""
    return unescape_formula(text)
