"""A table of the user `ada`, and the requests that each role may send."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib.auth.models import User

from tables.models import Member, Table
from tests.conftest import Api

COLUMNS = [{"name": "Company", "type": "text"}, {"name": "Salary", "type": "number"}]
ROWS = [{"Company": "Acme", "Salary": 10}, {"Company": "Bolt"}]


def make_table(api: Api, *, name: str = "Jobs") -> str:
    """Create a table with two rows and return its URL."""
    created = api.post("/api/tables/", {"name": name, "columns": COLUMNS, "rows": ROWS})
    assert created.status_code == 201, created.json()
    return f"/api/tables/{created.json()['id']}/"


def invite_user(api: Api, table: str, name: str, *, role: str = "viewer") -> Any:
    """Invite a user by name and return the response."""
    return api.post(f"{table}members/", {"kind": "user", "name": name, "role": role})


def invite_by_link(api: Api, table: str, *, role: str = "viewer") -> str:
    """Create an invitation link and return its path."""
    answer = api.post(f"{table}members/", {"kind": "link", "role": role})
    assert answer.status_code == 202, answer.json()
    return str(answer.json()["url"].removeprefix("http://testserver"))


def share(api: Api, table: str, other: Api, *, role: str) -> None:
    """Make the other user a member with this role by an accepted invitation."""
    assert other.user is not None
    member = f"{table}members/{other.user.get_username()}/"
    if api.patch(member, {"role": role}).status_code == 200:
        return
    answer = invite_user(api, table, other.user.get_username(), role=role)
    assert answer.status_code == 202, answer.json()
    accepted = other.post(f"/api/tables/invitations/{answer.json()['id']}/accept/")
    assert accepted.status_code == 200, accepted.json()


def make_member(table: Table, user: User, *, role: str) -> Member:
    """Make the user a member of the table without an invitation."""
    return Member.objects.create(table=table, user=user, role=role, added_by=table.owner)


Call = Callable[[Api, str, dict[str, Any]], Any]


def first(api: Api, table: str) -> dict[str, Any]:
    """Return the ids that the requests below need: the first row, the first column and the last change."""
    changes = api.get(f"{table}changes/").json()["changes"]
    rows = api.get(f"{table}rows/").json()["rows"]
    return {
        "row": rows[0]["id"],
        "other_row": rows[-1]["id"],
        "column": api.get(f"{table}columns/").json()["columns"][0]["id"],
        "change": changes[0]["id"],
    }


ADD = {"operations": [{"action": "add", "data": {"Company": "Crux"}}]}
ADD_COLUMN = {"mode": "update", "operations": [{"action": "add", "column": {"name": "Due", "type": "date"}}]}

READING: dict[str, Call] = {
    "table": lambda api, table, ids: api.get(table),
    "columns": lambda api, table, ids: api.get(f"{table}columns/"),
    "rows": lambda api, table, ids: api.get(f"{table}rows/"),
    "one row": lambda api, table, ids: api.get(f"{table}rows/{ids['row']}/"),
    "stats": lambda api, table, ids: api.get(f"{table}stats/"),
    "choices": lambda api, table, ids: api.get(f"{table}choices/"),
    "changes": lambda api, table, ids: api.get(f"{table}changes/"),
    "page": lambda api, table, ids: api.get(table.removeprefix("/api")),
    "sharing page": lambda api, table, ids: api.get(f"{table.removeprefix('/api')}sharing/"),
    "history page": lambda api, table, ids: api.get(f"{table.removeprefix('/api')}history/"),
}
WRITING: dict[str, Call] = {
    "name": lambda api, table, ids: api.patch(table, {"name": "Mine"}),
    "add column": lambda api, table, ids: api.post(f"{table}columns/", {"name": "Due", "type": "date"}),
    "change column": lambda api, table, ids: api.patch(f"{table}columns/{ids['column']}/", {"name": "Firm"}),
    "remove column": lambda api, table, ids: api.delete(f"{table}columns/{ids['column']}/"),
    "add row": lambda api, table, ids: api.post(f"{table}rows/", {"Company": "Crux"}),
    "change rows": lambda api, table, ids: api.patch(
        f"{table}rows/", {"rows": [{"id": ids["row"], "data": {"Salary": 1}}]}
    ),
    "change row": lambda api, table, ids: api.patch(f"{table}rows/{ids['row']}/", {"data": {"Salary": 1}}),
    "delete row": lambda api, table, ids: api.delete(f"{table}rows/{ids['row']}/"),
    "delete rows": lambda api, table, ids: api.post(f"{table}rows/delete/", {"ids": [ids["row"]]}),
    "move rows": lambda api, table, ids: api.post(
        f"{table}rows/move/", {"ids": [ids["row"]], "after_row_id": ids["other_row"]}
    ),
    "data proposal": lambda api, table, ids: api.post(f"{table}proposals/data/", ADD),
    "data preview": lambda api, table, ids: api.post(f"{table}proposals/data/?dry_run=true", ADD),
    "schema proposal": lambda api, table, ids: api.post(f"{table}proposals/schema/", ADD_COLUMN),
    "schema preview": lambda api, table, ids: api.post(f"{table}proposals/schema/?dry_run=true", ADD_COLUMN),
    "undo": lambda api, table, ids: api.post(f"{table}changes/{ids['change']}/undo/"),
    "edit page": lambda api, table, ids: api.get(f"{table.removeprefix('/api')}edit/"),
    "history page's undo": lambda api, table, ids: api.client.post(
        f"{table.removeprefix('/api')}history/", {"change": ids["change"]}
    ),
}
OWNING: dict[str, Call] = {
    "trash": lambda api, table, ids: api.delete(table),
    "members": lambda api, table, ids: api.get(f"{table}members/"),
    "invite": lambda api, table, ids: invite_user(api, table, "x"),
    "invite by link": lambda api, table, ids: api.post(f"{table}members/", {"kind": "link", "role": "viewer"}),
    "invite again": lambda api, table, ids: api.post(f"{table}invitations/1/"),
    "change member": lambda api, table, ids: api.patch(f"{table}members/grace/", {"role": "editor"}),
    "remove member": lambda api, table, ids: api.delete(f"{table}members/nobody/"),
    "transfer": lambda api, table, ids: api.post(f"{table}transfer/", {"to": "grace"}),
    "withdraw invitation": lambda api, table, ids: api.delete(f"{table}invitations/1/"),
    "make link": lambda api, table, ids: api.post(f"{table}link/"),
    "remove link": lambda api, table, ids: api.delete(f"{table}link/"),
}
