"""Over HTTP: the file holds the rows that the list of rows holds, in their order, or is refused like it."""
from __future__ import annotations

import datetime
import json
from typing import Any

import pytest
from django.conf import settings

from tests.conftest import Api
from tests.tables.exporting.conftest import COLUMNS, ROWS, whole
from tests.tables.exporting.readers import csv_rows, json_rows, meant, xlsx_rows

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
WRONG: list[Json] = [
    {"filter": "{"}, {"filter": '{"column": "Compny", "op": "empty"}'}, {"sort": "Compny"}, {"columns": "Compny"},
    {"tz": "Mars/Here"}, {"search": "\0"}, {"search": " ".join(map(str, range(60)))}, {"serach": "x"},
    {"sort": ["Company", "Status"]},
]  # fmt: skip


def listed(api: Api, table: str, view: Json) -> list[list[Any]]:
    """What the list of rows says, as rows of cells under names."""
    names = view["columns"].split(",") if "columns" in view else NAMES
    rows = api.get(f"{table}rows/", **view).json()["rows"]
    return [names, *([row["data"].get(name) for name in names] for row in rows)]


@pytest.mark.parametrize("view", VIEWS, ids=str)
def test_a_file_holds_the_rows_of_the_list_in_their_order(api: Api, table: str, view: Json) -> None:
    content = whole(api.get(f"{table}export/", format="json", **view))

    rows = listed(api, table, view)
    assert json_rows(content) == (rows if len(rows) > 1 else [])


def test_every_value_stands_in_a_csv_file_as_text(api: Api, table: str) -> None:
    rows = csv_rows(whole(api.get(f"{table}export/", format="csv")))

    assert rows == [
        ["Company", "'=Salary", "Due, or not", "Open", "Status"],
        ["Zebra", "-1200.5", "2024-02-29", "true", "'=1+1"],
        ["'=cmd|\"/c calc\"!A1", "1000000000000000000000.0", "1850-01-01", "false", "'-done"],
        ['a "quoted",\nsecond line\nthird', "0.1", "", "", ""],
        ["''=already", "", "", "", "To do"],
        ["", "", "", "", ""],
        [ROWS[5]["Company"], "9007199254740991", "", "", ""],
    ]
    assert [meant(row[0]) for row in rows[1:]] == [row.get("Company", "") for row in ROWS]


def test_a_csv_file_is_known_as_utf_8_and_has_the_line_ends_of_its_standard(api: Api, table: str) -> None:
    content = whole(api.get(f"{table}export/", columns="Status"))

    assert content == "\ufeffStatus\r\n'=1+1\r\n'-done\r\n\"\"\r\nTo do\r\n\"\"\r\n\"\"\r\n".encode()


def test_values_have_their_kinds_in_a_workbook(api: Api, table: str) -> None:
    rows = xlsx_rows(whole(api.get(f"{table}export/", format="xlsx")))

    assert rows[0] == NAMES
    assert rows[1] == ["Zebra", -1200.5, datetime.date(2024, 2, 29), True, "=1+1"]
    # The format counts no days as early as this one.
    assert rows[2] == ['=cmd|"/c calc"!A1', 1e21, "1850-01-01", False, "-done"]
    assert [row[0] for row in rows[3:]] == [row.get("Company", "") for row in ROWS[2:]]


def test_json_has_every_column_in_every_record(api: Api, table: str) -> None:
    records = json.loads(whole(api.get(f"{table}export/", format="json")))

    assert [list(record) for record in records] == [NAMES] * len(ROWS)
    assert records == [{name: row.get(name) for name in NAMES} for row in ROWS]


@pytest.mark.parametrize("view", WRONG, ids=str)
def test_what_the_list_refuses_a_file_refuses_with_the_same_words(api: Api, table: str, view: Json) -> None:
    refused = [api.client.get(f"{table}{door}/", view) for door in ("rows", "export")]

    assert refused[0].status_code == refused[1].status_code in (400, 422)
    bodies = [answer.json() | {"request_id": ""} for answer in refused]
    assert bodies[0] == bodies[1]


def test_a_format_that_is_none_is_told_those_there_are(api: Api, table: str) -> None:
    refused = api.get(f"{table}export/", format="xls")

    assert (refused.status_code, refused.json()["errors"][0]["path"]) == (400, "format")
    assert "csv, xlsx, json" in refused.json()["detail"]


@pytest.mark.parametrize(("format", "kind"), [
    ("csv", "text/csv; charset=utf-8"), ("json", "application/json"),
    ("xlsx", "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet"),
])  # fmt: skip
def test_a_file_says_what_it_is_how_long_and_what_it_is_called(
    api: Api, table: str, format: str, kind: str  # noqa: A002  the parameter's name
) -> None:
    answer = api.get(f"{table}export/", format=format)

    assert answer.headers["Content-Type"] == kind
    assert answer.headers["Content-Disposition"] == (
        f"attachment; filename=\"Cafe = 1_2.{format}\"; filename*=UTF-8''Caf%C3%A9%20%3D%201_2.{format}"
    )
    assert int(answer.headers["Content-Length"]) == len(whole(answer))
    assert answer.headers["Cache-Control"] == "private, no-store"


@pytest.mark.parametrize("text", ["x" * 32_768, "😀" * 16_384, "a\x07b", "\x1b[2J", "a\uffffb"], ids=ascii)
def test_what_no_workbook_can_hold_is_named_and_csv_offered(api: Api, table: str, text: str) -> None:
    added = api.post(f"{table}rows/", {"Company": text, "Open": True}).json()

    refused = api.get(f"{table}export/", format="xlsx").json()

    assert (refused["error"], refused["row_id"], refused["instead"]) == ("not_for_xlsx", added["id"], "csv")
    assert refused["errors"][0]["path"] == "rows[6].Company"
    assert meant(csv_rows(whole(api.get(f"{table}export/")))[-1][0]) == text
    # Sorted by something else, and without the column that holds it, there is nothing to refuse.
    assert api.get(f"{table}export/", format="xlsx", columns="Open").status_code == 200


def test_a_page_says_in_the_language_of_the_reader_why_there_is_no_file(api: Api, table: str) -> None:
    api.post(f"{table}rows/", {"Company": "a\x07b"})
    page = api.client.get(f"{table.removeprefix('/api')}export/?format=xlsx", headers={"Accept-Language": "de"})

    assert page.status_code == 422
    assert "Zeile 7 des Exports, Spalte „Company“: Die Zelle enthält das Steuerzeichen U+0007" in page.content.decode()


def test_as_much_as_a_workbook_holds_it_holds(api: Api, table: str) -> None:
    longest = "x" * 32_765 + "😀"
    api.post(f"{table}rows/", {"Company": longest})

    assert xlsx_rows(whole(api.get(f"{table}export/", format="xlsx")))[-1][0] == longest


def test_a_table_without_rows_is_a_file_without_rows(api: Api, table: str) -> None:
    ids = [row["id"] for row in api.get(f"{table}rows/").json()["rows"]]
    api.post(f"{table}rows/delete/", {"ids": ids})

    assert csv_rows(whole(api.get(f"{table}export/"))) == [["Company", "'=Salary", *NAMES[2:]]]
    assert json_rows(whole(api.get(f"{table}export/", format="json"))) == []
    assert xlsx_rows(whole(api.get(f"{table}export/", format="xlsx"))) == [NAMES]


def test_nothing_is_changed_by_taking_it_along(api: Api, table: str) -> None:
    before = [api.get(f"{table}{part}").json() for part in ("", "rows/", "changes/")]

    for format in ("csv", "xlsx", "json"):  # noqa: A001  the parameter's name
        whole(api.get(f"{table}export/", format=format))

    assert [api.get(f"{table}{part}").json() for part in ("", "rows/", "changes/")] == before
    left = [path.name for path in settings.DATA_DIR.iterdir() if path.name.startswith(("tmp", ".tablechat-export-"))]
    assert not left
