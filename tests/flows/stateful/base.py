"""What all rooms of a life share: the table, its model, what was answered, and that both agree."""
from __future__ import annotations

from typing import Any

from django.contrib.auth.models import User
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant

from tests.conftest import Api
from tests.flows.stateful.content import Content, shown
from tests.flows.stateful.model import TableModel
from tests.flows.stateful.strategies import different_definitions

Json = dict[str, Any]
OTHERS = ("bea", "cyd")
EDITING = ("owner", "editor")


class Living(RuleBasedStateMachine):
    """Every rule does one thing through the API and to the model, and says what must be answered.

    It is ada's table; `acting` is who does things now, and `roles` says what the others may.
    """

    address: str
    model: TableModel

    @initialize(columns=different_definitions(least=2, most=4))
    def create(self, columns: list[Json]) -> None:
        self.users = {name: User.objects.get_or_create(username=name)[0] for name in ("ada", *OTHERS)}
        self.apis = {name: Api(user) for name, user in self.users.items()}
        self.roles = {"ada": "owner"}
        self.acting = "ada"
        self.proposers: dict[str, str] = {}
        made = self.api.post("/api/tables/", {"name": "Life", "columns": columns})
        assert made.status_code == 201, made.content
        self.address = f"/api/tables/{made.json()['id']}/"
        self.table_id = made.json()["id"]
        kept = [shown(column) for column in made.json()["columns"]]
        self.model = TableModel(Content(columns=kept), version=made.json()["version"])

    @property
    def user(self) -> User:
        return self.users[self.acting]

    @property
    def api(self) -> Api:
        return self.apis[self.acting]

    def may_apply(self, response: Any, *, by: str) -> bool:
        """Whether who was given a proposal may still change the table; else they are told so."""
        role = self.roles.get(by, "")
        if role not in EDITING:
            self.answered(response, status=403 if role else 404)
        return role in EDITING

    @property
    def now(self) -> Content:
        return self.model.now

    def answered(
        self, response: Any, *, status: int, content: Content | None = None, proposal: str = "", backwards: int = 0
    ) -> Json:
        """The answer, which is the one expected; a change becomes the model's. `backwards`: the change it took back."""
        assert response.status_code == status, response.content
        answer: Json = response.json()
        if status < 300 and content is not None:
            change = answer["outcome"]["change"] if proposal and not backwards else answer["change"]
            if not backwards:
                # What leaves everything as it is, is no change.
                assert (change is None) == (content == self.now)
            if change is None:
                return answer
            self.model.commit(content, change=backwards or change, proposal=proposal, backwards=bool(backwards))
        return answer

    @invariant()
    def everything_is_as_the_model_says(self) -> None:
        if not hasattr(self, "model"):
            return
        now, table = self.model.now, self.api.get(self.address).json()
        assert (table["version"], table["row_count"]) == (self.model.version, len(now.rows))
        columns = [shown(column) for column in table["columns"]]
        assert columns == now.columns
        # To Python true is 1, and no is 0.
        assert [type(column["default"]) for column in columns] == [type(column["default"]) for column in now.columns]
        rows = self.api.get(f"{self.address}rows/", keys="id", limit=1_000).json()["rows"]
        assert [(row["id"], row["data"]) for row in rows] == now.rows
