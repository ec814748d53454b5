"""The history filtered by user, source or row, over REST and on the page."""
from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User

from tables.models import Member, Table
from tables.operations import Origin
from tables.selectors.history.details import MAX_SEARCHED_PIECES
from tables.services import delete_rows, update_rows
from tables.views.history.pages import PAGE_CHANGES
from tests.conftest import Api
from tests.tables.test_change_details import NO_ROWS, entries, queries, stored
from tests.tables.test_change_pages import page, shown
from tests.tables.test_undo import Apply, column, ids


@pytest.fixture
def shared(user: User, jobs: Table) -> Table:
    """A table changed by its owner in the grid and by a member through the API."""
    first, second, _ = ids(jobs)
    bea = User.objects.create_user("bea")
    Member.objects.create(table=jobs, user=bea, name="bea", role="editor")
    for by, source, row, salary in ((user, "grid", first, 1), (bea, "api", second, 2), (bea, "grid", first, 3)):
        rows = [{"id": row, "data": {"Salary": salary}}]
        update_rows(user=by, table_id=jobs.pk, rows=rows, origin=Origin(source))
    return jobs


def versions(api: Api, table: Table, **query: Any) -> list[int]:
    """Return the listed changes by their distance from the latest one, which is 0."""
    answer = api.get(f"/api/tables/{table.pk}/changes/", **query)
    assert answer.status_code == 200, answer.content
    newest = Table.objects.get(pk=table.pk).version
    return [newest - change["version"] for change in answer.json()["changes"]]


def test_changes_are_filtered_by_user_source_and_row(api: Api, shared: Table) -> None:
    first, second, third = ids(shared)
    assert versions(api, shared, person="bea") == [0, 1]
    assert versions(api, shared, person="nobody") == []
    assert versions(api, shared, source="grid") == [0, 2]
    assert versions(api, shared, person="bea", source="grid") == [0]
    # The last two created the table and its rows.
    assert versions(api, shared, row=first) == [0, 2, 3]
    assert versions(api, shared, row=second) == [1, 3]
    assert versions(api, shared, row=first, person="bea") == [0]
    assert versions(api, shared, row=third, limit=1) == [3]
    assert versions(api, shared, row=10**9) == []


@pytest.mark.sqlite_only
@pytest.mark.parametrize("query", [{"source": "nothing"}, {"source": ""}, {"row": "x"}, {"row": 0}])
def test_invalid_filters_are_refused_with_their_parameter(api: Api, jobs: Table, query: dict[str, Any]) -> None:
    answer = api.get(f"/api/tables/{jobs.pk}/changes/", **query)
    assert (answer.status_code, answer.json()["errors"][0]["path"]) == (400, next(iter(query)))


def test_the_id_of_a_row_is_not_found_in_cells_and_other_ids(api: Api, jobs: Table) -> None:
    row, note = ids(jobs)[0], column(jobs, "Note")
    cells = {note: f"[{row}, "}
    stored(jobs, {"rows": [[int(f"{row}7"), {note: ""}, cells], [int(f"7{row}"), {note: ""}, {note: "y"}]]})
    assert versions(api, jobs, row=row) == [1]


def test_deletion_and_undo_belong_to_the_history_of_a_row(api: Api, user: User, jobs: Table) -> None:
    row = ids(jobs)[0]
    delete_rows(user=user, table_id=jobs.pk, row_ids=[row], origin=Origin("grid"))
    assert versions(api, jobs, row=row) == [0, 1]


@pytest.mark.parametrize("limit", [1, 50])
def test_each_request_searches_a_limited_number_of_pieces(api: Api, jobs: Table, limit: int) -> None:
    """All pages together list each change once, though some are empty; large changes are searched in parts."""
    row = ids(jobs)[0]
    other = {"rows": entries(jobs, 1000, 1)}
    versions_of_row = [jobs.version]
    for size, matches in ((1, False), (200, True), (1, True), (MAX_SEARCHED_PIECES + 100, True), (250, False)):
        change = stored(jobs, *([other] * (size - 1)), {"rows": entries(jobs, row if matches else 2000, 1)})
        versions_of_row += [change.version] if matches else []
    found, sizes, address = [], [], f"/api/tables/{jobs.pk}/changes/?row={row}&limit={limit}"
    while address:
        body = api.get(address).json()
        sizes.append(len(body["changes"]))
        found += [change["version"] for change in body["changes"]]
        address = body["next"]
    assert found == sorted(versions_of_row, reverse=True)
    # The first two searches end in the largest change, whose last piece contains the row.
    assert sizes[:2] == [0, 0]


@pytest.mark.parametrize("place", [0, MAX_SEARCHED_PIECES - 1, MAX_SEARCHED_PIECES, 2 * MAX_SEARCHED_PIECES])
def test_a_row_is_found_once_in_any_part_of_a_large_change(api: Api, jobs: Table, place: int) -> None:
    row = ids(jobs)[0]
    pieces = [{"rows": entries(jobs, 1000, 1)}] * (2 * MAX_SEARCHED_PIECES + 1)
    pieces[place] = {"rows": entries(jobs, row, 1)}
    change = stored(jobs, *pieces)
    first = api.get(f"/api/tables/{jobs.pk}/changes/", row=row).json()
    found, following = [each["version"] for each in first["changes"]], first["next"]
    while following:
        body = api.get(following).json()
        found += [each["version"] for each in body["changes"]]
        following = body["next"]
    assert found == [change.version, jobs.version]
    # The page links to the same parts.
    older = api.get(page(jobs), row=row).context["older"]
    in_part = f"?row={row}&before={change.version + 1}&piece={MAX_SEARCHED_PIECES}"
    assert older == (in_part if place >= MAX_SEARCHED_PIECES else f"?row={row}&before={change.version}")


def test_queries_of_the_history_of_a_row_are_constant(api: Api, jobs: Table) -> None:
    row = ids(jobs)[0]
    stored(jobs, NO_ROWS, {"rows": entries(jobs, row, 1)})
    few = queries(lambda: versions(api, jobs, row=row))
    for _ in range(5):
        stored(jobs, *({"rows": entries(jobs, row, 50)} for _ in range(3)))
    assert queries(lambda: versions(api, jobs, row=row)) == few


@pytest.mark.sqlite_only
def test_the_page_shows_the_changes_of_one_row(api: Api, jobs: Table, apply_rows: Apply) -> None:
    row = ids(jobs)[0]
    changes = {"Salary": 7}
    apply_rows(*({"action": "update", "row_id": each, "changes": changes} for each in ids(jobs)))
    answer = api.get(page(jobs), row=row)
    text = answer.content.decode()
    assert shown(answer) == [
        "Changed row: Acme Salary 10 → is now 7",
        "New row: Acme Company Acme Status Open Salary 10 Note 12",
    ]
    assert "Row: <b>Acme</b>" in text
    assert text.count('<details class="history-item__details" open>') == 2


@pytest.mark.sqlite_only
def test_the_page_filters_by_user_and_source_and_is_paged(api: Api, shared: Table) -> None:
    oldest = Table.objects.get(pk=shared.pk).version + 1
    for _ in range(PAGE_CHANGES):
        change = stored(shared)
        change.actor = User.objects.get(username="bea")
        change.save()
    text = api.get(page(shared), person="bea").content.decode()
    assert text.count('<li class="history-item">') == PAGE_CHANGES
    assert '<option value="bea" selected>bea</option>' in text
    assert f'href="?person=bea&amp;before={oldest}"' in text
    few = api.get(page(shared), person="bea", source="grid").content.decode()
    assert few.count('<li class="history-item">') == 1
    assert "Older changes" not in few
    nothing = api.get(page(shared), person="bea", source="import").content.decode()
    assert "No change matches this filter." in nothing


@pytest.mark.sqlite_only
@pytest.mark.parametrize("query", [{"row": "x"}, {"source": "x"}, {"person": "a\0"}])
def test_invalid_queries_of_the_page_are_404(api: Api, jobs: Table, query: dict[str, str]) -> None:
    assert api.get(page(jobs), **query).status_code == 404
