"""A German table, and proposals that wait beside it: what is said of them in German."""
from __future__ import annotations

from typing import Any

from chat.demo.mind import answer
from chat.demo.page import Page, read_page
from chat.demo.reply import Reply
from chat.demo.request import read_turn
from tests.chat.demo.asking import ACTIONS, TODAY, TOOLS, ask, request_body
from tests.chat.demo.revising import list_payload, read_again

Json = dict[str, Any]
COLUMNS: list[Json] = [
    {"id": "col_firma001", "name": "Firma", "type": "text", "required": True},
    {"id": "col_stelle01", "name": "Stelle", "type": "text"},
    {"id": "col_status01", "name": "Status", "type": "select",
     "options": ["Beworben", "Gespräch", "Angebot", "Abgelehnt"]},
    {"id": "col_datum001", "name": "Bewerbungsdatum", "type": "date"},
    {"id": "col_gehalt01", "name": "Gehalt", "type": "number"},
    {"id": "col_remote01", "name": "Remote", "type": "boolean"},
    {"id": "col_notiz001", "name": "Notizen", "type": "text"},
]  # fmt: skip
WITH_CITY = [*COLUMNS, {"id": "col_stadt001", "name": "Stadt", "type": "text"}]
SAMPLES: list[Json] = [
    {"row_id": 1, "data": {"Firma": "Acme", "Stelle": "Ingenieurin", "Status": "Beworben"}},
    {"row_id": 2, "data": {"Firma": "Globex", "Stelle": "Designer", "Status": "Angebot", "Gehalt": 90000}},
]
ROWS: list[Json] = [
    {"Firma": "Cobalt Bank", "Status": "Beworben", "Gehalt": 50000, "Remote": True, "Stadt": "Oslo"},
    {"Firma": "Vela Foods", "Status": "Abgelehnt", "Gehalt": 60000, "Remote": False, "Stadt": "Lyon"},
    {"Firma": "Opal Maps", "Status": "Beworben", "Gehalt": 70000, "Remote": True, "Stadt": "Oslo"},
    {"Firma": "Cedar Labs", "Status": "Angebot", "Gehalt": 80000, "Remote": False},
    {"Firma": "Birch Studio", "Status": "Gespräch", "Gehalt": 90000, "Remote": True, "Stadt": "Gent"},
]
TO_CREATE: Json = {
    "mode": "create", "reasoning": "Wie gewünscht", "table_name": "Bücher", "table_description": "Was zu lesen ist.",
    "operations": [
        {"action": "add", "column": {"name": "Titel", "type": "text", "required": True}},
        {"action": "add", "column": {"name": "Priorität", "type": "text", "required": False}},
        {"action": "add", "column": {"name": "Notizen", "type": "text", "required": False}},
    ],
    "sample_rows": [{"Titel": "Emma", "Priorität": "bald", "Notizen": "verliehen"}, {"Titel": "Persuasion"}],
    "next": "Anbieten, wie es weitergeht",
}  # fmt: skip


def table(columns: list[Json] = COLUMNS) -> Json:
    """The German table as a context has it."""
    return {"id": 5, "name": "Bewerbungen", "description": "", "columns": columns, "rows": 24}


def german_page(name: str = "table_view", *, columns: list[Json] = COLUMNS) -> Page:
    """The page of it."""
    return read_page({"page": name, "today": TODAY, "table": table(columns), "sample_rows": SAMPLES})


def asked(words: str, *, page: str = "table_view", runs: bool = False) -> Reply:
    """What is answered beside that table, or on the list of tables."""
    if page == "tables_list":
        return ask(words, page=page)
    actions = ACTIONS if page == "table_view" and runs else ()
    return ask(words, page=page, table=table(), sample_rows=SAMPLES, actions=actions)


def of_rows(words: str) -> Reply:
    """What becomes of a proposal of five rows."""
    return _revised(words, kind="data_proposal", data={"operations": [{"action": "add", "data": row} for row in ROWS]})


def of_columns(words: str) -> Reply:
    """What becomes of a proposed table."""
    return _revised(words, kind="schema_proposal", data=TO_CREATE)


def _revised(words: str, *, kind: str, data: Json) -> Reply:
    beside: Json = {"table": table(WITH_CITY)} if kind == "data_proposal" else {}
    page = "table_view" if kind == "data_proposal" else "tables_list"
    body = request_body(words, page=page, tools=(*TOOLS, "get_payload"), **beside)
    list_payload(body, kind=kind)
    return answer(read_turn(read_again(body, kind=kind, data=data)))
