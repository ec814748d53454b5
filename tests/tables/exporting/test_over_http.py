"""Exports over HTTP: the same rows, order and refusals as the list of rows."""
from __future__ import annotations

import datetime
import json
from typing import Any

import pytest
from django.conf import settings

from tests.conftest import Api
from tests.tables.exporting.conftest import COLUMNS, ROWS, content_of
from tests.tables.exporting.readers import csv_rows, json_rows, unescaped, xlsx_rows

Json = dict[str, Any]
NAMES = [column["name"] for column in COLUMNS]
VIEWS: list[Json] = [
    {},
    {"filter": json.dumps({"column": "Status", "op": "not_empty"})},
    {"sort": "-Company"},
    {"sort": "Status,-=Salary"},
    {"sort": "Due, or not"},
    {"search": "QUOTED line"},
    {"filter": json.dumps([{"column": "=Salary", "op": "lt", "value": 5}]), "sort": "=Salary"},
    {"filter": json.dumps([{"column": "Due, or not", "op": "today"}]), "tz": "Europe/Paris"},
    {"columns": "Status,Company", "sort": "Company"},
]
INVALID: list[Json] = [
    {"filter": "{"}, {"filter": '{"column": "Compny", "op": "empty"}'}, {"sort": "Compny"}, {"columns": "Compny"},
    {"tz": "Mars/Here"}, {"search": "\0"}, {"search": " ".join(map(str, range(60)))}, {"serach": "x"},
    {"sort": ["Company", "Status"]},
]  # fmt: skip


def listed(api: Api, table: str, view: Json) -> list[list[Any]]:
    """Return the names and cells of the list of rows."""
    names = view["columns"].split(",") if "columns" in view else NAMES
    rows = api.get(f"{table}rows/", **view).json()["rows"]
    return [names, *([row["data"].get(name) for name in names] for row in rows)]


@pytest.mark.parametrize("view", VIEWS, ids=str)
def test_exports_have_the_rows_of_the_list_in_order(api: Api, table: str, view: Json) -> None:
    content = content_of(api.get(f"{table}export/", format="json", **view))

    rows = listed(api, table, view)
    assert json_rows(content) == (rows if len(rows) > 1 else [])


def test_values_in_csv(api: Api, table: str) -> None:
    rows = csv_rows(content_of(api.get(f"{table}export/", format="csv")))

    assert rows == [
        ["Company", "'=Salary", "Due, or not", "Open", "Status"],
        ["Zebra", "-1200.5", "2024-02-29", "true", "'=1+1"],
        ["'=cmd|\"/c calc\"!A1", "1000000000000000000000.0", "1850-01-01", "false", "'-done"],
        ['a "quoted",\nsecond line\nthird', "0.1", "", "", ""],
        ["''=already", "", "", "", "To do"],
        ["", "", "", "", ""],
        [ROWS[5]["Company"], "9007199254740991", "", "", ""],
    ]
    assert [unescaped(row[0]) for row in rows[1:]] == [row.get("Company", "") for row in ROWS]


def test_csv_has_a_byte_order_mark_and_crlf_line_ends(api: Api, table: str) -> None:
    content = content_of(api.get(f"{table}export/", columns="Status"))

    assert content == "\ufeffStatus\r\n'=1+1\r\n'-done\r\n\"\"\r\nTo do\r\n\"\"\r\n\"\"\r\n".encode()


def test_values_in_workbooks_have_types(api: Api, table: str) -> None:
    rows = xlsx_rows(content_of(api.get(f"{table}export/", format="xlsx")))

    assert rows[0] == NAMES
    assert rows[1] == ["Zebra", -1200.5, datetime.date(2024, 2, 29), True, "=1+1"]
    # The format has no dates before 1900.
    assert rows[2] == ['=cmd|"/c calc"!A1', 1e21, "1850-01-01", False, "-done"]
    assert [row[0] for row in rows[3:]] == [row.get("Company", "") for row in ROWS[2:]]


def test_json_records_have_all_columns(api: Api, table: str) -> None:
    records = json.loads(content_of(api.get(f"{table}export/", format="json")))

    assert [list(record) for record in records] == [NAMES] * len(ROWS)
    assert records == [{name: row.get(name) for name in NAMES} for row in ROWS]


@pytest.mark.parametrize("view", INVALID, ids=str)
def test_exports_refuse_the_same_views_as_the_list(api: Api, table: str, view: Json) -> None:
    refusals = [api.client.get(f"{table}{endpoint}/", view) for endpoint in ("rows", "export")]

    assert refusals[0].status_code == refusals[1].status_code in (400, 422)
    bodies = [response.json() | {"request_id": ""} for response in refusals]
    assert bodies[0] == bodies[1]


def test_an_unknown_format_is_refused_with_the_known_ones(api: Api, table: str) -> None:
    refusals = api.get(f"{table}export/", format="xls")

    assert (refusals.status_code, refusals.json()["errors"][0]["path"]) == (400, "format")
    assert "csv, xlsx, json" in refusals.json()["detail"]


@pytest.mark.parametrize(("format", "content_type"), [
    ("csv", "text/csv; charset=utf-8"), ("json", "application/json"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
])  # fmt: skip
def test_exports_have_type_name_and_length_headers(
    api: Api, table: str, format: str, content_type: str  # noqa: A002  the parameter's name
) -> None:
    response = api.get(f"{table}export/", format=format)

    assert response.headers["Content-Type"] == content_type
    assert response.headers["Content-Disposition"] == (
        f"attachment; filename=\"Cafe = 1_2.{format}\"; filename*=UTF-8''Caf%C3%A9%20%3D%201_2.{format}"
    )
    assert int(response.headers["Content-Length"]) == len(content_of(response))
    assert response.headers["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize("text", ["x" * 32_768, "😀" * 16_384, "a\x07b", "\x1b[2J", "a\uffffb"], ids=ascii)
def test_values_invalid_in_workbooks_are_named_and_csv_offered(api: Api, table: str, text: str) -> None:
    added = api.post(f"{table}rows/", {"Company": text, "Open": True}).json()

    refusals = api.get(f"{table}export/", format="xlsx").json()

    assert (refusals["error"], refusals["row_id"], refusals["instead"]) == ("not_for_xlsx", added["id"], "csv")
    assert refusals["errors"][0]["path"] == "rows[6].Company"
    assert unescaped(csv_rows(content_of(api.get(f"{table}export/")))[-1][0]) == text
    # Without the column of the invalid value there is nothing to refuse.
    assert api.get(f"{table}export/", format="xlsx", columns="Open").status_code == 200


def test_errors_are_in_the_language_of_the_reader(api: Api, table: str) -> None:
    api.post(f"{table}rows/", {"Company": "a\x07b"})
    page = api.client.get(f"{table.removeprefix('/api')}export/?format=xlsx", headers={"Accept-Language": "de"})

    assert page.status_code == 422
    assert "Zeile 7 des Exports, Spalte „Company“: Die Zelle enthält das Steuerzeichen U+0007" in page.content.decode()


def test_a_text_of_the_maximum_length_is_exported(api: Api, table: str) -> None:
    longest = "x" * 32_765 + "😀"
    api.post(f"{table}rows/", {"Company": longest})

    assert xlsx_rows(content_of(api.get(f"{table}export/", format="xlsx")))[-1][0] == longest


def test_a_table_without_rows_is_exported_without_rows(api: Api, table: str) -> None:
    ids = [row["id"] for row in api.get(f"{table}rows/").json()["rows"]]
    api.post(f"{table}rows/delete/", {"ids": ids})

    assert csv_rows(content_of(api.get(f"{table}export/"))) == [["Company", "'=Salary", *NAMES[2:]]]
    assert json_rows(content_of(api.get(f"{table}export/", format="json"))) == []
    assert xlsx_rows(content_of(api.get(f"{table}export/", format="xlsx"))) == [NAMES]


def test_exports_change_nothing(api: Api, table: str) -> None:
    before = [api.get(f"{table}{part}").json() for part in ("", "rows/", "changes/")]

    for format in ("csv", "xlsx", "json"):  # noqa: A001  the parameter's name
        content_of(api.get(f"{table}export/", format=format))

    assert [api.get(f"{table}{part}").json() for part in ("", "rows/", "changes/")] == before
    names = [path.name for path in settings.DATA_DIR.iterdir()]
    assert [name for name in names if name.startswith(("tmp", ".tablechat-export-"))] == []
