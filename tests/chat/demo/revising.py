"""A call of the demo model with a proposal that waits for the person, as the application lists it."""

from __future__ import annotations

import json
from typing import Any

from chat.demo.mind import answer
from chat.demo.reply import Reply
from chat.demo.request import read_turn
from tests.chat.demo.asking import COLUMNS, TOOLS, answered, request_body

Json = dict[str, Any]
CITY: Json = {"id": "col_city0001", "name": "City", "type": "text"}
WITH_CITY = [*COLUMNS, CITY]
ROWS: list[Json] = [
    {"Company": "Cobalt Bank", "Status": "Applied", "Salary": 50000, "Remote": True, "City": "Oslo"},
    {"Company": "Vela Foods", "Status": "Rejected", "Salary": 60000, "Remote": False, "City": "Lyon"},
    {"Company": "Opal Maps", "Status": "Applied", "Salary": 70000, "Remote": True, "City": "Oslo"},
    {"Company": "Cedar Labs", "Status": "Offer", "Salary": 80000, "Remote": False},
    {"Company": "Birch Studio", "Status": "Interview", "Salary": 90000, "Remote": True, "City": "Ghent"},
]
ADDS: list[Json] = [{"action": "add", "data": row} for row in ROWS]
ID = "2f7e3f60-7a2b-4f0e-9c61-0d7f0b3a9a11"


def body_with(words: str, *, status: str = "pending", kind: str = "data_proposal", **changes: Any) -> Json:
    """A call with a proposal in the manifest, as the application lists it."""
    page = changes.pop("page", "table_view")
    table = {"id": 5, "name": "Job Applications", "description": "", "columns": WITH_CITY, "rows": 24}
    body = request_body(words, page=page, tools=(*TOOLS, "get_payload"), table=table, **changes)
    list_payload(body, kind=kind, status=status)
    return body


def list_payload(body: Json, *, kind: str, status: str = "pending") -> None:
    """Puts the manifest into a call."""
    known = {"payloads": [{"id": ID, "type": kind, "summary": "A proposal", "status": status}]}
    fenced = f'PAYLOADS\nEarlier payloads.\n<data token="k3v9x2">\n{json.dumps(known)}\n</data token="k3v9x2">'
    body["messages"][0]["content"].insert(1, {"type": "text", "text": fenced})


def read_again(body: Json, *, kind: str, data: Json, status: str = "pending") -> Json:
    """The call after the one in which the model asked for the proposal, which it has to."""
    reply = answer(read_turn(body))
    assert reply.tool_use is not None, reply.text
    assert (reply.tool_use.name, reply.tool_use.input) == ("get_payload", {"payload_id": ID})
    payload = json.loads(json.dumps({"id": ID, "type": kind, "status": status, "data": data}))
    return answered(body, reply=reply, result=payload)


def revised(words: str, *, operations: list[Json] = ADDS, rows: list[Json] | None = None, **changes: Any) -> Reply:
    """The reply once the model has read the open proposal again (and, where it asks for them, rows of the table)."""
    body = read_again(body_with(words, **changes), kind="data_proposal", data={"operations": operations})
    reply = answer(read_turn(body))
    if rows is not None:
        assert reply.tool_use is not None, reply.text
        assert reply.tool_use.name == "get_rows"
        body = answered(body, reply=reply, result={"rows": rows, "matching_rows": len(rows)})
        reply = answer(read_turn(body))
    return reply
