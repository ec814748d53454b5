"""The admin shows tables and changes read-only."""
from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client

from tables.models import Table


@pytest.fixture
def staff(db: None) -> Client:
    client = Client()
    client.force_login(User.objects.create_superuser("root"))
    return client


@pytest.mark.parametrize("model", ["table", "change"])
def test_objects_are_listed_but_cannot_be_added_or_deleted(staff: Client, jobs: Table, model: str) -> None:
    shown = jobs.pk if model == "table" else jobs.changes.latest("pk").pk
    root = f"/admin/tables/{model}/"
    assert staff.get(root).status_code == 200
    assert staff.get(f"{root}{shown}/change/").status_code == 200
    assert staff.get(f"{root}add/").status_code == 403
    assert staff.post(f"{root}{shown}/delete/", {"post": "yes"}).status_code == 403
    assert Table.objects.filter(pk=jobs.pk).exists()
