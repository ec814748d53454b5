"""Imports that merge rows by the columns of a key."""
from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from typing import Any

import pytest
from django.db import connection

from tables.models import Import, Table
from tests.conftest import Api
from tests.tables.importing.files import decide, rows_of, run, uploaded

pytestmark = pytest.mark.django_db(transaction=True)
Json = dict[str, Any]
# More than one batch.
MANY = 1_200
HEAD = "Company,Salary\n"


def refused_rows(api: Api, imported: Json) -> list[tuple[int, str]]:
    """Return the numbers and error codes of refused rows."""
    report = api.get(f"/api/imports/{imported['id']}/report/", limit="1000").json()
    return [(cell["row"], cell["code"]) for cell in report["cells"]]


def lines(first: int, last: int, *, salary: int) -> str:
    return "".join(f"Firm {number},{salary}\n" for number in range(first, last))


def merge(api: Api, table: int, content: str, *, key: str = "Company", **options: Any) -> Json:
    return run(api, decide(api, uploaded(api, content, table=table), merge_on=[key], **options))


@pytest.fixture
def firms(api: Api, jobs: Table) -> int:
    """Add many rows with different companies to the table and return its id."""
    assert run(api, uploaded(api, HEAD + lines(0, MANY, salary=1), table=jobs.pk))["state"] == "done"
    return jobs.pk


def test_rows_with_known_keys_are_updated_and_others_added(api: Api, firms: int) -> None:
    before = rows_of(api, firms, limit=5_000)
    result = merge(api, firms, HEAD + lines(700, MANY + 700, salary=2))
    assert (result["state"], result["counts"]["updated"], result["counts"]["added"]) == ("done", MANY - 700, 700)
    salaries = {row["Company"]: row.get("Salary") for row in rows_of(api, firms, limit=5_000)}
    assert [salaries[f"Firm {number}"] for number in (0, 699, 700, MANY - 1, MANY, MANY + 699)] == [1, 1, 2, 2, 2, 2]
    assert len(salaries) == 3 + MANY + 700
    assert api.post(f"/api/tables/{firms}/changes/{result['change']}/undo/").status_code == 200
    assert rows_of(api, firms, limit=5_000) == before


@pytest.mark.sqlite_only
def test_the_first_of_rows_with_the_same_key_is_imported(api: Api, firms: int) -> None:
    content = f"{HEAD}Firm 3,7\nNew,7\n{lines(100, MANY + 100, salary=2)}New,8\nFirm 3,8\nFirm 3,9\nNew,9\n"
    result = merge(api, firms, content, on_refused="skip")
    last = MANY + 3
    assert refused_rows(api, result) == [(last + number, "doubled_key") for number in (1, 2, 3, 4)]
    salaries = {row["Company"]: row.get("Salary") for row in rows_of(api, firms, limit=5_000)}
    assert (salaries["Firm 3"], salaries["New"]) == (7, 7)


@pytest.mark.sqlite_only
def test_a_key_with_several_matches_is_refused(api: Api, jobs: Table) -> None:
    api.post(f"/api/tables/{jobs.pk}/rows/", {"Company": "Acme"})
    result = merge(api, jobs.pk, f"{HEAD}Acme,5\nBolt,6\n", on_refused="skip")
    assert (refused_rows(api, result), result["counts"]["updated"]) == ([(2, "many_matches")], 1)


@pytest.mark.parametrize("key", ["1e21", "-0", "0.5", "9007199254740993.0", "7"])
def test_number_keys_match_in_any_stored_form(api: Api, jobs: Table, key: str) -> None:
    value = {"1e21": 1e21, "-0": -0.0, "0.5": 0.5, "7": 7, "9007199254740993.0": 9007199254740992.0}[key]
    api.post(f"/api/tables/{jobs.pk}/rows/", {"Company": "Exact", "Salary": value})
    text = "1000000000000000000000.0" if key == "1e21" else key
    result = merge(api, jobs.pk, f"Salary,Note\n{text},found\n", key="Salary")
    assert (result["state"], result["counts"].get("updated")) == ("done", 1), refused_rows(api, result)
    assert [row["Company"] for row in rows_of(api, jobs.pk) if row.get("Note") == "found"] == ["Exact"]


@pytest.mark.sqlite_only
def test_rows_without_a_key_are_added(api: Api, jobs: Table) -> None:
    result = merge(api, jobs.pk, "Company,Salary\nOne,\nTwo,\nThree,30\n", key="Salary")
    assert (result["counts"]["updated"], result["counts"]["added"]) == (1, 2)


@pytest.mark.sqlite_only
def test_keys_are_matched_again_after_a_decision(api: Api, jobs: Table) -> None:
    imported = merge(api, jobs.pk, f"{HEAD}Dune,much\nErgo,5\n")
    assert imported["state"] == "waiting"
    api.post(f"/api/tables/{jobs.pk}/rows/", {"Company": "Ergo", "Salary": 1})
    result = run(api, imported, on_refused="empty")
    assert (result["counts"]["updated"], result["counts"]["added"]) == (1, 1)
    assert [row["Salary"] for row in rows_of(api, jobs.pk) if row["Company"] == "Ergo"] == [5]


def test_keys_are_matched_again_after_concurrent_changes(api: Api, jobs: Table) -> None:
    added: list[int] = []

    def add_before_keys_are_indexed(execute: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith("CREATE INDEX import_keys") and not added:
            with ThreadPoolExecutor(1) as thread:
                added.append(thread.submit(add).result())
        return execute(sql, *rest)

    def add() -> int:
        try:
            return api.post(f"/api/tables/{jobs.pk}/rows/", {"Company": "Ergo", "Salary": 1}).status_code
        finally:
            connection.close()

    with connection.execute_wrapper(add_before_keys_are_indexed):
        result = merge(api, jobs.pk, f"{HEAD}Ergo,5\n")
    assert (added, result["counts"]["updated"], result["counts"]["added"]) == ([201], 1, 0)
    assert [row["Salary"] for row in rows_of(api, jobs.pk) if row["Company"] == "Ergo"] == [5]


@pytest.mark.sqlite_only
def test_a_key_that_became_ambiguous_stops_the_import(api: Api, jobs: Table) -> None:
    imported = merge(api, jobs.pk, f"{HEAD}Dune,much\nAcme,5\n")
    api.post(f"/api/tables/{jobs.pk}/rows/", {"Company": "Acme"})
    failed = run(api, imported, on_refused="empty")
    assert (failed["state"], failed["error"]["code"], len(rows_of(api, jobs.pk))) == ("failed", "rows_changed", 4)


@pytest.mark.parametrize(("stored", "sent"), [("Café", "Cafe\u0301"), ("Cafe\u0301", "Café")], ids=["NFD", "NFC"])
def test_keys_match_across_unicode_normalization_forms(api: Api, jobs: Table, stored: str, sent: str) -> None:
    api.post(f"/api/tables/{jobs.pk}/rows/", {"Company": stored})
    result = merge(api, jobs.pk, f"{HEAD}{sent},5\n")
    assert (result["counts"]["updated"], result["counts"]["added"]) == (1, 0)


def test_temporary_key_tables_are_deleted(api: Api, jobs: Table) -> None:
    for content in (f"{HEAD}Acme,5\n", f"{HEAD}Acme,much\n"):
        merge(api, jobs.pk, content, on_refused="stop")
    assert Import.objects.filter(state="failed").count() == 1
    names = {
        "postgresql": "SELECT relname FROM pg_class WHERE relpersistence = 't'",
        "sqlite": "SELECT name FROM sqlite_temp_master",
    }
    with connection.cursor() as cursor:
        cursor.execute(names[connection.vendor])
        assert [name for (name,) in cursor.fetchall() if "import_keys" in name] == []
