"""Tasks for large tables: renewing stale statistics and managing cell indexes."""
from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.core.cache import cache
from django.utils import timezone
from django_tasks_db.models import DBTaskResult

from tables.models import CachedStatistics, ColumnUse, Table
from tables.operations import Origin
from tables.operations.queries.filters import parse_filter
from tables.selectors import cached_stats, get_table, table_shape
from tables.selectors.statistics.cache import LARGE
from tables.services import add_rows, cell_indexes, request_statistics, update_cell_indexes
from tests.background_worker import work
from tests.conftest import Api
from tests.tables.sample_tables import write_copies

pytestmark = pytest.mark.django_db(transaction=True)

UPDATE_HINT = "tables.tasks.refresh_stored_statistics"
INDEX = "tables.tasks.maintain_indexes"


@pytest.fixture
def large(jobs: Table) -> Table:
    """Make the table count as large."""
    write_copies(jobs, {"Company": "Acme", "Salary": 5}, count=LARGE)
    Table.objects.filter(pk=jobs.pk).update(next_position=LARGE + 3)
    return jobs


@pytest.fixture
def reload(user: User, jobs: Table) -> Callable[[], Table]:
    """Return a function that reads the table as another process would, without cached values."""

    def read() -> Table:
        cache.clear()
        return get_table(user, jobs.pk)

    return read


def add(user: User, table: Table) -> None:
    add_rows(user=user, table_id=table.pk, rows=[{"Company": "Hooli"}], origin=Origin("api"))


def waiting_tasks(task: str) -> int:
    return DBTaskResult.objects.filter(task_path=task, status="READY").count()


def test_a_worker_renews_statistics_for_all_processes(
    user: User, large: Table, reload: Callable[[], Table]
) -> None:
    rows = cached_stats(large, allow_stale=True).value["row_count"]
    add(user, large)
    old = cached_stats(reload(), allow_stale=True)
    assert (old.value["row_count"], old.age >= 1, waiting_tasks(UPDATE_HINT)) == (rows, True, 1)
    work()
    new = cached_stats(reload(), allow_stale=True)
    assert (new.value["row_count"], new.age, waiting_tasks(UPDATE_HINT)) == (rows + 1, 0, 0)


def test_stale_statistics_are_renewed_once(
    user: User, large: Table, reload: Callable[[], Table]
) -> None:
    cached_stats(large, allow_stale=True)
    add(user, large)
    for _ in range(5):
        cached_stats(reload(), allow_stale=True)
    assert waiting_tasks(UPDATE_HINT) == 1


def test_concurrent_renewal_requests_enqueue_one_task(large: Table) -> None:
    cached_stats(large, allow_stale=True)
    key, now = CachedStatistics.objects.get().pk, timezone.now()
    assert [request_statistics(key=key, now=now) for _ in range(2)] == [True, False]


def test_statistics_of_a_filter_are_renewed_separately(user: User, large: Table, reload: Callable[[], Table]) -> None:
    condition = {"column": "Salary", "op": "empty"}

    def stats() -> Any:
        table = reload()
        parsed = parse_filter({"or": [condition, {"column": "Salary", "op": "lt", "value": 7}]},
                              shape=table_shape(table), today=date(2024, 1, 1))  # fmt: skip
        return cached_stats(table, filter=parsed, search="o", allow_stale=True).value["row_count"]

    write_copies(large, {"Company": "Soo"}, count=LARGE + 1)
    before = stats()
    add(user, large)
    stats()
    work()
    assert stats() == before + 1


def test_statistics_are_computed_without_a_worker(user: User, large: Table, reload: Callable[[], Table]) -> None:
    rows = cached_stats(large, allow_stale=True).value["row_count"]
    add(user, large)
    cached_stats(reload(), allow_stale=True)
    CachedStatistics.objects.update(requested_at=timezone.now() - timedelta(minutes=2))
    found = cached_stats(reload(), allow_stale=True)
    assert (found.value["row_count"], found.age) == (rows + 1, 0)


def test_unreadable_statistics_are_not_renewed(
    user: User, large: Table, reload: Callable[[], Table], apply_columns: Callable[..., Any]
) -> None:
    cached_stats(large, allow_stale=True)
    add(user, large)
    cached_stats(reload(), allow_stale=True)
    apply_columns({"action": "remove", "column_id": "Note"})
    work()
    assert CachedStatistics.objects.count() == 0


def test_statistics_of_small_tables_are_not_renewed(user: User, jobs: Table, reload: Callable[[], Table]) -> None:
    cached_stats(jobs, allow_stale=True)
    add(user, jobs)
    assert cached_stats(reload(), allow_stale=True).value["row_count"] == 4
    assert (CachedStatistics.objects.count(), waiting_tasks(UPDATE_HINT)) == (0, 0)


@pytest.fixture
def without_indexes() -> Iterator[None]:
    """Delete all cell indexes after the test."""
    cell_indexes._recorded.clear()
    yield
    ColumnUse.objects.all().delete()
    update_cell_indexes()


@pytest.mark.usefixtures("without_indexes")
def test_a_worker_creates_indexes_for_large_tables_sorted_over_the_api_and_on_their_page(
    api: Api, large: Table
) -> None:
    _, status, salary = (column.id for column in table_shape(large).columns[:3])
    for url in [f"/api/tables/{large.pk}/rows/?sort=-Salary&limit=1", f"/tables/{large.pk}/?sort={status}"] * 2:
        assert api.client.get(url).status_code == 200
    assert waiting_tasks(INDEX) == 1
    work()
    created = {name.rsplit("_", 1)[0] for name, valid in cell_indexes._existing() if valid}
    assert created == {f"cells_{status}", f"cells_{salary}"}
