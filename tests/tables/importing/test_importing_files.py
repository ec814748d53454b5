"""Imports through the API: new tables, added rows and merged rows."""
from __future__ import annotations

import pytest

from tables.models import Change, Table
from tests.conftest import Api
from tests.tables.importing.files import decide, rows_of, run, uploaded

pytestmark = pytest.mark.django_db(transaction=True)
JOBS = """Company,Salary,Since,Remote,Fee,Share,Spent
Acme,1200,2024-01-31,yes,"€1,250.50",5 %,1 h 30 min
Bolt,,2024-02-01,no,€7.00,12.5 %,25:10
"""


@pytest.mark.sqlite_only
def test_a_csv_file_becomes_a_table_with_typed_columns(api: Api) -> None:
    done = run(api, uploaded(api, JOBS))
    assert (done["state"], done["counts"]["added"], done["error"]) == ("done", 2, None)
    assert rows_of(api, done["table"]) == [
        {"Company": "Acme", "Salary": 1200, "Since": "2024-01-31", "Remote": True, "Fee": 1250.5, "Share": 0.05,
         "Spent": 90},
        {"Company": "Bolt", "Since": "2024-02-01", "Remote": False, "Fee": 7, "Share": 0.125, "Spent": 1510},
    ]  # fmt: skip
    columns = api.get(f"/api/tables/{done['table']}/").json()["columns"]
    assert [(column.get("format"), column.get("currency")) for column in columns] == [
        ("line", None), ("plain", None), ("date", None), (None, None), ("currency", "EUR"), ("percent", None),
        ("duration", None),
    ]  # fmt: skip
    assert Table.objects.get(pk=done["table"]).name == "jobs"


def test_rows_are_added_as_one_change_that_can_be_undone(api: Api, jobs: Table) -> None:
    before = rows_of(api, jobs.pk)
    version = Table.objects.get(pk=jobs.pk).version
    done = run(api, uploaded(api, "company,Salary,Due\nDune,5,2024-05-06\n", table=jobs.pk))
    assert (done["state"], Table.objects.get(pk=jobs.pk).version) == ("done", version + 1)
    assert rows_of(api, jobs.pk)[-1] == {"Company": "Dune", "Salary": 5, "Due": "2024-05-06"}
    change = Change.objects.get(pk=done["change"])
    assert (change.source, change.summary) == ("import", "Imported 1 row and 1 column from jobs.csv")
    undone = api.post(f"/api/tables/{jobs.pk}/changes/{change.pk}/undo/")
    assert (undone.status_code, rows_of(api, jobs.pk)) == (200, before)


def test_rows_with_a_known_key_are_updated_and_others_added(api: Api, jobs: Table) -> None:
    found = uploaded(api, "Company,Salary,Note\nAcme,11,\nDune,5,new\nBolt,,later\n", table=jobs.pk)
    done = run(api, decide(api, found, merge_on=["Company"]))
    assert (done["state"], done["counts"]["added"], done["counts"]["updated"]) == ("done", 1, 2)
    assert [(row["Company"], row.get("Salary"), row.get("Note")) for row in rows_of(api, jobs.pk)] == [
        ("Acme", 11, "12"), ("Bolt", None, "later"), ("Crux", 30, None), ("Dune", 5, "new"),
    ]  # fmt: skip


@pytest.mark.sqlite_only
@pytest.mark.parametrize(
    ("dates", "form"),
    [
        ("31.12.2027\nAcme,02.02.2027\nAcme,32.01.2027\n", "dmy"),
        ("02.03.2027\nAcme,03.02.2027\nAcme,soon\n", None),
        ("later\nAcme,soon\n", ""),
    ],
)
def test_a_date_column_gets_the_form_that_most_values_have(
    api: Api, jobs: Table, dates: str, form: str | None
) -> None:
    api.post(f"/api/tables/{jobs.pk}/columns/", {"name": "Due", "type": "date"})
    found = uploaded(api, f"Company,Due\nAcme,{dates}", table=jobs.pk)["columns"][1]
    assert (found["type"], found["found"]["type"], found["form"]) == ("date", "text", form)


@pytest.mark.sqlite_only
def test_nothing_is_written_before_a_decision_about_refused_cells(api: Api, jobs: Table) -> None:
    before = rows_of(api, jobs.pk)
    waiting = run(api, uploaded(api, "Company,Salary\nDune,much\nErgo,5\n,6\n", table=jobs.pk))
    assert (waiting["state"], rows_of(api, jobs.pk)) == ("waiting", before)
    report = api.get(f"/api/imports/{waiting['id']}/report/").json()
    assert [(cell["row"], cell["column"], cell["code"], cell["value"]) for cell in report["cells"]] == [
        (2, "Salary", "not_a_number", "much"), (4, "Company", "required", None),
    ]  # fmt: skip
    done = run(api, waiting, on_refused="empty")
    assert (done["state"], done["counts"]["added"]) == ("done", 2)
    assert [row["Company"] for row in rows_of(api, jobs.pk)[3:]] == ["Dune", "Ergo"]


@pytest.mark.sqlite_only
def test_rows_with_refused_cells_can_be_skipped(api: Api, jobs: Table) -> None:
    waiting = run(api, uploaded(api, "Company,Salary\nDune,much\nErgo,5\n", table=jobs.pk))
    done = run(api, waiting, on_refused="skip")
    assert [row["Company"] for row in rows_of(api, done["table"])[3:]] == ["Ergo"]
