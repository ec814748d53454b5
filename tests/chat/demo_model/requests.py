"""Requests to the demo model as the application sends them, and parts of its responses."""

from __future__ import annotations

import json
from typing import Any

from chat.demo_model.answering import answer
from chat.demo_model.reply import Reply
from chat.demo_model.request import read_turn
from chat.pages.table_view_actions import TABLE_ACTIONS

Json = dict[str, Any]
TODAY = "2026-11-21"
TOOLS = {
    "tables_list": ("list_tables", "get_payload", "get_help"),
    "table_view": (
        *("list_tables", "describe_table", "get_rows", "search_rows", "aggregate_rows", "find_duplicates"),
        *("create_row", "update_row", "delete_row", "get_payload", "get_help"),
    ),
    "table_edit": ("describe_table", "get_rows", "search_rows", "get_payload", "get_help"),
}
COLUMNS: list[Json] = [
    {"id": "col_company1", "name": "Company", "type": "text", "required": True},
    {"id": "col_positio1", "name": "Position", "type": "text"},
    {
        "id": "col_status01",
        "name": "Status",
        "type": "select",
        "options": ["Applied", "Interview", "Offer", "Rejected"],
    },
    {"id": "col_applied1", "name": "Date Applied", "type": "date"},
    {"id": "col_salary01", "name": "Salary", "type": "number"},
    {"id": "col_remote01", "name": "Remote", "type": "boolean"},
    {"id": "col_link0001", "name": "Link", "type": "text"},
    {"id": "col_notes001", "name": "Notes", "type": "text"},
]
TABLE: Json = {"id": 5, "name": "Job Applications", "description": "", "columns": COLUMNS, "rows": 24}
ROWS: list[Json] = [
    {"row_id": 11, "number": 1, "data": {"Company": "Acme", "Position": "Engineer", "Status": "Applied"}},
    {"row_id": 12, "number": 2, "data": {"Company": "Globex", "Position": "Designer", "Status": "Offer"}},
]
TABLES: list[Json] = [{"id": 5, "name": "Job Applications", "columns": ["Company (text)"], "rows": 24}]


def context(page: str = "table_view", **changes: Any) -> Json:
    """Return the context document of a page; `changes` replace parts of it."""
    if page == "tables_list":
        return {"page": page, "today": TODAY, "tables": TABLES, "tables_total": 1} | changes
    document: Json = {"page": page, "today": TODAY, "table": TABLE}
    if page == "table_view":
        document |= {"view": {"filter": None, "sort": None, "search": "", "matching_rows": 24}, "sample_rows": ROWS}
    return document | changes


def request_body(
    words: str,
    *,
    page: str = "table_view",
    opened: Json | None = None,
    payloads: list[Json] | None = None,
    facts: list[str] | None = None,
    history: tuple[Json, ...] = (),
    **changes: Any,
) -> Json:
    """Return one call of the model.

    `opened` is the manifest's entry of a pending proposal, `payloads` the whole manifest; `facts` are the events
    since the last answer.
    """
    payloads = payloads or ([opened | {"status": "pending"}] if opened else [])
    fence = '{}\n<data token="k3v9x2">\n{}\n</data token="k3v9x2">'
    texts = [fence.format("CURRENT CONTEXT", json.dumps(context(page, **changes)))]
    manifest = {"payloads": payloads, "since_your_last_answer": facts or []}
    texts += [fence.format("PAYLOADS", json.dumps(manifest))] if payloads or facts else []
    blocks = [{"type": "text", "text": text} for text in (*texts, words)]
    actions = [entry.action for entry in TABLE_ACTIONS] if page == "table_view" else []
    lines = "\n".join(f"- {name}: Does it. May run." for name in actions)
    markers = "SCHEMA_PROPOSAL: {}" + (" DATA_PROPOSAL: {} FILL_PROPOSAL: {}" if page == "table_view" else "")
    system = [{"type": "text", "text": f"STRUCTURED RESPONSES\n{markers}\n\nCLIENT ACTIONS\n{lines}\n\nend"}]
    tools = [{"name": name, "description": name, "input_schema": {"type": "object"}} for name in TOOLS[page]]
    messages = [*history, {"role": "user", "content": blocks}]
    return {"model": "demo", "max_tokens": 4096, "system": system, "messages": messages, "tools": tools}


def ask(words: str, *, results: Json | None = None, **request: Any) -> Reply:
    """Return the reply to these words; a tool that it uses returns what `results` has for its name."""
    body = request_body(words, **request)
    reply = answer(read_turn(body))
    if reply.tool_use is None or results is None:
        return reply
    used = {"type": "tool_use", "id": "toolu_1", "name": reply.tool_use.name, "input": reply.tool_use.input}
    result = {"type": "tool_result", "tool_use_id": "toolu_1", "content": json.dumps(results[reply.tool_use.name])}
    more = [{"role": "assistant", "content": [used]}, {"role": "user", "content": [result]}]
    return answer(read_turn(body | {"messages": [*body["messages"], *more]}))


def element(reply: Reply, marker: str = "") -> Any:
    """Return the JSON of the element in a reply; fails where the reply has another one or none."""
    name, found, value = reply.element.partition(": ")
    assert found, reply.text
    assert name == (marker or name), reply
    return json.loads(value)
