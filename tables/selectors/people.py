"""People of tables: the owner, the members and those who left, as columns of people need them."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.db.models import Exists, OuterRef, QuerySet, Subquery
from django.db.models.functions import Lower

from shared.db import CompiledQuery
from tables.column_types.people import People, Person
from tables.models import FormerMember, Member, Table


def people_of(table: Table) -> People:
    """Return the people of a table, which are read in one query at their first use.

    The reader is the user for whom `get_table` or `locked_table` returned the table; a guest has none.
    """
    return People(lambda: _people(table), me=getattr(table, "reader_id", None))


def people_of_new_table(user: Any) -> People:
    """Return the people of a table that this user creates."""
    return People(lambda: [Person(user.pk, user.get_username())], me=user.pk)


def _people(table: Table) -> Iterator[Person]:
    for pk, name, is_member, address in PEOPLE.rows(table_id=table.pk):
        has_left = not is_member and pk != table.owner_id
        yield Person(pk, name, has_left=has_left, address=address or "")


def _of_table(*, table_id: int) -> QuerySet[Any, tuple[Any, ...]]:
    members = Member.objects.filter(table_id=table_id).exclude(user=None).order_by().values("user_id")
    former = FormerMember.objects.filter(table_id=table_id).order_by().values("user_id")
    owner = Table.objects.filter(pk=table_id).order_by().values("owner_id")
    user = get_user_model()
    confirmed = EmailAddress.objects.filter(user_id=OuterRef("pk"), verified=True, email=Lower("user__email"))
    found = user._default_manager.filter(pk__in=owner.union(members, former)).annotate(
        is_member=Exists(Member.objects.filter(table_id=table_id, user_id=OuterRef("pk"))),
        address=Subquery(confirmed.order_by().values("email")[:1]),
    )
    return found.order_by().values_list("pk", user.USERNAME_FIELD, "is_member", "address")


# Building the query takes many times as long as running it.
PEOPLE = CompiledQuery(_of_table, table_id=int)
