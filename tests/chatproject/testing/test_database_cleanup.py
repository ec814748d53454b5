"""After a test that commits the database is as it was: nothing of the test is left, and all that migrating made."""
from __future__ import annotations

import pytest
from django.apps import apps
from django.contrib.auth.models import Permission, User

from tables.operations import Origin
from tables.services import create_table
from tests.database_cleanup import empty, migrated_rows, other_tables

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("people", [3, 5000], ids=["few rows", "more than are deleted"])
def test_what_was_written_is_gone_and_what_migrating_made_has_stayed(people: int) -> None:
    found = migrated_rows()
    User.objects.bulk_create([User(username=f"person{number}") for number in range(people)])
    for person in User.objects.order_by("pk")[:2]:
        person.user_permissions.add(Permission.objects.earliest("pk"))
        create_table(user=person, name="Jobs", columns=[{"name": "Company", "type": "text"}], origin=Origin("api"))

    empty(other_tables())

    assert {model.__name__ for model in apps.get_models() if model.objects.exists()} == {"ContentType", "Permission"}
    assert migrated_rows() == found

