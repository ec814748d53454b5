"""The size of table data in the prompt is bounded, and omissions are counted."""

from __future__ import annotations

from typing import Any

import pytest
from django.contrib.auth.models import User
from hypothesis import given
from hypothesis import strategies as st

from chat.pages.size_limit import MAX_BYTES, halve, halve_in_each, limit_size, size_of
from shared import strictjson
from tables.operations import Origin
from tables.services import create_table
from tests.chat.pages.page_contexts import build

Json = dict[str, Any]
TEXTS = st.text(st.characters(exclude_categories=("Cs",)), max_size=400)


def large_table(user: User, *, name: str = "Large") -> str:
    """Create a table of 60 select columns with 40 long options each, every cell filled."""
    options = [f"{'option ' * 30}{number}" for number in range(40)]
    columns = [{"name": f"{'Column ' * 30}{n}", "type": "select", "options": options} for n in range(60)]
    columns.append({"name": "Number", "type": "number"})
    row = {column["name"]: options[0] for column in columns[:-1]}
    table = create_table(
        user=user, name=name, description="words " * 500, columns=columns, rows=[row] * 30, origin=Origin("api")
    )
    return str(table.pk)


@pytest.mark.django_db
@pytest.mark.parametrize("page", ["table_view", "table_edit"])
def test_wide_tables_with_long_names_and_options_fit(user: User, page: str) -> None:
    table = large_table(user)
    hints: Json = {
        "selected_row_ids": list(range(1, 200)),
        "search": "word " * 100_000,
        "filter": {"column": "Number", "op": "empty"},
    }

    data = build(page, user=user, object_id=table, **hints).data

    assert size_of(data) <= MAX_BYTES
    columns = data["table"]["columns"]
    assert len(columns) + data["table"]["columns_left_out"] == 61
    assert all(len(column["options"]) + column["options_left_out"] == 40 for column in columns)


@pytest.mark.django_db
def test_many_tables_with_many_columns_fit(user: User) -> None:
    columns = [{"name": f"{'Column ' * 20}{n}", "type": "text"} for n in range(40)]
    for number in range(55):
        create_table(user=user, name=f"Table {number}", columns=columns, origin=Origin("api"))

    data = build("tables_list", user=user).data

    assert size_of(data) <= MAX_BYTES
    assert data["tables_total"] == 55
    assert data["tables"]
    assert all(len(table["columns"]) + table["columns_left_out"] == 40 for table in data["tables"])


@given(st.lists(TEXTS, max_size=200), st.dictionaries(TEXTS, st.integers(), max_size=50))
def test_omitted_items_are_counted_and_the_others_are_unchanged(items: list[str], counts: Json) -> None:
    data: Json = {"table": {"items": items, "name": "x"}, "counts": counts}

    limited = limit_size(data, reductions=(halve("counts", counted=False), halve("table", "items")))

    assert size_of(limited) <= MAX_BYTES
    inner = limited["table"]
    assert len(inner["items"]) + inner.get("items_left_out", 0) == len(items)
    assert items[: len(inner["items"])] == inner["items"]
    assert (limited is data) == (len(strictjson.dumps(data).encode()) <= MAX_BYTES)


def test_cut_stops_at_its_minimum_and_leaves_the_rest_to_the_next() -> None:
    long = "x" * 5_000
    data = {"rows": [long] * 16, "columns": [{"options": [long] * 4}, {"options": []}, {}]}

    limited = limit_size(data, reductions=(halve("rows", minimum=3), halve_in_each("columns", key="options")))

    assert (len(limited["rows"]), limited["rows_left_out"]) == (3, 13)
    assert limited["columns"][0] == {"options": [long], "options_left_out": 3}
    assert limited["columns"][1:] == [{"options": []}, {}]
