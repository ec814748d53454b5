"""Endpoints of a single row: changes and deletions with and without a current version."""
from __future__ import annotations

from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import precondition, rule

from tests.flows.stateful.base import TableMachine
from tests.flows.stateful.strategies import cells

Json = dict[str, Any]


class SingleRowRules(TableMachine):
    """A request with an outdated version changes nothing."""

    @precondition(lambda self: self.now.rows and self.now.columns)
    @rule(data=st.data(), current=st.booleans())
    def change_a_row_of_a_version(self, data: st.DataObject, current: bool) -> None:
        row_id = data.draw(st.sampled_from(self.now.ids()))
        changes = data.draw(cells(self.now, needed=False))
        address, version = self.version_of(row_id)
        headers = {"if-match": f'"{version if current else version + 1}"'}
        response = self.api.client.patch(f"{address}?keys=id", {"data": changes}, "application/json", headers=headers)
        after = self.model.draft()
        if not current:
            self.check_response(response, status=412)
        elif not after.may_change(row_id, changes):
            self.check_response(response, status=422)
        else:
            after.change(row_id, changes)
            answer = self.check_response(response, status=200, content=after)
            assert (answer["id"], answer["data"]) == (row_id, after.cells(row_id))
            assert self.version_of(row_id) == (address, answer["version"])

    @precondition(lambda self: self.now.rows)
    @rule(data=st.data(), current=st.sampled_from([True, False, None]))
    def delete_a_row_of_a_version(self, data: st.DataObject, current: bool | None) -> None:
        row_id = data.draw(st.sampled_from(self.now.ids()))
        address, version = self.version_of(row_id)
        headers = {} if current is None else {"if-match": f'"{version if current else version - 1}"'}
        response = self.api.client.delete(address, headers=headers)
        if current is False:
            self.check_response(response, status=412)
            return
        after = self.model.draft()
        after.delete({row_id})
        self.check_response(response, status=200, content=after)
        assert self.api.get(address).status_code == self.api.delete(address).status_code == 404

    def version_of(self, row_id: int) -> tuple[str, int]:
        """Return the URL of the row and its version, which its ETag contains as well."""
        address = f"{self.address}rows/{row_id}/"
        found = self.api.get(address)
        assert found["ETag"] == f'"{found.json()["version"]}"'
        return address, found.json()["version"]
