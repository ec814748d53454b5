"""Requests as the application sends them to the model, and what stands in the answer."""

from __future__ import annotations

import json
from typing import Any

from chat.demo.mind import answer
from chat.demo.reply import Reply
from chat.demo.request import read_turn
from chat.pages.table_view_actions import TABLE_ACTIONS

Json = dict[str, Any]
TODAY = "2026-11-21"
ACTIONS = tuple(entry.action for entry in TABLE_ACTIONS)
TOOLS = (
    "list_tables",
    "describe_table",
    "get_rows",
    "search_rows",
    "aggregate_rows",
    "find_duplicates",
    "create_row",
    "update_row",
    "delete_row",
)
STATUSES = ["Applied", "Interview", "Offer", "Rejected"]
COLUMNS: list[Json] = [
    {"id": "col_company1", "name": "Company", "type": "text", "required": True},
    {"id": "col_positio1", "name": "Position", "type": "text"},
    {"id": "col_status01", "name": "Status", "type": "select", "options": STATUSES},
    {"id": "col_applied1", "name": "Date Applied", "type": "date"},
    {"id": "col_salary01", "name": "Salary", "type": "number"},
    {"id": "col_remote01", "name": "Remote", "type": "boolean"},
    {"id": "col_notes001", "name": "Notes", "type": "text"},
]  # fmt: skip
SAMPLES: list[Json] = [
    {
        "row_id": 1,
        "data": {"Company": "Acme", "Position": "Engineer", "Status": "Applied", "Date Applied": "2026-05-04"},
    },
    {"row_id": 2, "data": {"Company": "Globex", "Position": "Designer", "Status": "Offer", "Salary": 90000}},
]
TABLES: list[Json] = [
    {
        "id": 1,
        "name": "Job Applications",
        "description": "",
        "columns": ["Company (text)", "Status (select)"],
        "rows": 24,
    },
    {"id": 2, "name": "Vendors", "description": "", "columns": ["Vendor (text)"], "rows": 3},
]


def context(page: str = "table_view", **changes: Any) -> Json:
    """The context document of a page; `changes` replace parts of it."""
    if page == "tables_list":
        return {"page": page, "today": TODAY, "tables": TABLES, "tables_total": len(TABLES)} | changes
    table = {"id": 5, "name": "Job Applications", "description": "", "columns": COLUMNS, "rows": 24}
    known: Json = {"page": page, "today": TODAY, "table": table}
    if page == "table_view":
        known |= {"view": {"filter": None, "sort": [], "search": "", "matching_rows": 24}, "sample_rows": SAMPLES}
        known |= {"selected_rows": [], "counts": {"Status": {"Applied": 9}}, "ranges": {}}
    return known | changes


def request_body(
    words: str,
    *,
    page: str = "table_view",
    tools: tuple[str, ...] = TOOLS,
    actions: tuple[str, ...] = (),
    **changes: Any,
) -> Json:
    """One call of the model: the page's context in its fence, then the person's words. `actions` may run at once."""
    fence = 'What follows is data.\n<data token="k3v9x2">\n{}\n</data token="k3v9x2">'
    document = json.dumps(context(page, **changes), ensure_ascii=False)
    blocks = [{"type": "text", "text": fence.replace("{}", document)}, {"type": "text", "text": words}]
    declared = [{"name": name, "description": name, "input_schema": {"type": "object"}} for name in tools]
    listed = "\n".join(f"- {name}: What it does. May run." for name in actions)
    system = [{"type": "text", "text": f"# Capabilities\n\nCLIENT ACTIONS\n- close_chat: Closes.\n{listed}\n\n- none"}]
    body: Json = {"model": "demo", "max_tokens": 4096, "system": system}
    return body | {"messages": [{"role": "user", "content": blocks}], "tools": declared}


def answered(body: Json, *, reply: Reply, result: Any, is_error: bool = False) -> Json:
    """The next call of the same turn, after the tool of `reply` has answered."""
    assert reply.tool_use is not None
    used = {"type": "tool_use", "id": "toolu_1", "name": reply.tool_use.name, "input": reply.tool_use.input}
    text = result if isinstance(result, str) else json.dumps(result)
    said = {
        "type": "tool_result",
        "tool_use_id": "toolu_1",
        "content": [{"type": "text", "text": text}],
        "is_error": is_error,
    }
    more = [{"role": "assistant", "content": [used]}, {"role": "user", "content": [said]}]
    return body | {"messages": [*body["messages"], *more]}


def ask(words: str, *, page: str = "table_view", **changes: Any) -> Reply:
    """What the demo model answers to these words on that page."""
    return answer(read_turn(request_body(words, page=page, **changes)))


def element(reply: Reply, marker: str) -> Any:
    """The JSON after a marker; fails where the reply has another element or none."""
    assert reply.element.startswith(f"{marker}: "), f"{reply.text} {reply.element[:60]}"
    return json.loads(reply.element.removeprefix(f"{marker}: "))
