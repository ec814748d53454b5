"""The cleanup after committing tests removes their rows but not those of migrations."""
from __future__ import annotations

import pytest
from django.apps import apps
from django.contrib.auth.models import Permission, User

from tables.operations import Origin
from tables.services import create_table
from tests.database_cleanup import empty, migrated_rows, other_tables

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.mark.parametrize("user_count", [3, 5000], ids=["few rows", "more than one batch"])
def test_cleanup_removes_test_rows_and_keeps_migrated_ones(user_count: int) -> None:
    before = migrated_rows()
    User.objects.bulk_create([User(username=f"person{number}") for number in range(user_count)])
    for user in User.objects.order_by("pk")[:2]:
        user.user_permissions.add(Permission.objects.earliest("pk"))
        create_table(user=user, name="Jobs", columns=[{"name": "Company", "type": "text"}], origin=Origin("api"))

    empty(other_tables())

    assert {model.__name__ for model in apps.get_models() if model.objects.exists()} == {"ContentType", "Permission"}
    assert migrated_rows() == before

