"""Keys of cells in dry runs and changes over REST: names of columns, or ids with `keys=id`."""
from __future__ import annotations

from typing import Any

import pytest

from tests.conftest import Api

COLUMNS = [{"name": "Company", "type": "text"}, {"name": "Salary", "type": "number"}]
ADD = {"operations": [{"action": "add", "data": {"Company": "Crux", "Salary": "30"}}]}
CREATE = {
    "mode": "create", "table_name": "Films", "table_description": "",
    "operations": [{"action": "add", "column": {"name": "Title", "type": "text"}}], "sample_rows": [{"Title": "Alien"}],
}  # fmt: skip


@pytest.fixture
def table(api: Api) -> Any:
    """Create a table with one row."""
    return api.post("/api/tables/", {"name": "Jobs", "columns": COLUMNS, "rows": [{"Company": "Acme"}]}).json()


def test_a_dry_run_is_keyed_by_name_or_id(api: Api, table: Any) -> None:
    address = f"/api/tables/{table['id']}/proposals/data/?dry_run=true"
    company, salary = (column["id"] for column in table["columns"])
    for query, names in (("", ("Company", "Salary")), ("&keys=id", (company, salary))):
        preview = api.post(address + query, ADD).json()
        (operation,) = preview["operations"]
        assert operation["new"] == dict(zip(names, ("Crux", 30), strict=True))
        assert (operation["notes"][0]["column"], preview["cells_by_column"]) == (names[1], dict.fromkeys(names, 1))


def test_sample_rows_of_a_new_table_are_keyed_by_name_or_id(api: Api) -> None:
    by_name, by_id = (api.post(f"/api/tables/proposals/schema/?dry_run=true&keys={keys}", CREATE).json()
                      for keys in ("name", "id"))
    assert by_name["sample_rows"] == [{"Title": "Alien"}]
    assert by_id["sample_rows"] == [{by_id["columns"][0]["id"]: "Alien"}]


@pytest.mark.parametrize(
    "path",
    ["proposals/data/?", "proposals/data/?dry_run=true&", "proposals/schema/?", "changes/?", "changes/{change}/?"],
)
def test_other_keys_are_refused_with_the_valid_ones(api: Api, table: Any, path: str) -> None:
    address = f"/api/tables/{table['id']}/"
    change = api.get(f"{address}changes/").json()["changes"][0]["id"]
    send = api.get if path.startswith("changes") else lambda path: api.post(path, ADD)
    answer = send(address + path.format(change=change) + "keys=ids")
    fault = answer.json()["errors"][0]
    assert (answer.status_code, fault["path"], fault["code"]) == (400, "keys", "unknown_value")
    assert fault["params"]["names"] == ["name", "id"]
