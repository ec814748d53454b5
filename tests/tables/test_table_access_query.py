"""One table, with its owner and what the person is to it, is read in one statement, whoever asks."""
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
def test_whoever_sees_it_is_told_their_role_and_whose_it_is_in_one_statement(
    user: User, other_user: User, table: Table, role: str, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    person = user if role == "owner" else other_user
    if person is other_user:
        Member.objects.create(table=table, user=person, role=role)

    with django_assert_num_queries(1):
        found = get_table(person, table.pk)
        assert (found.role, found.owner.username) == (role, user.username)  # type: ignore[attr-defined]  # `get_table` sets it
    assert model_to_dict(found) == model_to_dict(Table.objects.get(pk=table.pk))
    assert model_to_dict(found.owner) == model_to_dict(user)


def test_it_is_stored_as_any_other(user: User, table: Table) -> None:
    found = get_table(user, table.pk)
    found.name = "Renamed"
    found.save()
    assert Table.objects.get().name == "Renamed"


def test_it_is_not_there_for_anybody_else(user: User, other_user: User, table: Table) -> None:
    gone = User(pk=user.pk, is_active=False)
    for person in (other_user, AnonymousUser(), gone):
        with pytest.raises(NotFound):
            get_table(person, table.pk)
    for no_id in (0, -1, 2**63 - 1, 2**63, table.pk + 2**32):
        with pytest.raises(NotFound):
            get_table(user, no_id)


def test_the_trash_is_its_owners_alone(user: User, other_user: User, table: Table) -> None:
    Member.objects.create(table=table, user=other_user, role="editor")
    with pytest.raises(NotFound):
        get_table(user, table.pk, trashed=True)
    Table.objects.update(deleted_at=timezone.now())
    assert get_table(user, table.pk, trashed=True).pk == table.pk
    for person, trashed in ((user, False), (other_user, False), (other_user, True)):
        with pytest.raises(NotFound):
            get_table(person, table.pk, trashed=trashed)


def test_a_viewer_may_look_and_no_more(other_user: User, table: Table) -> None:
    Member.objects.create(table=table, user=other_user, role="viewer")
    with pytest.raises(Forbidden):
        get_table(other_user, table.pk, can="edit")
