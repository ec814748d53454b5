"""Tables with all kinds of columns that are exported and imported as new tables, with what a file can say of them."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from hypothesis import given
from hypothesis import strategies as st

from shared.locales.sheet_formats import day_format, moment_format
from shared.locales.tags import TAGS
from tables.column_types import COLUMN_TYPES, ColumnSpec, get_column_type
from tables.column_types.display_locale import display_locale
from tables.column_types.number_currencies import CURRENCIES
from tests.conftest import Api
from tests.tables.exporting.conftest import content_of
from tests.tables.importing.files import run, uploaded

COLORS = {"Open": "pink", "Won": "teal", "Lost": "gray"}
LISTS = [["a, b"], ["x;", "Red"], ["Red", "Blue"], ["Blue", "a, b"]]
# The definition of a column, and its value in a row.
Case = tuple[dict[str, Any], Any]
CASES: dict[str, Case] = {
    "Title": ({"type": "text"}, lambda n: f"Row {n}"),
    "Digits": ({"type": "text"}, lambda n: f"00{n}"),
    "Notes": ({"type": "text", "format": "long"}, lambda n: f"# Head {n}\n\n- one\n- two"),
    "Page": ({"type": "text", "format": "url"}, lambda n: f"https://example.com/{n}?a=1,2"),
    "Mail": ({"type": "text", "format": "email"}, lambda n: f"ada{n}@example.com"),
    "Phone": ({"type": "text", "format": "phone"}, lambda n: f"+49 30 12345{n}"),
    "Plain": ({"type": "number"}, lambda n: n * 1.5),
    "Fixed": ({"type": "number", "format": "decimal", "places": 3}, lambda n: n / 8),
    "Whole": ({"type": "number", "format": "decimal", "places": 0}, lambda n: n),
    "Thousands": ({"type": "number", "format": "thousands"}, lambda n: 1000 * n + 0.25),
    "Euro": ({"type": "number", "format": "currency", "currency": "EUR"}, lambda n: n * 1000 + 0.5),
    "Yen": ({"type": "number", "format": "currency", "currency": "JPY"}, lambda n: -100 * n),
    "Share": ({"type": "number", "format": "percent"}, lambda n: n / 100 + 0.001),
    "Stars": ({"type": "number", "format": "rating", "maximum": 7}, lambda n: n % 7 + 1),
    "Spent": ({"type": "number", "format": "duration"}, lambda n: n * 15 + (0.5 if n == 3 else 0)),
    "Day": ({"type": "date"}, lambda n: f"2026-03-{n + 1:02}"),
    "Meeting": ({"type": "date", "format": "datetime"}, lambda n: f"2026-03-{n + 1:02}T{n:02}:30Z"),
    "Done": ({"type": "boolean"}, lambda n: n % 2 == 0),
    "Status": ({"type": "select", "options": [*COLORS], "optionColors": COLORS}, lambda n: [*COLORS][n % 3]),
    "Tags": ({"type": "multi_select", "options": ["a, b", "x;", "Red", "Blue"]}, lambda n: LISTS[n % 4]),
    "Owner": ({"type": "person"}, None),
    **{name: ({"type": name}, None) for name, kind in COLUMN_TYPES.items() if kind.is_computed},
}
FIELDS = ("type", "format", "currency", "places", "maximum", "options", "optionColors")
# Values of computed columns are imported as values of these types.
COMPUTED = {
    "created_at": "date", "updated_at": "date", "created_by": "person", "updated_by": "person", "autonumber": "number",
}  # fmt: skip
# What a file does not say of its columns: workbooks have no colours and only the options that are used, and CSV and
# JSON have plain numbers.
NUMBER_FIELDS = {"format": "plain", "currency": None, "places": None, "maximum": None}
LOST: dict[str, dict[str, Any]] = {
    "csv": {"number": NUMBER_FIELDS, "select": {"optionColors": None}},
    "json": {"number": NUMBER_FIELDS, "select": {"optionColors": None}},
    "xlsx": {"select": {"optionColors": None}},
    "zip": {},
}


def expected_fields(column: dict[str, Any], *, lost: dict[str, dict[str, Any]]) -> dict[str, Any]:
    """Return the fields of the column after an import; None for fields that are not known from the file."""
    if column["type"] in COMPUTED:
        return {"type": COMPUTED[column["type"]]}
    kept = {field: column.get(field) for field in FIELDS} | lost.get(column["type"], {})
    return {field: value for field, value in kept.items() if value is not None}


def test_the_cases_have_all_types() -> None:
    assert {case["type"] for case, _ in CASES.values()} == COLUMN_TYPES.keys() - {"attachment"}


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("language", ["en", "de"])
@pytest.mark.parametrize("ending", ["csv", "json", "xlsx", "zip"])
def test_an_imported_export_has_the_same_columns_and_values(
    api: Api, user: User, ending: str, language: str
) -> None:
    columns = [{"name": name, **case} for name, (case, _) in CASES.items()]
    values = {name: value for name, (_, value) in CASES.items() if value}
    rows = [{"Owner": user.pk} | {name: value(number) for name, value in values.items()} for number in range(24)]
    table = api.post("/api/tables/", {"name": "All", "columns": columns, "rows": rows}).json()["id"]
    api.client.defaults["HTTP_ACCEPT_LANGUAGE"] = language
    content = content_of(api.get(f"/api/tables/{table}/export/", format=ending))

    copy = run(api, uploaded(api, content, name=f"all.{ending}"))["table"]

    definitions = (api.get(f"/api/tables/{each}/").json()["columns"] for each in (table, copy))
    for before, after in zip(*definitions, strict=True):
        expected = expected_fields(before, lost=LOST[ending])
        assert {field: after.get(field) for field in expected} == expected, before["name"]
    before, after = (api.get(f"/api/tables/{each}/rows/").json()["rows"] for each in (table, copy))
    users = {"created_by": user.pk, "updated_by": user.pk}
    assert [row["data"] for row in after] == [row["data"] | users for row in before]


numbers = st.sampled_from([0, 1, -5, 7, 0.5, -0.055, 1234.5])
formats = st.one_of(
    st.sampled_from(CURRENCIES).map(lambda code: {"format": "currency", "currency": code}),
    st.sampled_from([1, 5, 10]).map(lambda stars: {"format": "rating", "maximum": stars}),
    st.integers(0, 6).map(lambda places: {"format": "decimal", "places": places}),
    st.sampled_from(["percent", "thousands"]).map(lambda name: {"format": name}),
)


@given(st.sampled_from(sorted(TAGS)), formats, st.lists(numbers, min_size=1))
def test_formats_of_cells_in_workbooks_say_the_settings_in_all_locales(
    tag: str, settings: dict[str, Any], values: list[float]
) -> None:
    kind, locale = get_column_type("number"), display_locale(tag)
    column = kind.check_definition(ColumnSpec("n", "N", "number", settings=tuple(settings.items())))
    values = [abs(int(value)) for value in values] if settings["format"] == "rating" else values
    found = kind.detect_sheet_settings([kind.sheet_format(value, column, locale) for value in values])
    assert found == dict(column.settings)


@pytest.mark.parametrize(
    ("tag", "day", "moment", "amount"),
    [
        ("en", "mmm d\\, yyyy", 'mmm d\\, yyyy", "h:mm AM/PM', "[$€]#,##0.00"),
        ("de", "dd\\.mm\\.yyyy", 'dd\\.mm\\.yyyy", "hh:mm', "#,##0.00\\\N{NO-BREAK SPACE}[$€]"),
        ("de-AT", "dd\\.mm\\.yyyy", 'dd\\.mm\\.yyyy", "hh:mm', "[$€]\\\N{NO-BREAK SPACE}#,##0.00"),
    ],
)
def test_cells_of_workbooks_look_like_those_of_pages(tag: str, day: str, moment: str, amount: str) -> None:
    euro = ColumnSpec("n", "N", "number", settings=(("format", "currency"), ("currency", "EUR")))
    shown = get_column_type("number").sheet_format(5, euro, display_locale(tag))
    assert (day_format(tag), moment_format(tag), shown) == (day, moment, amount)
