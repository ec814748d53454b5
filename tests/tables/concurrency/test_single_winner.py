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

Json = dict[str, Any]
SENDERS = 8
COLUMN = {"name": "N", "type": "number"}


def add(data: Json) -> Json:
    return {"action": "add", "data": data}


def counter(user: User) -> Any:
    return create_table(user=user, name="Counter", columns=[COLUMN], rows=[{"N": 0}], origin=Origin("api"))


def row_in_body(row: int, data: Json) -> Json:
    return {"rows": [{"id": row, "data": data, "version": 1}]}


def operation(row: int, data: Json) -> Json:
    return {"operations": [{"action": "update", "row_id": row, "changes": data, "version": 1}]}


def column(row: int, data: Json) -> Json:
    return {"mode": "update", "operations": [{"action": "add", "column": {"name": f"N{data['N']}", "type": "text"}}]}


# The method and path of writes, whether the header names the version of the table, and their body.
VERSIONED = {
    "row": ("PATCH", "rows/{row}/", '"1"', lambda row, data: {"data": data}),
    "row in a body": ("PATCH", "rows/", "*", row_in_body),
    "row to delete": ("POST", "rows/delete/", "*", lambda row, data: {"rows": [{"id": row, "version": 1}]}),
    "row of an operation": ("POST", "proposals/data/", "*", operation),
    "table": ("PATCH", "", "table", lambda row, data: {"name": f"Counter {data['N']}"}),
    "added row": ("POST", "rows/", "table", lambda row, data: data),
    "changed rows": ("PATCH", "rows/", "table", lambda row, data: {"rows": [{"id": row, "data": data}]}),
    "merged rows": ("PUT", "rows/", "table", lambda row, data: {"merge_on": ["N"], "rows": [data]}),
    "deleted rows": ("POST", "rows/delete/", "table", lambda row, data: {"ids": [row]}),
    "proposed rows": ("POST", "proposals/data/", "table", lambda row, data: {"operations": [add(data)] * 9}),
    "proposed column": ("POST", "proposals/schema/", "table", column),
}


@pytest.mark.parametrize("name", VERSIONED)
def test_one_of_many_writes_to_the_same_version_succeeds(at: At, user: User, name: str) -> None:
    table = counter(user)
    row = read_rows(table)[0].id
    method, path, versioned, body = VERSIONED[name]
    url = f"/api/tables/{table.pk}/"
    version = at(0).request("GET", url)[1]["version"]
    if_match = f'"{version}"' if versioned == "table" else versioned

    def write(number: int) -> tuple[bool, str]:
        sent = body(row, {"N": number + 1})
        status, response, _ = at(number).request(method, url + path.format(row=row), sent, **{"If-Match": if_match})
        return status in (200, 201), response.get("error", "")

    refused = "invalid" if name == "row to delete" else "version_moved"
    assert Counter(together(SENDERS, write)) == {(True, ""): 1, (False, refused): SENDERS - 1}
    assert at(0).request("GET", url)[1]["version"] == version + 1


def test_one_of_many_applies_of_a_plan_succeeds(at: At, user: User) -> None:
    table = counter(user)
    url = f"/api/tables/{table.pk}/proposals/data/"
    condition = {"column": "N", "op": "gte", "value": 0}
    body = {"operations": [{"action": "update", "where": condition, "changes": {"N": 1}}, add({"N": 2})]}
    plan = at(0).request("POST", f"{url}?dry_run=true", body)[1]["plan"]

    def apply(number: int) -> tuple[int, str]:
        status, response, _ = at(number).request("POST", f"{url}?plan={plan}", body)
        return status, response.get("error", "")

    assert Counter(together(SENDERS, apply)) == {(200, ""): 1, (409, "plan_changed"): SENDERS - 1}
    assert len(read_rows(table)) == 2


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
