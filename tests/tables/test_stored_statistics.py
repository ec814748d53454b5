"""Statistics are cached by version; those of large tables may be up to a minute old."""
from __future__ import annotations

from collections.abc import Callable
from datetime import date
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables.models import Table
from tables.operations import Origin
from tables.operations.queries.filters import parse_filter
from tables.selectors import cached_count, cached_stats, get_table, read_rows, table_shape
from tables.selectors.statistics.cache import LARGE
from tables.services import add_rows
from tests.chat.pages.page_contexts import build
from tests.tables.sample_tables import write_copies

pytestmark = pytest.mark.slow

API = Origin("api")
Queries = Callable[[int], Any]


@pytest.fixture
def reload(user: User, jobs: Table) -> Callable[[], Table]:
    """Return a function that reads the table as the next request would."""
    return lambda: get_table(user, jobs.pk)


@pytest.fixture
def large(jobs: Table) -> Table:
    """Make the table count as large."""
    write_copies(jobs, {"Company": "Acme", "Salary": 5}, count=LARGE)
    return jobs


def add(user: User, table: Table) -> None:
    add_rows(user=user, table_id=table.pk, rows=[{"Company": "Hooli", "Salary": 1_000_000}], origin=API)


def test_statistics_of_an_unchanged_table_are_computed_once(jobs: Table, django_assert_num_queries: Queries) -> None:
    shape = table_shape(jobs)
    first = (cached_stats(jobs, shape=shape), cached_count(jobs, shape=shape))
    with django_assert_num_queries(0):
        assert (cached_stats(jobs, shape=shape), cached_count(jobs, shape=shape)) == first


def test_changes_are_included_immediately(user: User, jobs: Table, reload: Callable[[], Table]) -> None:
    assert cached_stats(jobs).value["row_count"] == 3
    add(user, jobs)
    assert (cached_stats(reload()).value["row_count"], cached_count(reload())) == (4, 4)


def test_filters_and_searches_have_separate_statistics(jobs: Table) -> None:
    shape = table_shape(jobs)
    done = parse_filter({"column": "Status", "op": "any_of", "value": ["Done"]}, shape=shape, today=date(2024, 1, 1))
    for _ in range(2):
        counts = [cached_count(jobs), cached_count(jobs, filter=done), cached_count(jobs, search="cru")]
        stats = [cached_stats(jobs), cached_stats(jobs, filter=done), cached_stats(jobs, search="cru")]
        assert counts == [found.value["row_count"] for found in stats] == [3, 1, 1]


def test_statistics_of_small_tables_are_never_stale(user: User, jobs: Table, reload: Callable[[], Table]) -> None:
    cached_stats(jobs, allow_stale=True)
    add(user, jobs)
    assert cached_stats(reload(), allow_stale=True).value["row_count"] == 4


def test_statistics_of_large_tables_can_be_stale_with_their_age(
    user: User, large: Table, reload: Callable[[], Table]
) -> None:
    before = cached_stats(large, allow_stale=True)
    add(user, large)
    after = cached_stats(reload(), allow_stale=True)
    assert (before.age, after.value) == (0, before.value)
    assert after.age >= 1
    assert cached_stats(reload()).value["row_count"] == before.value["row_count"] + 1


def test_stale_statistics_are_not_used_after_column_changes(
    large: Table, reload: Callable[[], Table], apply_columns: Callable[..., Any]
) -> None:
    cached_stats(large, allow_stale=True)
    apply_columns({"action": "add", "column": {"name": "Paid", "type": "boolean"}})
    assert cached_stats(reload(), allow_stale=True).age == 0


def test_the_context_of_a_large_table_has_the_age_of_its_counts(user: User, large: Table) -> None:
    first = build("table_view", user=user, object_id=str(large.pk)).data
    add(user, large)
    second = build("table_view", user=user, object_id=str(large.pk)).data
    assert "counted_seconds_ago" not in first
    assert second["counted_seconds_ago"] >= 1
    assert second["ranges"] == first["ranges"]


def test_the_context_of_an_unchanged_table_reads_no_rows(user: User, large: Table) -> None:
    wanted = {"column": "Status", "op": "any_of", "value": ["Done"]}
    build("table_view", user=user, object_id=str(large.pk), filter=wanted, search="bolt")
    with CaptureQueriesContext(connection) as sent:
        build("table_view", user=user, object_id=str(large.pk), filter=wanted, search="bolt")
    assert [query["sql"] for query in sent.captured_queries if '"tables_row"' in query["sql"]] == []


def test_rows_are_never_stale(user: User, jobs: Table, reload: Callable[[], Table]) -> None:
    cached_stats(jobs)
    add(user, jobs)
    assert len(read_rows(reload())) == 4
