"""Concurrent requests of which only one may succeed, at two processes."""
from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
from django.contrib.auth.models import User
from django.utils import timezone

from tables.models import Member
from tables.operations import Origin
from tables.selectors import read_rows
from tables.services import create_table, invite
from tests.chat.stream_client import Browser
from tests.tables.concurrency.conftest import At
from tests.tables.concurrency.processes import ServerProcess
from tests.tables.concurrency.threads import together

SENDERS = 8
COLUMN = {"name": "N", "type": "number"}


def counter(user: User) -> Any:
    return create_table(user=user, name="Counter", columns=[COLUMN], rows=[{"N": 0}], origin=Origin("api"))


@pytest.mark.parametrize("target", ["row", "table"])
def test_one_of_many_writes_to_the_same_version_succeeds(at: At, user: User, target: str) -> None:
    table = counter(user)
    url = f"/api/tables/{table.pk}/" + (f"rows/{read_rows(table)[0].id}/" if target == "row" else "")
    version = at(0).request("GET", url)[1]["version"]

    def write(number: int) -> tuple[int, str]:
        body = {"data": {"N": number + 1}} if target == "row" else {"name": f"Counter {number}"}
        status, response, _ = at(number).request("PATCH", url, body, **{"If-Match": f'"{version}"'})
        return status, response.get("error", "")

    assert Counter(together(SENDERS, write)) == {(200, ""): 1, (412, "version_moved"): SENDERS - 1}
    assert at(0).request("GET", url)[1]["version"] == version + 1


def test_an_invitation_link_admits_one_of_many_users(
    servers: tuple[ServerProcess, ServerProcess], transactional_db: None, user: User, make_user: Any
) -> None:
    table = counter(user)
    token = invite(user=user, table_id=table.pk, kind="link", role="editor", now=timezone.now()).token
    browsers = [Browser(servers[number % 2].address, make_user(f"guest{number}")) for number in range(SENDERS)]

    def accept(number: int) -> int:
        return browsers[number].request("POST", f"/api/tables/invitations/{token}/", {})[0]

    assert Counter(together(SENDERS, accept)) == {200: 1, 404: SENDERS - 1}
    assert Member.objects.filter(table=table).count() == 1
