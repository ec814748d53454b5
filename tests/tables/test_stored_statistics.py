"""Statistics are computed once a version; those of large tables may be a minute old, and say so."""
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
def again(user: User, jobs: Table) -> Callable[[], Table]:
    """The table as the next request would read it."""
    return lambda: get_table(user, jobs.pk)


@pytest.fixture
def large(jobs: Table) -> Table:
    """So many rows that it counts as a large table."""
    write_copies(jobs, {"Company": "Acme", "Salary": 5}, count=LARGE)
    return jobs


def add(user: User, table: Table) -> None:
    add_rows(user=user, table_id=table.pk, rows=[{"Company": "Hooli", "Salary": 1_000_000}], origin=API)


def test_an_unchanged_table_is_counted_once(jobs: Table, django_assert_num_queries: Queries) -> None:
    shape = table_shape(jobs)
    first = (cached_stats(jobs, shape=shape), cached_count(jobs, shape=shape))
    with django_assert_num_queries(0):
        assert (cached_stats(jobs, shape=shape), cached_count(jobs, shape=shape)) == first


def test_a_change_is_seen_at_once(user: User, jobs: Table, again: Callable[[], Table]) -> None:
    assert cached_stats(jobs).value["row_count"] == 3
    add(user, jobs)
    assert (cached_stats(again()).value["row_count"], cached_count(again())) == (4, 4)


def test_each_filter_and_search_has_its_own(jobs: Table) -> None:
    shape = table_shape(jobs)
    done = parse_filter({"column": "Status", "op": "any_of", "value": ["Done"]}, shape=shape, today=date(2024, 1, 1))
    for _ in range(2):
        counts = [cached_count(jobs), cached_count(jobs, filter=done), cached_count(jobs, search="cru")]
        stats = [cached_stats(jobs), cached_stats(jobs, filter=done), cached_stats(jobs, search="cru")]
        assert counts == [found.value["row_count"] for found in stats] == [3, 1, 1]


def test_a_small_table_is_never_described_as_it_was(user: User, jobs: Table, again: Callable[[], Table]) -> None:
    cached_stats(jobs, allow_stale=True)
    add(user, jobs)
    assert cached_stats(again(), allow_stale=True).value["row_count"] == 4


def test_a_large_table_may_be_described_as_it_was_with_its_age(
    user: User, large: Table, again: Callable[[], Table]
) -> None:
    before = cached_stats(large, allow_stale=True)
    add(user, large)
    after = cached_stats(again(), allow_stale=True)
    assert (before.age, after.value) == (0, before.value)
    assert after.age >= 1
    assert cached_stats(again()).value["row_count"] == before.value["row_count"] + 1


def test_other_columns_are_never_described_by_what_was(
    large: Table, again: Callable[[], Table], apply_columns: Callable[..., Any]
) -> None:
    cached_stats(large, allow_stale=True)
    apply_columns({"action": "add", "column": {"name": "Paid", "type": "boolean"}})
    assert cached_stats(again(), allow_stale=True).age == 0


def test_the_context_of_a_large_table_says_how_old_its_counts_are(user: User, large: Table) -> None:
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


def test_rows_keep_being_read_as_they_are(user: User, jobs: Table, again: Callable[[], Table]) -> None:
    cached_stats(jobs)
    add(user, jobs)
    assert len(read_rows(again())) == 4
