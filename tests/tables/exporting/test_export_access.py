"""Who gets a file: whoever may read the table, and nobody else, to whom the table is not there."""
from __future__ import annotations

import pytest
from django.contrib.auth.models import User
from django.test import Client
from django.utils import timezone

from accounts.tokens import make_token
from tests.conftest import Api
from tests.tables.exporting.conftest import whole
from tests.tables.shared_table import share

MISSING = "/api/tables/999999999/export/"


@pytest.mark.parametrize("role", ["viewer", "editor"])
def test_members_get_the_file_of_the_owner(api: Api, other_api: Api, table: str, role: str) -> None:
    share(api, table, other_api, role=role)

    assert whole(other_api.get(f"{table}export/")) == whole(api.get(f"{table}export/"))


def test_a_token_for_reading_gets_the_file(api: Api, user: User, table: str) -> None:
    _, secret = make_token(user=user, name="reports", now=timezone.now(), scope="read")
    program = Client(headers={"Authorization": f"Bearer {secret}"})

    assert whole(program.get(f"{table}export/")) == whole(api.get(f"{table}export/"))


def test_to_others_it_is_as_if_the_table_were_not_there(other_api: Api, table: str) -> None:
    User.objects.create_user("boss", is_staff=True, is_superuser=False)
    for person in (other_api, Api(User.objects.get(username="boss"))):
        theirs, missing = (person.get(address) for address in (f"{table}export/", MISSING))
        assert theirs.status_code == missing.status_code == 404
        assert theirs.json() | {"request_id": ""} == missing.json() | {"request_id": ""}


def test_a_member_who_was_removed_gets_no_file(api: Api, other_api: Api, table: str) -> None:
    share(api, table, other_api, role="viewer")
    api.delete(f"{table}members/grace/")

    assert other_api.get(f"{table}export/").status_code == 404


def test_what_is_in_the_trash_is_no_file_any_more(api: Api, table: str) -> None:
    api.delete(table)

    assert api.get(f"{table}export/").status_code == 404


@pytest.mark.django_db
def test_nobody_gets_nothing_and_writes_nothing(anonymous_api: Api) -> None:
    assert anonymous_api.get(MISSING).status_code == 401
    refused = anonymous_api.client.head(MISSING)
    assert (refused.status_code, refused.headers["Allow"]) == (405, "GET")
