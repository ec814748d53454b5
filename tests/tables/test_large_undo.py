"""What a change did to very many rows is taken back a part at a time, as exactly as what another did at once."""
from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables.models import ChangePiece, Table
from tables.operations import Origin
from tables.services import create_table
from tables.services.undo.changes import MAX_WHOLE
from tables.services.undo.large_changes import PIECES_PER_PART
from tables.signals import change_made
from tests.conftest import Api
from tests.tables.importing.files import decide, run, uploaded
from tests.tables.snapshots import snapshot

pytestmark = pytest.mark.django_db(transaction=True)
# Of so many columns, only few rows fit into a piece of a change.
WIDE = 490
ROWS = 420
Json = dict[str, Any]


@pytest.fixture
def wide(user: User) -> int:
    """A table of many columns with one row."""
    columns = [{"name": f"C{number}", "type": "text"} for number in range(WIDE)]
    table = create_table(user=user, name="Wide", columns=columns, rows=[{"C0": "there"}], origin=Origin("api"))
    return table.pk


def lines(*names: str, start: int = 0, count: int = ROWS, filled: int = WIDE) -> str:
    """A file with these columns, of which the first `filled` have values."""
    rest, numbers = "," * (len(names) - filled), range(start, start + count)
    rows = [",".join(f"{name.lower()} {number}" for name in names[:filled]) + rest for number in numbers]
    return "\n".join([",".join(names), *rows, ""])


def imported(api: Api, content: str, *, table: int | None = None, **choices: Any) -> Json:
    """An import that is done, and is more than one part of a change."""
    found = uploaded(api, content, table=table)
    if choices:
        found = decide(api, found, **choices)
    done = run(api, found)
    assert done["state"] == "done", done
    assert ChangePiece.objects.filter(change=done["change"]).count() > MAX_WHOLE
    return done


def door(done: Json, what: str) -> str:
    return f"/api/tables/{done['table']}/changes/{done['change']}/{what}/"


def rows(api: Api, table: int) -> list[Json]:
    return list(api.get(f"/api/tables/{table}/rows/", limit=1000).json()["rows"])


@pytest.fixture
def announced() -> Iterator[list[Any]]:
    """Ids of rows that were announced to open pages, by change."""
    found: list[Any] = []

    def note(body: Json, **_: Any) -> None:
        found.append(body["rows"])

    change_made.connect(note)
    yield found
    change_made.disconnect(note)


def test_a_large_import_is_undone_and_done_again_and_undone_exactly(api: Api, wide: int, announced: list[Any]) -> None:
    before = snapshot(wide)
    done = imported(api, lines("C0", "C1"), table=wide)
    after = snapshot(wide)
    ids = [row["id"] for row in rows(api, wide)[1:]]
    for what, state in (("undo", before), ("redo", after), ("undo", before), ("redo", after)):
        assert api.post(door(done, what)).status_code == 200
        assert snapshot(wide) == state
        assert sorted(announced[-1]) == ids
    assert Table.objects.get(pk=wide).known_rows == ROWS + 1


def test_a_table_that_came_of_a_large_file_goes_with_its_rows_and_comes_back(api: Api) -> None:
    done = imported(api, lines(*(f"N{number}" for number in range(WIDE)), filled=5))
    after = snapshot(done["table"])
    assert api.post(door(done, "undo")).json()["table"]["trashed"] is True
    gone = snapshot(done["table"])
    assert (gone["trashed"], gone["columns"], gone["rows"]) == (True, [], [])
    assert api.post(door(done, "redo")).status_code == 200
    assert snapshot(done["table"]) == after


def test_columns_that_came_with_a_large_file_go_with_its_rows_alone(api: Api, wide: int) -> None:
    before = snapshot(wide)
    done = imported(api, lines("C0", "Fresh"), table=wide)
    after = snapshot(wide)
    assert len(after["columns"]) == WIDE + 1
    for what, state in (("undo", before), ("redo", after), ("undo", before)):
        assert api.post(door(done, what)).status_code == 200
        assert snapshot(wide) == state


def test_never_are_all_pieces_of_a_large_change_read_at_once(api: Api, wide: int) -> None:
    done = imported(api, lines("C0"), table=wide)
    with CaptureQueriesContext(connection) as sent:
        assert api.post(door(done, "undo")).status_code == 200
    read = [one["sql"] for one in sent.captured_queries if one["sql"].startswith('SELECT "tables_changepiece"')]
    assert [sql for sql in read if not sql.endswith(f"LIMIT {PIECES_PER_PART}")] == []
    assert len(read) > 1


def test_a_change_of_some_parts_is_undone_as_a_whole_and_read_before_the_table_is_locked(api: Api, wide: int) -> None:
    count = ROWS * (PIECES_PER_PART + 1) // MAX_WHOLE
    done = run(api, uploaded(api, lines("C0", count=count), table=wide))
    assert PIECES_PER_PART < ChangePiece.objects.filter(change=done["change"]).count() <= MAX_WHOLE
    with CaptureQueriesContext(connection) as sent:
        assert api.post(door(done, "undo")).status_code == 200
    statements = [one["sql"] for one in sent.captured_queries]
    lock = next(n for n, sql in enumerate(statements) if "BEGIN IMMEDIATE" in sql or "FOR UPDATE" in sql)
    assert [sql for sql in statements[lock:] if re.search('SELECT.*"tables_changepiece"|"data"', sql)] == []


def test_what_was_changed_since_in_any_part_is_listed_and_nothing_is_done(api: Api, wide: int) -> None:
    done = imported(api, lines("C0"), table=wide)
    first, *_, last = rows(api, wide)[1:]
    for row in (first, last):
        api.patch(f"/api/tables/{wide}/rows/{row['id']}/", {"data": {"C0": "since"}})
    before = snapshot(wide)
    refused = api.post(door(done, "undo"))
    assert (refused.status_code, refused.json()["conflicts"]) == (409, 2)
    column = before["columns"][0]["id"]
    assert [fault["path"] for fault in refused.json()["errors"]] == [f"{row['id']}:{column}" for row in (first, last)]
    assert snapshot(wide) == before
    assert api.post(door(done, "undo"), {"on_conflict": "keep"}).status_code == 200
    assert [row["data"] for row in rows(api, wide)] == [{"C0": "there"}, {"C0": "since"}, {"C0": "since"}]


def test_of_very_many_rows_too_nothing_may_be_left_to_take_back(api: Api, wide: int) -> None:
    done = imported(api, lines("C0"), table=wide)
    api.post(f"/api/tables/{wide}/rows/delete/", {"ids": [row["id"] for row in rows(api, wide)[1:]]})
    before = snapshot(wide)
    refused = api.post(door(done, "undo"), {"on_conflict": "keep"})
    assert (refused.status_code, refused.json()["error"]) == (409, "nothing_left")
    assert snapshot(wide) == before


def test_values_that_others_put_into_a_column_that_would_go_are_listed(api: Api, wide: int) -> None:
    done = imported(api, lines("C0", "Fresh"), table=wide)
    mine, changed = rows(api, wide)[0], rows(api, wide)[-1]
    for row in (mine, changed):
        api.patch(f"/api/tables/{wide}/rows/{row['id']}/", {"data": {"Fresh": "since"}})
    before = snapshot(wide)
    refused = api.post(door(done, "undo"))
    assert {fault["path"].split(":")[0] for fault in refused.json()["errors"]} == {str(mine["id"]), str(changed["id"])}
    assert (refused.status_code, snapshot(wide)) == (409, before)
    assert api.post(door(done, "undo"), {"on_conflict": "overwrite"}).status_code == 200
    assert [row["data"] for row in rows(api, wide)] == [{"C0": "there"}]


def test_rows_that_a_large_file_changed_are_as_they_were_also_where_columns_came_with_it(api: Api, wide: int) -> None:
    imported(api, lines("C0", "C1"), table=wide)
    before = snapshot(wide)
    both = lines("C0", "Fresh", start=10)
    done = run(api, decide(api, uploaded(api, both, table=wide), merge_on=["C0"]))
    assert (done["counts"]["updated"], done["counts"]["added"]) == (ROWS - 10, 10)
    after = snapshot(wide)
    for what, state in (("undo", before), ("redo", after), ("undo", before)):
        assert api.post(door(done, what)).status_code == 200
        assert snapshot(wide) == state
