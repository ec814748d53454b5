"""The context of tables_list: accessible tables, in constant queries."""
from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from pytest_django import DjangoAssertNumQueries

from tests.chat.pages.page_contexts import build, make_table

pytestmark = pytest.mark.django_db


def test_list_has_own_tables(user: User, other_user: User) -> None:
    make_table(user)
    make_table(other_user, name="Secret")
    data = build("tables_list", user=user).data
    assert [(table["name"], table["rows"], table["columns"]) for table in data["tables"]] == [
        ("Jobs", 3, ["Company (text)", "Status (select)"])
    ]


def test_list_has_constant_queries(
    user: User, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    for number in range(10):
        make_table(user, name=f"Table {number}")
    with django_assert_max_num_queries(2):
        build("tables_list", user=user)
