"""The context of table_edit: the columns, without rows."""
from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import connection
from django.test.utils import CaptureQueriesContext

from tables.exceptions import NotFound
from tables.operations import Origin
from tables.services import create_table
from tests.chat.pages.page_contexts import build, make_table

pytestmark = pytest.mark.django_db


def test_columns_are_included_and_rows_are_not(user: User) -> None:
    data = build("table_edit", user=user, object_id=make_table(user)).data
    assert [(column["name"], column["type"]) for column in data["table"]["columns"]] == [
        ("Company", "text"),
        ("Status", "select"),
    ]
    assert data["table"]["columns"][1]["options"] == ["Applied", "Offer"]
    assert data["table"]["rows"] == 3
    assert "sample_rows" not in data


def test_table_of_another_user_is_not_found(user: User, other_user: User) -> None:
    table = make_table(other_user)
    with pytest.raises(NotFound):
        build("table_edit", user=user, object_id=table)


def typed_table(user: User, *, rows: int, columns: int = 1) -> str:
    """Create a table whose text columns hold 1, 2, yes, 1, 2, …; return its id."""
    names = [f"Column {n}" for n in range(columns)]
    values = ("1", "2", "yes")
    data = [dict.fromkeys(names, values[n % 3]) for n in range(rows)]
    created = [{"name": name, "type": "text"} for name in names]
    return str(create_table(user=user, name="Typed", columns=created, rows=data, origin=Origin("api")).pk)


def test_effects_of_other_types_on_the_values_are_included(user: User) -> None:
    data = build("table_edit", user=user, object_id=typed_table(user, rows=9)).data

    [column] = data["table"]["columns"]
    assert data["type_changes"] == {
        "rows_looked_at": 9,
        "columns": {
            column["id"]: {
                "filled": 9,
                "lost": {"number": 3, "date": 9, "boolean": 6, "select": 0, "multi_select": 0, "person": 9},
            },
        },
    }


def test_too_many_distinct_values_are_no_options(user: User) -> None:
    data = build("table_edit", user=user, object_id=make_table(user, rows=150)).data

    [company, status] = [data["type_changes"]["columns"][column["id"]] for column in data["table"]["columns"]]
    assert company["lost"]["select"] is None
    assert (status["lost"]["text"], status["lost"]["number"]) == (0, 150)


def test_large_table_is_sampled_and_the_context_says_so(user: User) -> None:
    data = build("table_edit", user=user, object_id=typed_table(user, rows=400, columns=70)).data

    assert data["type_changes"]["rows_looked_at"] == 200
    assert len(data["type_changes"]["columns"]) == 60
    assert {entry["filled"] for entry in data["type_changes"]["columns"].values()} == {200}


def test_unchanged_table_is_read_once(user: User) -> None:
    table = typed_table(user, rows=300)
    with CaptureQueriesContext(connection) as first:
        data = build("table_edit", user=user, object_id=table).data
    with CaptureQueriesContext(connection) as second:
        assert build("table_edit", user=user, object_id=table).data == data
    # Nor are the people, whose names values may be.
    assert len(second) == len(first) - 2
