"""Access to exports: readers of the table get a file, others a 404."""
from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from accounts.tokens import create_token
from tests.conftest import Api
from tests.tables.exporting.conftest import content_of
from tests.tables.shared_table import share

MISSING = "/api/tables/999999999/export/"


@pytest.mark.parametrize("role", ["viewer", "editor"])
def test_members_get_the_same_file_as_the_owner(api: Api, other_api: Api, table: str, role: str) -> None:
    share(api, table, other_api, role=role)

    assert content_of(other_api.get(f"{table}export/")) == content_of(api.get(f"{table}export/"))


def test_read_tokens_can_export(api: Api, user: User, table: str) -> None:
    _, secret = create_token(user=user, name="reports", now=timezone.now(), scope="read")
    program = Client(headers={"Authorization": f"Bearer {secret}"})

    assert content_of(program.get(f"{table}export/")) == content_of(api.get(f"{table}export/"))


def test_other_users_get_a_404(other_api: Api, table: str) -> None:
    User.objects.create_user("boss", is_staff=True, is_superuser=False)
    for reader in (other_api, Api(User.objects.get(username="boss"))):
        theirs, missing = (reader.get(address) for address in (f"{table}export/", MISSING))
        assert theirs.status_code == missing.status_code == 404
        assert theirs.json() | {"request_id": ""} == missing.json() | {"request_id": ""}


def test_removed_members_cannot_export(api: Api, other_api: Api, table: str) -> None:
    share(api, table, other_api, role="viewer")
    api.delete(f"{table}members/grace/")

    assert other_api.get(f"{table}export/").status_code == 404


def test_trashed_tables_cannot_be_exported(api: Api, table: str) -> None:
    api.delete(table)

    assert api.get(f"{table}export/").status_code == 404


@pytest.mark.django_db
def test_anonymous_exports_are_refused(anonymous_api: Api) -> None:
    assert anonymous_api.get(MISSING).status_code == 401
    refused = anonymous_api.client.head(MISSING)
    assert (refused.status_code, refused.headers["Allow"]) == (405, "GET")
