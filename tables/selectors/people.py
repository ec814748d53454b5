"""People of tables: the owner, the members and those who left, as columns of people need them."""
from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from allauth.account.models import EmailAddress
from django.contrib.auth import get_user_model
from django.db.models import Exists, OuterRef, Subquery
from django.db.models.functions import Lower

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
    members = Member.objects.filter(table_id=table.pk).exclude(user=None).order_by().values("user_id")
    former = FormerMember.objects.filter(table_id=table.pk).order_by().values("user_id")
    owner = Table.objects.filter(pk=table.pk).order_by().values("owner_id")
    users = get_user_model()._default_manager.filter(pk__in=owner.union(members, former))
    confirmed = EmailAddress.objects.filter(user_id=OuterRef("pk"), verified=True, email=Lower("user__email"))
    is_member = Exists(Member.objects.filter(table_id=table.pk, user_id=OuterRef("pk")))
    found = users.annotate(is_member=is_member, address=Subquery(confirmed.order_by().values("email")[:1])).order_by()
    for user in found:
        has_left = not user.is_member and user.pk != table.owner_id
        yield Person(user.pk, user.get_username(), has_left=has_left, address=user.address or "")
