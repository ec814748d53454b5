"""What was taken along and brought back is the same, byte by byte: a file becomes a table, whose file is that file."""
from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tables.column_types import ValueFault, check_name, name_key
from tests.conftest import Api
from tests.tables.exporting.conftest import COLUMNS, ROWS, whole
from tests.tables.exporting.test_files import HARMFUL, OPTIONS, fractions, rows_of, stored, whole_numbers
from tests.tables.importing.files import decide, run, uploaded

TYPED = [{**column, "options": [*OPTIONS]} if "options" in column else column for column in COLUMNS]


def made(api: Api, columns: list[dict[str, Any]], rows: list[dict[str, Any]]) -> str:
    answer = api.post("/api/tables/", {"name": "There and back", "columns": columns, "rows": rows})
    assert answer.status_code == 201, answer.json()
    return f"/api/tables/{answer.json()['id']}/"


def brought_back(api: Api, content: bytes, *, columns: list[dict[str, Any]], name: str) -> str:
    """The address of the new table that the file becomes, its columns being of the types they had."""
    found = uploaded(api, content, name=name)
    if name.endswith(".csv"):
        # A name may look like a number; that it is one has to be said.
        found = decide(api, found, header=True)
    assert [column["name"] for column in found["columns"]] == [column["name"] for column in columns]
    types = [
        {"index": place, "include": True, "type": column["type"],
         **({"options": column["options"]} if "options" in column else {})}
        for place, column in enumerate(columns)
    ]  # fmt: skip
    done = run(api, decide(api, found, columns=types, empty_rows="keep", on_refused="stop"))
    assert (done["state"], done["error"]) == ("done", None)
    return f"/api/tables/{done['table']}/"


def test_a_file_that_comes_back_is_the_same_file(api: Api, table: str) -> None:
    content = whole(api.get(f"{table}export/"))

    again = brought_back(api, content, columns=COLUMNS, name="jobs.csv")

    assert whole(api.get(f"{again}export/")) == content
    cells = [row["data"] for row in api.get(f"{again}rows/").json()["rows"]]
    assert cells == ROWS


def is_name(text: str) -> bool:
    try:
        return check_name(text) == text
    except ValueFault:
        return False


five_names = st.lists((HARMFUL | st.text(max_size=80)).filter(is_name), min_size=5, max_size=5, unique_by=name_key)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("ending", ["csv", "json"])
@settings(max_examples=8)
@given(drawn=rows_of(stored, whole_numbers | fractions).filter(bool), names=five_names, width=st.integers(1, 5))
def test_so_is_any_other(api: Api, ending: str, drawn: list[list[Any]], names: list[str], width: int) -> None:
    columns = [{**column, "name": name} for column, name in zip(TYPED[:width], names, strict=False)]
    rows = [
        {column["name"]: value for column, value in zip(columns, row, strict=False) if value is not None}
        for row in drawn
    ]
    content = whole(api.get(f"{made(api, columns, rows)}export/", format=ending))

    again = brought_back(api, content, columns=columns, name=f"any.{ending}")

    assert whole(api.get(f"{again}export/", format=ending)) == content


@pytest.mark.django_db(transaction=True)
def test_a_column_by_itself_is_not_divided_by_what_stands_in_it(api: Api) -> None:
    table = made(api, [{"name": "a;b", "type": "text"}], [{"a;b": "c;d"}, {"a;b": "e|f;"}])

    found = uploaded(api, whole(api.get(f"{table}export/")), name="one.csv")

    assert ([column["name"] for column in found["columns"]], found["source"]["delimiter"]) == (["a;b"], ",")
