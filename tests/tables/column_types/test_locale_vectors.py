"""Texts of values by locale, in a file that the tests of scripts read as well."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from django.utils import timezone

from shared.locales.active import activate, deactivate
from tables.column_types import ColumnSpec, get_column_type
from tables.views.value_format import format_value
from tests.snapshots import UPDATE_HINT, snapshot

VECTORS = Path(__file__).parents[2] / "js/tables/locale_vectors.json"
ZONE = "America/New_York"
LOCALES = (
    "en en-GB en-AU en-CA en-IN en-ZA de de-AT de-CH fr fr-CA fr-CH es es-MX it it-CH pt-BR pt-PT nl pl cs da fi nb sv"
    " et hu lt lv ro ru tr uk ar ar-EG fa he hi bn th vi id ja zh-CN zh-Hant"
).split()
NUMBERS = (0, 7, -1234.5, 1234.5, 12345, 1234567.25, -1234567, 0.1 + 0.2, 1 / 3, 1.005, -0.004, 1e-7, 1e15, -1.5e300)
DAYS = (*(f"2026-{month:02}-04" for month in range(1, 13)), "0050-01-02", "1582-10-10")
CODES = ("EUR", "USD", "CHF", "JPY", "KWD")
COLUMNS: tuple[tuple[str, dict[str, Any], tuple[Any, ...]], ...] = (
    ("number", {}, NUMBERS),
    ("number", {"format": "decimal", "places": 1}, NUMBERS),
    ("number", {"format": "thousands"}, NUMBERS),
    ("number", {"format": "percent"}, (0.05, -0.125, 1 / 3, 123.45, 1e-9, 1e15)),
    ("number", {"format": "duration"}, (90, -1500.5, 0.005)),
    ("number", {"format": "rating", "maximum": 5}, (4, 2.5)),
    *(("number", {"format": "currency", "currency": code}, (0, 1234.5, -1234567, 1.005)) for code in CODES),
    ("date", {"format": "date"}, DAYS),
    ("date", {"format": "datetime"}, ("2026-11-24T20:05Z", "2026-07-01T04:30Z", "1999-12-31T15:59Z")),
)


def texts(tag: str) -> list[list[str]]:
    """Return the texts of all values, column by column."""
    activate(tag)
    try:
        shown = []
        for type_name, given, values in COLUMNS:
            kind = get_column_type(type_name)
            column = kind.check_definition(ColumnSpec("col_a", "A", type_name, settings=tuple(given.items())))
            shown.append([format_value(value, column=column) for value in values])
        return shown
    finally:
        deactivate()


def test_values_are_shown_as_in_scripts() -> None:
    columns = [{"type": name, **given, "values": values} for name, given, values in COLUMNS]
    with timezone.override(ZoneInfo(ZONE)):
        vectors = {"zone": ZONE, "columns": columns, "locales": {tag: texts(tag) for tag in LOCALES}}
    lines = json.dumps(vectors, ensure_ascii=False).replace('], "', '],\n"').replace('}, {"type', '},\n{"type') + "\n"
    assert lines == snapshot(lines, file=VECTORS), UPDATE_HINT
