"""Undo and redo of changes stored in several pieces."""
from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables.models import Change, ChangePiece, Table
from tables.operations import Origin
from tables.services import create_table
from tables.services.undo.changes import MAX_UNLOCKED_PIECES
from tables.services.undo.large_changes import PIECES_PER_PART
from tables.signals import change_made
from tests.conftest import Api
from tests.tables.importing.files import decide, run, uploaded
from tests.tables.snapshots import snapshot

pytestmark = pytest.mark.django_db(transaction=True)
# With this many columns, only few rows fit into a piece of a change.
WIDE = 490
ROWS = 420
Json = dict[str, Any]


@pytest.fixture
def wide(user: User) -> int:
    """Create a table of many columns with one row."""
    columns = [{"name": f"C{number}", "type": "text"} for number in range(WIDE)]
    table = create_table(user=user, name="Wide", columns=columns, rows=[{"C0": "there"}], origin=Origin("api"))
    return table.pk


def lines(*names: str, start: int = 0, count: int = ROWS, filled: int = WIDE) -> str:
    """Return a file with these columns, of which the first `filled` have values."""
    rest, numbers = "," * (len(names) - filled), range(start, start + count)
    rows = [",".join(f"{name.lower()} {number}" for name in names[:filled]) + rest for number in numbers]
    return "\n".join([",".join(names), *rows, ""])


def imported(api: Api, content: str, *, table: int | None = None, **choices: Any) -> Json:
    """Run an import whose change has more than one piece."""
    found = uploaded(api, content, table=table)
    if choices:
        found = decide(api, found, **choices)
    done = run(api, found)
    assert done["state"] == "done", done
    assert ChangePiece.objects.filter(change=done["change"]).count() > MAX_UNLOCKED_PIECES
    return done


def change_url(done: Json, verb: str) -> str:
    return f"/api/tables/{done['table']}/changes/{done['change']}/{verb}/"


def rows(api: Api, table: int) -> list[Json]:
    return list(api.get(f"/api/tables/{table}/rows/", limit=1000).json()["rows"])


@pytest.fixture
def announced() -> Iterator[list[Any]]:
    """Collect the row ids that are sent to open pages, by change."""
    found: list[Any] = []

    def record(body: Json, **_: Any) -> None:
        found.append(body["rows"])

    change_made.connect(record)
    yield found
    change_made.disconnect(record)


def test_a_large_import_is_undone_and_redone_exactly(api: Api, wide: int, announced: list[Any]) -> None:
    before = snapshot(wide)
    done = imported(api, lines("C0", "C1"), table=wide)
    after = snapshot(wide)
    ids = [row["id"] for row in rows(api, wide)[1:]]
    for verb, state in (("undo", before), ("redo", after), ("undo", before)):
        assert api.post(change_url(done, verb)).status_code == 200
        assert snapshot(wide) == state
        assert sorted(announced[-1]) == ids
        assert Change.objects.latest("pk").counts == {"delete" if verb == "undo" else "add": ROWS}
    assert Table.objects.get(pk=wide).known_rows == 1


@pytest.mark.sqlite_only
def test_undoing_an_imported_table_trashes_it_and_redo_restores_it(api: Api) -> None:
    done = imported(api, lines(*(f"N{number}" for number in range(WIDE)), filled=5))
    after = snapshot(done["table"])
    assert api.post(change_url(done, "undo")).json()["table"]["trashed"] is True
    trashed = snapshot(done["table"])
    assert (trashed["trashed"], trashed["columns"], trashed["rows"]) == (True, [], [])
    assert api.post(change_url(done, "redo")).status_code == 200
    assert snapshot(done["table"]) == after


@pytest.mark.sqlite_only
def test_undoing_an_import_removes_its_columns_and_rows(api: Api, wide: int) -> None:
    before = snapshot(wide)
    done = imported(api, lines("C0", "Fresh"), table=wide)
    after = snapshot(wide)
    assert len(after["columns"]) == WIDE + 1
    for verb, state in (("undo", before), ("redo", after)):
        assert api.post(change_url(done, verb)).status_code == 200
        assert snapshot(wide) == state


@pytest.mark.sqlite_only
def test_pieces_of_a_large_change_are_read_one_at_a_time(api: Api, wide: int) -> None:
    done = imported(api, lines("C0"), table=wide)
    with CaptureQueriesContext(connection) as sent:
        assert api.post(change_url(done, "undo")).status_code == 200
    read = [one["sql"] for one in sent.captured_queries if one["sql"].startswith('SELECT "tables_changepiece"')]
    assert [sql for sql in read if not sql.endswith(f"LIMIT {PIECES_PER_PART}")] == []
    assert len(read) > 1


def test_pieces_are_read_before_the_table_is_locked(api: Api, wide: int) -> None:
    count = ROWS * (PIECES_PER_PART + 1) // MAX_UNLOCKED_PIECES
    done = run(api, uploaded(api, lines("C0", count=count), table=wide))
    assert PIECES_PER_PART < ChangePiece.objects.filter(change=done["change"]).count() <= MAX_UNLOCKED_PIECES
    with CaptureQueriesContext(connection) as sent:
        assert api.post(change_url(done, "undo")).status_code == 200
    statements = [one["sql"] for one in sent.captured_queries]
    lock = next(n for n, sql in enumerate(statements) if "BEGIN IMMEDIATE" in sql or "FOR UPDATE" in sql)
    assert [sql for sql in statements[lock:] if re.search('SELECT.*"tables_changepiece"|"data"', sql)] == []


@pytest.mark.sqlite_only
def test_conflicts_in_any_piece_are_listed_and_nothing_is_written(api: Api, wide: int) -> None:
    done = imported(api, lines("C0"), table=wide)
    first, *_, last = rows(api, wide)[1:]
    for row in (first, last):
        api.patch(f"/api/tables/{wide}/rows/{row['id']}/", {"data": {"C0": "since"}})
    before = snapshot(wide)
    refused = api.post(change_url(done, "undo"))
    assert (refused.status_code, refused.json()["conflicts"]) == (409, 2)
    paths = [f"rows[{row['id']}].data.C0" for row in (first, last)]
    assert [fault["path"] for fault in refused.json()["errors"]] == paths
    assert snapshot(wide) == before
    assert api.post(change_url(done, "undo"), {"on_conflict": "skip"}).status_code == 200
    assert [row["data"] for row in rows(api, wide)] == [{"C0": "there"}, {"C0": "since"}, {"C0": "since"}]


@pytest.mark.sqlite_only
def test_a_large_undo_without_effect_is_refused(api: Api, wide: int) -> None:
    done = imported(api, lines("C0"), table=wide)
    api.post(f"/api/tables/{wide}/rows/delete/", {"ids": [row["id"] for row in rows(api, wide)[1:]]})
    before = snapshot(wide)
    refused = api.post(change_url(done, "undo"), {"on_conflict": "skip"})
    assert (refused.status_code, refused.json()["error"]) == (409, "nothing_left")
    assert snapshot(wide) == before


@pytest.mark.sqlite_only
def test_later_values_in_an_added_column_are_conflicts(api: Api, wide: int) -> None:
    done = imported(api, lines("C0", "Fresh"), table=wide)
    mine, changed = rows(api, wide)[0], rows(api, wide)[-1]
    for row in (mine, changed):
        api.patch(f"/api/tables/{wide}/rows/{row['id']}/", {"data": {"Fresh": "since"}})
    before = snapshot(wide)
    refused = api.post(change_url(done, "undo"))
    paths = {f"rows[{row['id']}].data.Fresh" for row in (mine, changed)}
    assert {fault["path"] for fault in refused.json()["errors"]} == paths
    assert (refused.status_code, snapshot(wide)) == (409, before)
    assert api.post(change_url(done, "undo"), {"on_conflict": "overwrite"}).status_code == 200
    assert [row["data"] for row in rows(api, wide)] == [{"C0": "there"}]


def test_updated_rows_are_restored_exactly_with_added_columns(api: Api, wide: int) -> None:
    imported(api, lines("C0", "C1"), table=wide)
    before = snapshot(wide)
    both = lines("C0", "Fresh", start=10)
    done = run(api, decide(api, uploaded(api, both, table=wide), merge_on=["C0"]))
    assert (done["counts"]["updated"], done["counts"]["added"]) == (ROWS - 10, 10)
    after = snapshot(wide)
    for verb, state in (("undo", before), ("redo", after), ("undo", before)):
        assert api.post(change_url(done, verb)).status_code == 200
        assert snapshot(wide) == state
