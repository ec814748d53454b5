"""Ephemeral tables can be queried like others during the block and are rolled back afterwards."""
from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.db import transaction

from tables.models import Change, Column, Row, Table
from tables.operations import Choice, ColumnSpec, Origin, TableShape
from tables.selectors import RowView, get_table, read_rows, table_shape, tables_for
from tables.services import apply_data, ephemeral_table, prepare_data

pytestmark = pytest.mark.django_db

SHAPE = TableShape(
    id=10**12,
    name="Birds",
    columns=(
        ColumnSpec(id="c_name", name="Name", type="text", required=True),
        ColumnSpec(id="c_kind", name="Kind", type="select", options=("Owl", "Duck"), position=1),
    ),
)
ROWS = (
    RowView(10**12 + 1, 0, 1, {"c_name": "Strix", "c_kind": "Owl"}),
    RowView(10**12 + 2, 1, 1, {"c_name": "Anas", "c_kind": "Duck"}),
)


def remaining() -> list[int]:
    return [model.objects.count() for model in (Table, Column, Row, Change)]


def test_within_the_block_the_user_has_the_table(user: User, other_user: User) -> None:
    for _ in range(2):
        with ephemeral_table(user=user, shape=SHAPE, rows=ROWS):
            table = get_table(user, 10**12)
            assert table_shape(table) == SHAPE
            assert read_rows(table) == list(ROWS)
            assert [row.id for row in read_rows(table, search="stri")] == [10**12 + 1]
            assert not tables_for(other_user).exists()
        assert remaining() == [0, 0, 0, 0]


def test_writes_within_the_block_are_rolled_back(user: User) -> None:
    def add_and_break() -> None:
        proposal = {"operations": [{"action": "add", "data": {"Name": "Bubo"}}]}
        with ephemeral_table(user=user, shape=SHAPE, rows=ROWS):
            prepared = prepare_data(user=user, table_id=10**12, proposal=proposal)
            apply_data(user=user, prepared=prepared, choice=Choice(), origin=Origin("api"))
            assert remaining() == [1, 2, 3, 1]
            raise KeyError

    with pytest.raises(KeyError):
        add_and_break()
    assert remaining() == [0, 0, 0, 0]


def test_writes_around_the_block_are_kept(user: User) -> None:
    with transaction.atomic():
        before = User.objects.create(username="zoe")
        with ephemeral_table(user=user, shape=SHAPE, rows=ROWS):
            pass
        assert User.objects.filter(pk=before.pk).exists()
