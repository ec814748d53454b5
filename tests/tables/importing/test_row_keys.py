"""Rows of a file that change rows of a table: by what they hold in the columns of the key, however many there are."""
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
# More than are looked at at a time.
MANY = 1_200
HEAD = "Company,Salary\n"


def refused(api: Api, imported: Json) -> list[tuple[int, str]]:
    """The rows that were left out, and why."""
    report = api.get(f"/api/imports/{imported['id']}/report/", limit="1000").json()
    return [(cell["row"], cell["code"]) for cell in report["cells"]]


def lines(first: int, last: int, *, salary: int) -> str:
    return "".join(f"Firm {number},{salary}\n" for number in range(first, last))


def merged(api: Api, table: int, content: str, *, key: str = "Company", **said: Any) -> Json:
    return run(api, decide(api, uploaded(api, content, table=table), merge_on=[key], **said))


@pytest.fixture
def firms(api: Api, jobs: Table) -> int:
    """The table with many more rows, each of another firm."""
    assert run(api, uploaded(api, HEAD + lines(0, MANY, salary=1), table=jobs.pk))["state"] == "done"
    return jobs.pk


def test_many_rows_are_found_by_their_keys_and_the_others_are_new(api: Api, firms: int) -> None:
    before = rows_of(api, firms, limit=5_000)
    done = merged(api, firms, HEAD + lines(700, MANY + 700, salary=2))
    assert (done["state"], done["counts"]["updated"], done["counts"]["added"]) == ("done", MANY - 700, 700)
    salaries = {row["Company"]: row.get("Salary") for row in rows_of(api, firms, limit=5_000)}
    assert [salaries[f"Firm {number}"] for number in (0, 699, 700, MANY - 1, MANY, MANY + 699)] == [1, 1, 2, 2, 2, 2]
    assert len(salaries) == 3 + MANY + 700
    assert api.post(f"/api/tables/{firms}/changes/{done['change']}/undo/").status_code == 200
    assert rows_of(api, firms, limit=5_000) == before


def test_of_rows_with_the_same_key_the_first_counts_however_far_away_the_others_are(api: Api, firms: int) -> None:
    content = f"{HEAD}Firm 3,7\nNew,7\n{lines(100, MANY + 100, salary=2)}New,8\nFirm 3,8\nFirm 3,9\nNew,9\n"
    done = merged(api, firms, content, on_refused="skip")
    last = MANY + 3
    assert refused(api, done) == [(last + number, "doubled_key") for number in (1, 2, 3, 4)]
    salaries = {row["Company"]: row.get("Salary") for row in rows_of(api, firms, limit=5_000)}
    assert (salaries["Firm 3"], salaries["New"]) == (7, 7)


def test_a_key_that_several_rows_have_says_of_none_that_it_is_meant(api: Api, jobs: Table) -> None:
    api.post(f"/api/tables/{jobs.pk}/rows/", {"Company": "Acme"})
    done = merged(api, jobs.pk, f"{HEAD}Acme,5\nBolt,6\n", on_refused="skip")
    assert (refused(api, done), done["counts"]["updated"]) == ([(2, "many_matches")], 1)


@pytest.mark.parametrize("key", ["1e21", "-0", "0.5", "9007199254740993.0", "7"])
def test_a_number_is_found_in_whatever_form_it_is_kept(api: Api, jobs: Table, key: str) -> None:
    value = {"1e21": 1e21, "-0": -0.0, "0.5": 0.5, "7": 7, "9007199254740993.0": 9007199254740992.0}[key]
    api.post(f"/api/tables/{jobs.pk}/rows/", {"Company": "Exact", "Salary": value})
    written = "1000000000000000000000.0" if key == "1e21" else key
    done = merged(api, jobs.pk, f"Salary,Note\n{written},found\n", key="Salary")
    assert (done["state"], done["counts"].get("updated")) == ("done", 1), refused(api, done)
    assert [row["Company"] for row in rows_of(api, jobs.pk) if row.get("Note") == "found"] == ["Exact"]


def test_rows_without_a_key_are_new_ones(api: Api, jobs: Table) -> None:
    done = merged(api, jobs.pk, "Company,Salary\nOne,\nTwo,\nThree,30\n", key="Salary")
    assert (done["counts"]["updated"], done["counts"]["added"]) == (1, 2)


def test_what_changed_while_somebody_was_deciding_is_asked_anew(api: Api, jobs: Table) -> None:
    waiting = merged(api, jobs.pk, f"{HEAD}Dune,much\nErgo,5\n")
    assert waiting["state"] == "waiting"
    api.post(f"/api/tables/{jobs.pk}/rows/", {"Company": "Ergo", "Salary": 1})
    done = run(api, waiting, on_refused="empty")
    assert (done["counts"]["updated"], done["counts"]["added"]) == (1, 1)
    assert [row["Salary"] for row in rows_of(api, jobs.pk) if row["Company"] == "Ergo"] == [5]


def test_what_changed_while_the_file_was_read_is_asked_anew(api: Api, jobs: Table) -> None:
    added: list[int] = []

    def add_when_all_keys_are_known(execute: Any, sql: str, *rest: Any) -> Any:
        if sql.startswith("CREATE INDEX import_keys") and not added:
            with ThreadPoolExecutor(1) as thread:
                added.append(thread.submit(add).result())
        return execute(sql, *rest)

    def add() -> int:
        try:
            return api.post(f"/api/tables/{jobs.pk}/rows/", {"Company": "Ergo", "Salary": 1}).status_code
        finally:
            connection.close()

    with connection.execute_wrapper(add_when_all_keys_are_known):
        done = merged(api, jobs.pk, f"{HEAD}Ergo,5\n")
    assert (added, done["counts"]["updated"], done["counts"]["added"]) == ([201], 1, 0)
    assert [row["Salary"] for row in rows_of(api, jobs.pk) if row["Company"] == "Ergo"] == [5]


def test_a_key_that_became_that_of_several_rows_meanwhile_stops_it(api: Api, jobs: Table) -> None:
    waiting = merged(api, jobs.pk, f"{HEAD}Dune,much\nAcme,5\n")
    api.post(f"/api/tables/{jobs.pk}/rows/", {"Company": "Acme"})
    failed = run(api, waiting, on_refused="empty")
    assert (failed["state"], failed["error"]["code"], len(rows_of(api, jobs.pk))) == ("failed", "rows_changed", 4)


@pytest.mark.parametrize(("stored", "sent"), [("Café", "Cafe\u0301"), ("Cafe\u0301", "Café")], ids=["NFD", "NFC"])
def test_composed_and_decomposed_text_is_the_same_key(api: Api, jobs: Table, stored: str, sent: str) -> None:
    api.post(f"/api/tables/{jobs.pk}/rows/", {"Company": stored})
    done = merged(api, jobs.pk, f"{HEAD}{sent},5\n")
    assert (done["counts"]["updated"], done["counts"]["added"]) == (1, 0)


def test_nothing_is_left_of_the_keys(api: Api, jobs: Table) -> None:
    for content in (f"{HEAD}Acme,5\n", f"{HEAD}Acme,much\n"):
        merged(api, jobs.pk, content, on_refused="stop")
    assert Import.objects.filter(state="failed").count() == 1
    names = {
        "postgresql": "SELECT relname FROM pg_class WHERE relpersistence = 't'",
        "sqlite": "SELECT name FROM sqlite_temp_master",
    }
    with connection.cursor() as cursor:
        cursor.execute(names[connection.vendor])
        assert [name for (name,) in cursor.fetchall() if "import_keys" in name] == []
