"""Reports of imports: refused cells with their original text, also after the end."""
from __future__ import annotations

import json
import re
from typing import Any

import pytest

from tables.models import Import, Table
from tests.conftest import Api
from tests.tables.importing.files import IMPORTS_URL, decide, rows_of, run, uploaded
from tests.tables.shared_table import make_table, share

pytestmark = pytest.mark.django_db(transaction=True)
FORMS = {
    ("date", "dmy", "31/02/2024"): "“31/02/2024” is not a valid date.",
    ("date", "dmy", "soon"): "“soon” is not a day-first date like 31/12/2024.",
    ("date", "mdy", "31/12/2024"): "“31/12/2024” is not a valid date.",
    ("date", "mdy", "soon"): "“soon” is not a month-first date like 12/31/2024.",
    ("date", "", "soon"): "“soon” is not a date like 2024-12-31.",
    ("date", "", "31/12/2024"): "“31/12/2024” is not a date like 2024-12-31."
    " If the day or month comes first, choose that format.",
    ("number", "", "1,5"): "“1,5” is not a number with a decimal point, like 1,200.5."
    " If this column has a decimal comma, choose that.",
    ("number", "comma", "1.5"): "“1.5” is not a number with a decimal comma, like 1.200,5."
    " If this column has a decimal point, choose that.",
    ("number", "comma", "much"): "“much” is not a number like 1.200 or 1,5.",
    ("number", "", "much"): "“much” is not a number like 1,200 or 1.5.",
}


def report(api: Api, imported: dict[str, Any]) -> list[dict[str, Any]]:
    return list(api.get(f"{IMPORTS_URL}{imported['id']}/report/").json()["cells"])


@pytest.mark.parametrize(("kind", "form", "value"), FORMS)
def test_refused_cells_are_reported_with_their_original_text(api: Api, kind: str, form: str, value: str) -> None:
    imported = uploaded(api, f'Name,Cell\nAcme,"{value}"\n')
    decide(api, imported, columns=[{"index": 1, "type": kind, "form": form}])
    assert [cell["detail"] for cell in report(api, run(api, imported))] == [FORMS[kind, form, value]]


@pytest.mark.parametrize("decision", ["empty", "skip"])
def test_refused_cells_are_listed_after_the_end(api: Api, jobs: Table, decision: str) -> None:
    imported = uploaded(api, "Company,Salary\nDune,much\nErgo,5\n", table=jobs.pk)
    done = run(api, decide(api, imported, on_refused=decision))
    assert (done["state"], [cell["value"] for cell in report(api, done)]) == ("done", ["much"])
    page = api.client.get(f"/tables/imports/{done['id']}/").content.decode()
    assert "“much” is not a number" in page
    assert ("1 row was skipped." in page) == (decision == "skip")


def test_cells_that_stopped_an_import_are_listed(api: Api, jobs: Table) -> None:
    imported = uploaded(api, "Company,Salary\nDune,much\n", table=jobs.pk)
    failed = run(api, decide(api, imported, on_refused="stop"))
    page = api.client.get(f"/tables/imports/{failed['id']}/").content.decode()
    assert "“much” is not a number" in page
    page = api.client.get(f"/tables/imports/{failed['id']}/", HTTP_ACCEPT_LANGUAGE="de").content.decode()
    assert "1 Zelle ist ungültig." in page
    assert "„much“ ist keine Zahl" in page


LONG = "The name of a column that says all there is to say about what stands in it"
NAMES = [f"{LONG}, first part", f"{LONG}, second part", "Due\u00a0date", "\u200bhidden"]


@pytest.mark.parametrize("ending", ["json", "csv"])
def test_names_are_matched_by_all_characters(api: Api, ending: str) -> None:
    columns = [{"name": name, "type": "text"} for name in NAMES]
    rows = [dict.fromkeys(NAMES, "x"), {NAMES[1]: "y", NAMES[3]: "z"}]
    table = api.post("/api/tables/", {"name": "Long", "columns": columns, "rows": rows}).json()["id"]
    lines = [[row.get(name, "") for name in NAMES] for row in rows]
    text = "\n".join(",".join(f'"{cell}"' for cell in line) for line in [NAMES, *lines])
    content = json.dumps([dict(zip(NAMES, line, strict=True)) for line in lines]) if ending == "json" else text
    imported = uploaded(api, content, name=f"long.{ending}", table=table)
    assert [column["into"] is not None for column in imported["columns"]] == [True] * len(NAMES)
    assert run(api, imported)["state"] == "done"
    assert rows_of(api, table) == rows * 2


def test_names_with_invalid_characters_are_matched_to_their_cells(api: Api) -> None:
    imported = uploaded(api, '[{"a\\u0000b": 1, "\\ud800": 2, "": 3}]', name="odd.json")
    done = run(api, imported)
    assert rows_of(api, done["table"]) == [{"a b": 1, "Column 2": 2, "Column 3": 3}]


def test_recent_imports_are_listed_for_their_user(api: Api, other_api: Api) -> None:
    table = make_table(api)
    share(api, table, other_api, role="editor")
    number = int(table.strip("/").split("/")[-1])
    uploaded(other_api, "a\n1\n", name="own.csv")
    uploaded(other_api, "Company\nDune\n", name="shared.csv", table=number)
    uploaded(api, "a\n1\n", name="of-another.csv")

    def listed() -> list[str]:
        return re.findall(r">([\w-]+\.csv)</a>", other_api.client.get("/tables/import/").content.decode())

    assert listed() == ["shared.csv", "own.csv"]
    api.delete(f"{table}members/{other_api.user.get_username() if other_api.user else ''}/")
    assert listed() == ["own.csv"]
    Import.objects.update(state="cancelled")
    assert listed() == []
