"""The base of all rule sets: the table, its model, and their comparison."""
from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant

from tests.conftest import Api
from tests.flows.stateful.content import Content, shown
from tests.flows.stateful.model import TableModel
from tests.flows.stateful.strategies import different_definitions

Json = dict[str, Any]
MEMBERS = ("bea", "cyd")
EDITING = ("owner", "editor")


class TableMachine(RuleBasedStateMachine):
    """Every rule sends one request, applies it to the model, and checks the response.

    The table belongs to ada; `acting` is the current user, and `roles` holds the roles of the others.
    """

    address: str
    model: TableModel

    @initialize(columns=different_definitions(least=2, most=4))
    def create(self, columns: list[Json]) -> None:
        self.users = {name: User.objects.get_or_create(username=name)[0] for name in ("ada", *MEMBERS)}
        self.apis = {name: Api(user) for name, user in self.users.items()}
        self.roles = {"ada": "owner"}
        self.acting = "ada"
        self.proposers: dict[str, str] = {}
        created = self.api.post("/api/tables/", {"name": "Life", "columns": columns})
        assert created.status_code == 201, created.content
        self.address = f"/api/tables/{created.json()['id']}/"
        self.table_id = created.json()["id"]
        content = Content(columns=[shown(column) for column in created.json()["columns"]])
        self.model = TableModel(content, version=created.json()["version"])

    @property
    def user(self) -> User:
        return self.users[self.acting]

    @property
    def api(self) -> Api:
        return self.apis[self.acting]

    def may_apply(self, response: Any, *, by: str) -> bool:
        """Return whether the user who got a proposal may still change the table; otherwise check the refusal."""
        role = self.roles.get(by, "")
        if role not in EDITING:
            self.check_response(response, status=403 if role else 404)
        return role in EDITING

    @property
    def now(self) -> Content:
        return self.model.now

    def check_response(
        self, response: Any, *, status: int, content: Content | None = None, proposal: str = "", backwards: int = 0
    ) -> Json:
        """Check the status, apply a change to the model and return the body; `backwards` is the undone change."""
        assert response.status_code == status, response.content
        answer: Json = response.json()
        if status < 300 and content is not None:
            change = answer["outcome"]["change"] if proposal and not backwards else answer["change"]
            if not backwards:
                # A request without effect is no change.
                assert (change is None) == (content == self.now)
            if change is None:
                return answer
            self.model.commit(content, change=backwards or change, proposal=proposal, backwards=bool(backwards))
        return answer

    @invariant()
    def table_equals_the_model(self) -> None:
        if not hasattr(self, "model"):
            return
        now, table = self.model.now, self.api.get(self.address).json()
        assert (table["version"], table["row_count"]) == (self.model.version, len(now.rows))
        columns = [shown(column) for column in table["columns"]]
        assert columns == now.columns
        # In Python True equals 1, and False equals 0.
        assert [type(column["default"]) for column in columns] == [type(column["default"]) for column in now.columns]
        rows = self.api.get(f"{self.address}rows/", keys="id", limit=1_000).json()["rows"]
        assert [(row["id"], row["data"]) for row in rows] == now.rows
