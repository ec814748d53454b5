"""An API client that works on ada's report, and the scripted model that answers it."""
from __future__ import annotations

import json
from typing import Any

import httpx2

from tests.chat.turns.turn_runs import broken_rules
from tests.scripted_model import Reply, ScriptedModel
from tests.scripted_model import say as reply

Json = dict[str, Any]


class ReportClient:
    """Ada's API client of the running app, and its model."""

    def __init__(self, client: httpx2.Client, *, model: ScriptedModel) -> None:
        self.client, self.model = client, model

    def turn(self, *replies: Reply, tab: str = "", subtab: str = "", **fields: Any) -> list[Json]:
        """Return the events of a turn on report 1, checked against the grammar."""
        self.model.add(*replies)
        context = {"current_page": "reports", "report_id": 1, "active_tab": tab, "active_subtab": subtab, "paper_id": 3}
        body = {"message": "Hello", "context": context, **fields}
        answer = self.client.post("/api/chat/stream/", json=body)
        assert answer.status_code == 200, answer.text
        events = [json.loads(line[6:]) for line in answer.text.split("\n") if line.startswith("data: ")]
        assert broken_rules(events) == []
        assert events[-1]["type"] == "complete", events[-1]
        return events

    def run_action(self, action: str, data: Any, *, report: int = 1, key: str = "", **fields: Any) -> httpx2.Response:
        """Return the response to a server action."""
        body = {"context": {"current_page": "reports", "report_id": report}, "data": data, **fields}
        headers = {"Idempotency-Key": key} if key else {}
        return self.client.post(f"/api/chat/actions/{action}/", json=body, headers=headers)

    def answer(self, payload: Json, way: str, **choice: Any) -> httpx2.Response:
        """Return the response to a preview, apply or undo of a proposal."""
        return self.client.post(f"/api/chat/payloads/{payload['id']}/{way}/", json=choice)

    def page_info(self, **query: Any) -> Json:
        """Return what the page offers."""
        answer = self.client.get("/api/chat/pages/reports/", params={"object_id": 1, **query})
        assert answer.status_code == 200, answer.text
        return answer.json()

    def flagged(self) -> list[str]:
        """Return the titles of flagged papers, as the assistant's tool returns them."""
        self.turn(reply("Yes."))
        text = self.model.requests[-1]["messages"][-1]["content"][0]["text"]
        data = json.loads(text[text.index("{") : text.rindex("}") + 1])
        return [paper["title"] for paper in data["papers"] if paper["flagged"]]
