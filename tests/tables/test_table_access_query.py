"""A table with its owner and the user's role is read in one query."""
from __future__ import annotations

import pytest
from django.contrib.auth.models import AnonymousUser, User
from django.forms import model_to_dict
from django.utils import timezone
from pytest_django import DjangoAssertNumQueries

from tables.exceptions import Forbidden, NotFound
from tables.models import Member, Table
from tables.selectors import get_table
from tests.tables.sample_tables import write_table

pytestmark = pytest.mark.django_db


@pytest.fixture
def table(user: User) -> Table:
    return write_table(user, [("Company", "text")], [{"Company": "Acme"}])


@pytest.mark.parametrize("role", ["owner", "editor", "viewer"])
def test_role_and_owner_are_read_in_one_query(
    user: User, other_user: User, table: Table, role: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    reader = user if role == "owner" else other_user
    if reader is other_user:
        Member.objects.create(table=table, user=reader, role=role)

    with django_assert_num_queries(1):
        found = get_table(reader, table.pk)
        assert (found.role, found.owner.username) == (role, user.username)  # type: ignore[attr-defined]  # `get_table` sets it
    assert model_to_dict(found) == model_to_dict(Table.objects.get(pk=table.pk))
    assert model_to_dict(found.owner) == model_to_dict(user)


def test_the_table_can_be_saved(user: User, table: Table) -> None:
    found = get_table(user, table.pk)
    found.name = "Renamed"
    found.save()
    assert Table.objects.get().name == "Renamed"


def test_tables_of_other_users_are_not_found(user: User, other_user: User, table: Table) -> None:
    inactive = User(pk=user.pk, is_active=False)
    for reader in (other_user, AnonymousUser(), inactive):
        with pytest.raises(NotFound):
            get_table(reader, table.pk)
    for no_id in (0, -1, 2**63 - 1, 2**63, table.pk + 2**32):
        with pytest.raises(NotFound):
            get_table(user, no_id)


def test_trashed_tables_are_found_only_for_their_owner(user: User, other_user: User, table: Table) -> None:
    Member.objects.create(table=table, user=other_user, role="editor")
    with pytest.raises(NotFound):
        get_table(user, table.pk, trashed=True)
    Table.objects.update(deleted_at=timezone.now())
    assert get_table(user, table.pk, trashed=True).pk == table.pk
    for reader, trashed in ((user, False), (other_user, False), (other_user, True)):
        with pytest.raises(NotFound):
            get_table(reader, table.pk, trashed=trashed)


def test_viewers_can_only_read(other_user: User, table: Table) -> None:
    Member.objects.create(table=table, user=other_user, role="viewer")
    with pytest.raises(Forbidden):
        get_table(other_user, table.pk, can="edit")
