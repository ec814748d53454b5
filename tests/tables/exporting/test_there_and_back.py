"""What was taken along and brought back is the same, byte by byte: a file becomes a table, whose file is that file."""
from __future__ import annotations

from typing import Any

import pytest
from hypothesis import HealthCheck, given, settings

from tests.conftest import Api
from tests.tables.exporting.conftest import COLUMNS, ROWS, whole
from tests.tables.exporting.test_files import OPTIONS, fractions, rows_of, stored, whole_numbers
from tests.tables.importing.files import decide, run, uploaded

TYPED = [{**column, "options": [*OPTIONS]} if "options" in column else column for column in COLUMNS]
NAMES = [column["name"] for column in COLUMNS]


def made(api: Api, columns: list[dict[str, Any]], rows: list[dict[str, Any]]) -> str:
    answer = api.post("/api/tables/", {"name": "There and back", "columns": columns, "rows": rows})
    assert answer.status_code == 201, answer.json()
    return f"/api/tables/{answer.json()['id']}/"


def brought_back(api: Api, content: bytes, *, columns: list[dict[str, Any]], name: str) -> str:
    """The address of the new table that the file becomes, its columns being of the types they had."""
    found = uploaded(api, content, name=name)
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


@pytest.mark.django_db(transaction=True)
@settings(max_examples=8, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(drawn=rows_of(stored, whole_numbers | fractions).filter(bool))
def test_so_is_any_other(api: Api, drawn: list[list[Any]]) -> None:
    rows = [{key: value for key, value in zip(NAMES, row, strict=True) if value is not None} for row in drawn]
    content = whole(api.get(f"{made(api, TYPED, rows)}export/"))

    again = brought_back(api, content, columns=TYPED, name="any.csv")

    assert whole(api.get(f"{again}export/")) == content
