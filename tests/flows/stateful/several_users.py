"""Several users of one table: they join and leave, view or change it, and take turns."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.conftest import Api
from tests.flows.stateful.base import EDITING, MEMBERS, TableMachine
from tests.tables.shared_table import invite_user

Json = dict[str, Any]
ADD = {"operations": [{"action": "add", "data": {}}]}
COLUMN = {"name": "Refused", "type": "text"}
PROPOSAL = {"mode": "update", "operations": [{"action": "add", "column": COLUMN}]}
Endpoint = Callable[[Api, str], Any]


def last_change(api: Api, table: str) -> int:
    return int(api.get(f"{table}changes/").json()["changes"][0]["id"])


CHANGING: dict[str, Endpoint] = {
    "rename": lambda api, table: api.patch(table, {"name": "Taken"}),
    "add a column": lambda api, table: api.post(f"{table}columns/", COLUMN),
    "propose columns": lambda api, table: api.post(f"{table}proposals/schema/", PROPOSAL),
    "look at proposed columns": lambda api, table: api.post(f"{table}proposals/schema/?dry_run=true", PROPOSAL),
    "add a row": lambda api, table: api.post(f"{table}rows/", {}),
    "propose rows": lambda api, table: api.post(f"{table}proposals/data/", ADD),
    "delete rows": lambda api, table: api.post(f"{table}rows/delete/", {"ids": [2**40]}),
    "undo": lambda api, table: api.post(f"{table}changes/{last_change(api, table)}/undo/"),
}
OWNING: dict[str, Endpoint] = {
    "delete": lambda api, table: api.delete(table),
    "share": lambda api, table: invite_user(api, table, "cyd", role="editor"),
    "see members": lambda api, table: api.get(f"{table}members/"),
    "make a link": lambda api, table: api.post(f"{table}link/"),
}


class MemberRules(TableMachine):
    """Users without the right are refused by every endpoint, and nothing changes."""

    @rule(name=st.sampled_from(MEMBERS), role=st.sampled_from(["editor", "editor", "viewer"]))
    def share(self, name: str, role: str) -> None:
        owner = self.apis["ada"]
        if name in self.roles:
            response = owner.patch(f"{self.address}members/{name}/", {"role": role})
        else:
            invited = invite_user(owner, self.address, name, role=role)
            assert invited.status_code == 202, invited.content
            response = self.apis[name].post(f"/api/tables/invitations/{invited.json()['id']}/accept/")
        assert response.status_code == 200, response.content
        self.roles[name] = role
        self.acting = self.acting if self.roles[self.acting] in EDITING else "ada"

    @rule(name=st.sampled_from(MEMBERS))
    def stop_sharing(self, name: str) -> None:
        response = self.apis["ada"].delete(f"{self.address}members/{name}/")
        assert response.status_code == (204 if name in self.roles else 404)
        self.roles.pop(name, None)
        self.acting = self.acting if self.acting in self.roles else "ada"

    @rule(data=st.data())
    def switch_user(self, data: st.DataObject) -> None:
        self.acting = data.draw(st.sampled_from([name for name, role in self.roles.items() if role in EDITING]))

    @rule(name=st.sampled_from(MEMBERS), data=st.data())
    def check_refusal(self, name: str, data: st.DataObject) -> None:
        api, role = self.apis[name], self.roles.get(name, "")
        table = api.get(self.address)
        assert (table.status_code, table.json().get("role", "")) == (200 if role else 404, role)
        endpoints = OWNING if role == "editor" else {**OWNING, **CHANGING} if role else {}
        if endpoints:
            endpoint = endpoints[data.draw(st.sampled_from(sorted(endpoints)))]
            self.check_response(endpoint(api, self.address), status=403)
        else:
            endpoint = {**OWNING, **CHANGING}[data.draw(st.sampled_from(sorted({*OWNING, *CHANGING} - {"undo"})))]
            self.check_response(endpoint(api, self.address), status=404)
