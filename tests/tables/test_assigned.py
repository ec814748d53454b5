"""Rows assigned to a user, over REST and on their page."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from tables.column_types.person import MAX_ID
from tables.models import Member
from tables.selectors import AssignedCursor
from tests.captured_queries import CapturedQueries
from tests.conftest import Api

URL, PAGE = "/api/assigned/", "/tables/assigned/"
COLUMNS = [{"name": "Lead", "type": "person"}, {"name": "Task", "type": "text"}, {"name": "Deputy", "type": "person"}]


def create(api: Api, user: User, rows: list[dict[str, Any]], *, name: str = "Tasks") -> int:
    """Create a table of the user; "me" in a row is the user."""
    written = [{key: user.pk if value == "me" else value for key, value in row.items()} for row in rows]
    created = api.post("/api/tables/", {"name": name, "columns": COLUMNS, "rows": written})
    assert created.status_code == 201, created.content
    return int(created.json()["id"])


def listed(api: Api, url: str = URL) -> list[tuple[str, str, list[str]]]:
    """Return table, name and columns of the rows on all pages."""
    found = []
    while url:
        answer = api.get(url)
        assert answer.status_code == 200, answer.content
        found += [(row["table"]["name"], row["name"], row["columns"]) for row in answer.json()["rows"]]
        url = answer.json()["next"]
    return found


def test_rows_of_all_readable_tables_are_listed_in_pages(api: Api, other_api: Api, user: User) -> None:
    other = other_api.user
    assert other is not None
    shared = create(other_api, other, [{"Task": "c"}], name="Shared")
    Member.objects.create(table_id=shared, user=user, role="viewer")
    for leads in ([user.pk, other.pk], [other.pk, None]):
        rows = [{"Task": f"of {lead}", "Lead": lead, "Deputy": user.pk if lead is None else None} for lead in leads]
        assert other_api.post(f"/api/tables/{shared}/rows/", {"rows": rows}).status_code == 201
    rows = [{"Task": "b", "Lead": "me", "Deputy": "me"}, {"Lead": "me"}, {"Task": "x"}]
    mine = create(api, user, rows, name="<Mine>")
    trashed = create(api, user, [{"Task": "in the trash", "Lead": "me"}], name="Old")
    assert api.delete(f"/api/tables/{trashed}/").status_code == 200
    expected = [
        ("<Mine>", "b", ["Lead", "Deputy"]), ("<Mine>", "", ["Lead"]),
        ("Shared", f"of {user.pk}", ["Lead"]), ("Shared", "of None", ["Deputy"]),
    ]  # fmt: skip
    assert listed(api) == expected
    assert [row for limit in (1, 3) for row in listed(api, f"{URL}?limit={limit}")] == expected * 2
    assert [table for table, *_ in listed(other_api)] == ["Shared"] * 2
    page = api.client.get(PAGE).content.decode()
    assert (page.count("#row-"), "&lt;Mine&gt;" in page, "in the trash" in page) == (4, True, False)
    first = api.get(f"/api/tables/{mine}/rows/").json()["rows"][0]["id"]
    api.delete(f"/api/tables/{mine}/rows/{first}/")
    Member.objects.all().delete()
    assert listed(api) == [("<Mine>", "", ["Lead"])]


def test_queries_do_not_grow_with_the_tables(api: Api, user: User) -> None:
    counts = []
    for nth in range(3):
        create(api, user, [{"Task": "a", "Lead": "me"}] * 2, name=f"Tasks {nth}")
        with CapturedQueries() as queries:
            assert len(api.get(URL).json()["rows"]) == 2 * (nth + 1)
        counts.append(len(queries))
    assert counts[1] == counts[2]
    read = [query["sql"] for query in queries if "tables_row" in query["sql"]]
    assert len(read) == 1


def test_without_assigned_rows_the_page_says_so(api: Api) -> None:
    page = api.client.get(PAGE)
    assert (page.status_code, b"Nothing is assigned to you" in page.content) == (200, True)
    assert listed(api) == []


@pytest.mark.parametrize("text", ["x", "1", "1.2", "0.1.1", "1.2.-3", f"{MAX_ID + 1}.0.0", f"1.{MAX_ID + 1}.0", "1.²"])
def test_other_texts_are_no_cursor(text: str) -> None:
    assert AssignedCursor.read(text) is None
    cursor = AssignedCursor(3, -4, 5)
    assert AssignedCursor.read(str(cursor)) == cursor
