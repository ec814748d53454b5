"""Several people at one table: they come and go, may change it or only look, and take turns at changing it."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import rule

from tests.conftest import Api
from tests.flows.stateful.base import EDITING, OTHERS, Living
from tests.tables.shared_table import invite_user

Json = dict[str, Any]
ADD = {"operations": [{"action": "add", "data": {}}]}
COLUMN = {"name": "Refused", "type": "text"}
PROPOSAL = {"mode": "update", "operations": [{"action": "add", "column": COLUMN}]}
Door = Callable[[Api, str], Any]


def last_change(api: Api, table: str) -> int:
    return int(api.get(f"{table}changes/").json()["changes"][0]["id"])


CHANGING: dict[str, Door] = {
    "rename": lambda api, table: api.patch(table, {"name": "Taken"}),
    "add a column": lambda api, table: api.post(f"{table}columns/", COLUMN),
    "propose columns": lambda api, table: api.post(f"{table}proposals/schema/", PROPOSAL),
    "look at proposed columns": lambda api, table: api.post(f"{table}proposals/schema/?dry_run=true", PROPOSAL),
    "add a row": lambda api, table: api.post(f"{table}rows/", {}),
    "propose rows": lambda api, table: api.post(f"{table}proposals/data/", ADD),
    "delete rows": lambda api, table: api.post(f"{table}rows/delete/", {"ids": [2**40]}),
    "undo": lambda api, table: api.post(f"{table}changes/{last_change(api, table)}/undo/"),
}
OWNING: dict[str, Door] = {
    "delete": lambda api, table: api.delete(table),
    "share": lambda api, table: invite_user(api, table, "cyd", role="editor"),
    "see members": lambda api, table: api.get(f"{table}members/"),
    "make a link": lambda api, table: api.post(f"{table}link/"),
}


class PeopleOfALife(Living):
    """Who may not is refused at every door, and nothing happens."""

    @rule(name=st.sampled_from(OTHERS), role=st.sampled_from(["editor", "editor", "viewer"]))
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

    @rule(name=st.sampled_from(OTHERS))
    def share_no_more(self, name: str) -> None:
        response = self.apis["ada"].delete(f"{self.address}members/{name}/")
        assert response.status_code == (204 if name in self.roles else 404)
        self.roles.pop(name, None)
        self.acting = self.acting if self.acting in self.roles else "ada"

    @rule(data=st.data())
    def somebody_else_goes_on(self, data: st.DataObject) -> None:
        self.acting = data.draw(st.sampled_from([name for name, role in self.roles.items() if role in EDITING]))

    @rule(name=st.sampled_from(OTHERS), data=st.data())
    def be_refused(self, name: str, data: st.DataObject) -> None:
        api, role = self.apis[name], self.roles.get(name, "")
        table = api.get(self.address)
        assert (table.status_code, table.json().get("role", "")) == (200 if role else 404, role)
        doors = OWNING if role == "editor" else {**OWNING, **CHANGING} if role else {}
        if doors:
            door = doors[data.draw(st.sampled_from(sorted(doors)))]
            self.answered(door(api, self.address), status=403)
        else:
            door = {**OWNING, **CHANGING}[data.draw(st.sampled_from(sorted({*OWNING, *CHANGING} - {"undo"})))]
            self.answered(door(api, self.address), status=404)
