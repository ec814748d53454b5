"""Exported files that are imported again are exported byte-identically."""
from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tables.column_types import ValueFault, check_name, name_key
from tests.conftest import Api
from tests.tables.exporting.conftest import COLUMNS, ROWS, content_of
from tests.tables.exporting.test_files import HARMFUL, OPTIONS, fractions, rows_of, stored, whole_numbers
from tests.tables.importing.files import decide, run, uploaded

TYPED = [{**column, "options": [*OPTIONS]} if "options" in column else column for column in COLUMNS]


def create_table(api: Api, columns: list[dict[str, Any]], rows: list[dict[str, Any]]) -> str:
    response = api.post("/api/tables/", {"name": "There and back", "columns": columns, "rows": rows})
    assert response.status_code == 201, response.json()
    return f"/api/tables/{response.json()['id']}/"


def reimported(api: Api, content: bytes, *, columns: list[dict[str, Any]], name: str) -> str:
    """Import a file as a new table with columns of these types and return its URL."""
    imported = uploaded(api, content, name=name)
    assert [column["name"] for column in imported["columns"]] == [column["name"] for column in columns]
    types = [
        {"index": index, "include": True, "type": column["type"],
         **{name: column[name] for name in ("options", "format") if name in column}}
        for index, column in enumerate(columns)
    ]  # fmt: skip
    done = run(api, decide(api, imported, columns=types, empty_rows="keep", on_refused="stop"))
    assert (done["state"], done["error"]) == ("done", None)
    return f"/api/tables/{done['table']}/"


def test_a_reimported_file_is_exported_identically(api: Api, table: str) -> None:
    content = content_of(api.get(f"{table}export/"))

    copy = reimported(api, content, columns=COLUMNS, name="jobs.csv")

    assert content_of(api.get(f"{copy}export/")) == content
    cells = [row["data"] for row in api.get(f"{copy}rows/").json()["rows"]]
    assert cells == ROWS


def is_name(text: str) -> bool:
    try:
        return check_name(text) == text
    except ValueFault:
        return False


like_values = st.sampled_from(["2025", "No", "yes", "-5", "1,5", "2025-01-01", "€ 5", "3:30"])
five_names = st.lists(
    (HARMFUL | like_values | st.text(max_size=80)).filter(is_name), min_size=5, max_size=5, unique_by=name_key
)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("ending", ["csv", "json"])
@settings(max_examples=6)
@given(
    drawn=rows_of(stored, whole_numbers | fractions).filter(bool),
    names=five_names,
    width=st.integers(1, 5),
    form=st.sampled_from(["percent", "duration", "thousands"]),
)
def test_random_files_are_exported_identically(
    api: Api, ending: str, drawn: list[list[Any]], names: list[str], width: int, form: str
) -> None:
    columns = [{**column, "name": name} for column, name in zip(TYPED[:width], names, strict=False)]
    columns = [{**column, "format": form} if column["type"] == "number" else column for column in columns]
    rows = [
        {column["name"]: value for column, value in zip(columns, row, strict=False) if value is not None}
        for row in drawn
    ]
    content = content_of(api.get(f"{create_table(api, columns, rows)}export/", format=ending))

    copy = reimported(api, content, columns=columns, name=f"any.{ending}")

    assert content_of(api.get(f"{copy}export/", format=ending)) == content


@pytest.mark.django_db(transaction=True)
def test_durations_and_percentages_of_a_workbook_are_read_back_unchanged(api: Api) -> None:
    columns = [{"name": "2025", "type": "number", "format": "duration"},
               {"name": "5 %", "type": "number", "format": "percent"}]  # fmt: skip
    rows = [{"2025": spent, "5 %": share} for spent, share in [(90, 0.05), (-1525.25, 1 / 3), (100 / 3, 2)]]
    table = create_table(api, columns, rows)

    copy = reimported(api, content_of(api.get(f"{table}export/", format="xlsx")), columns=columns, name="times.xlsx")

    assert [row["data"] for row in api.get(f"{copy}rows/").json()["rows"]] == [
        {"2025": 90, "5 %": 0.05}, {"2025": -1525.25, "5 %": 1 / 3}, {"2025": 100 / 3, "5 %": 2},
    ]  # fmt: skip


@pytest.mark.django_db(transaction=True)
def test_a_single_column_is_not_split_by_separators_in_its_values(api: Api) -> None:
    table = create_table(api, [{"name": "a;b", "type": "text"}], [{"a;b": "c;d"}, {"a;b": "e|f;"}])

    found = uploaded(api, content_of(api.get(f"{table}export/")), name="one.csv")

    assert ([column["name"] for column in found["columns"]], found["source"]["delimiter"]) == (["a;b"], ",")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("ending", ["csv", "json"])
def test_lists_of_options_are_exported_identically(api: Api, ending: str) -> None:
    options = ["Red", "a, b", '"q', "x;", *OPTIONS]
    columns = [{"name": "Tags", "type": "multi_select", "options": options}]
    lists = [options, ["x;", "=1+1"], ["a, b"], ['"q'], *([option] for option in OPTIONS)]
    rows = [{"Tags": value} for value in lists]
    content = content_of(api.get(f"{create_table(api, columns, rows)}export/", format=ending))

    copy = reimported(api, content, columns=columns, name=f"any.{ending}")

    assert content_of(api.get(f"{copy}export/", format=ending)) == content
    assert [row["data"]["Tags"] for row in api.get(f"{copy}rows/").json()["rows"]] == lists
