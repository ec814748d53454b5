"""Another form of the proposed columns: "call it Stage instead", "drop the Notes column", "make Priority a select"."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from typing import Any

from chat.demo.intents.column_changes import change_columns
from chat.demo.intents.columns import add_columns
from chat.demo.intents.reading import ask
from chat.demo.knowledge.domains import GENERIC, find_domain
from chat.demo.knowledge.kinds import Kind
from chat.demo.knowledge.rows import make_rows
from chat.demo.language.words import key
from chat.demo.page import Column, Page
from chat.demo.reply import Reply, propose_schema, say
from chat.demo.request import Turn

Json = dict[str, Any]
_FLAGS = re.IGNORECASE | re.DOTALL
_ABOUT_COLUMNS = re.compile(
    r"^(?:also |and |but |then |please )*(?:call|name|rename|relabel|change|make|mark|turn|convert|switch|set|drop"
    r"|remove|delete|leave out|take out|get rid of|without|no|move|put|add|insert|include|require)\b"
    r"|\b(?:should|must|needs to|has to) be\b",
    _FLAGS,
)
_NEW_TABLE = re.compile(r"^(?:make|create|add|set up|build)\b.*\b(?:table|tracker|list|spreadsheet)s?\b", _FLAGS)
_CALL_IT = re.compile(
    r"^(?:(?:re)?name|call)\s+(?:it|that|the (?:new )?column)\s+(?:to\s+)?(?P<new>.+?)(?:\s+instead)?$", _FLAGS
)
_RENAME_NAMED = re.compile(r"^rename\s+the\s+(?:new\s+)?column\s+(?!to\s).+\s(?:to|as|into|=>|->|→)\s", _FLAGS)
_CALL_NAMED = re.compile(r"^(?:(?:re)?name|call)\s+the\s+column\s+(?!to\s)(?P<names>.+)$", _FLAGS)
_LEAVE_OUT = re.compile(r"^(?:leave out|without|no)\s+(?P<rest>.+)$", _FLAGS)
_MARKER = "SCHEMA_PROPOSAL: "


@dataclass(frozen=True)
class _Draft:
    """An open proposal while it is being changed: the columns that it adds, and its rows to begin with; `as_read` are
    the columns it had."""

    proposal: Json
    columns: list[Json]
    rows: list[Json]
    as_read: tuple[Json, ...]

    @property
    def creates(self) -> bool:
        """Whether it is a table of its own."""
        return self.proposal.get("mode") == "create"

    def at(self, said: Any) -> int:
        """Where the column stands now that is meant by its name, or by @ and its number as it was read; else −1."""
        number = re.fullmatch(r"@(\d+)", str(said))
        wanted = self.as_read[int(number[1])] if number else None
        for at, column in enumerate(self.columns):
            if column is wanted or (wanted is None and key(str(column.get("name", ""))) == key(str(said))):
                return at
        return -1


def revise_columns(turn: Turn) -> Reply | None:
    """A proposal in place of the open one, which it has read again; None if the wish is about something else."""
    open_one = turn.open_proposal
    if open_one is None or open_one.type != "schema_proposal":
        return None
    if not _ABOUT_COLUMNS.search(turn.wish) or _NEW_TABLE.match(turn.wish):
        return None
    answer = turn.answer("get_payload")
    if answer is None:
        return ask(turn, tool="get_payload", given={"payload_id": open_one.id}, text="Let me look at the proposal.")
    draft = _draft(answer.value)
    if answer.is_error or draft is None:
        return None
    wished = _as_if_there(turn, draft=draft)
    if wished is None:
        return None
    if not wished.element.startswith(_MARKER):
        return say(wished.text)
    change = json.loads(wished.element.removeprefix(_MARKER))
    if not all(_fold(operation, draft=draft, turn=turn) for operation in change["operations"]):
        return None
    if "table_name" in change:
        draft.proposal["table_name"] = change["table_name"]
    return propose_schema(f"Here is the proposal again. {wished.text.split('. ')[0].removesuffix('.')}.", _whole(draft))


def _draft(value: Any) -> _Draft | None:
    """The proposal as the tool gives it; None if it waits for nobody any more, or adds nothing."""
    data = value.get("data") if isinstance(value, dict) and value.get("status") == "pending" else None
    operations = data.get("operations") if isinstance(data, dict) else None
    if not isinstance(data, dict) or not isinstance(operations, list):
        return None
    columns = [one["column"] for one in operations if isinstance(one, dict) and isinstance(one.get("column"), dict)]
    rows = [row for row in data.get("sample_rows") or [] if isinstance(row, dict)]
    return _Draft(proposal=data, columns=columns, rows=rows, as_read=tuple(columns)) if columns else None


def _as_if_there(turn: Turn, *, draft: _Draft) -> Reply | None:
    """What the wish would be if the proposed columns stood in a table already."""
    columns = tuple(
        Column(
            id=f"@{at}",
            name=str(column.get("name", "")),
            type=str(column.get("type", "text")),
            required=column.get("required") is True,
            options=tuple(map(str, column.get("options") or ())),
        )
        for at, column in enumerate(draft.columns)
    )
    name = str(draft.proposal.get("table_name", ""))
    page = Page(
        today=turn.page.today, table_id=-1, table_name=name, columns=columns, columns_elsewhere=turn.page.columns
    )
    wish = turn.wish
    called = _CALL_IT.match(wish)
    if called and _names_column(wish, page=page):
        called = None
    if called and (not draft.creates or "column" in wish.casefold()):
        if len(columns) > 1:
            return say("The proposal has several columns. Which one do you want to rename?")
        wish = f"rename {columns[0].name} to {called['new']}"
    elif called:
        wish = f"rename the table to {called['new']}"
    elif left_out := _LEAVE_OUT.match(wish):
        wish = f"remove {left_out['rest']}"
    there = replace(turn, wish=wish, page=page)
    changed = change_columns(there) or (add_columns(there) if draft.creates else None)
    # Of a table that is there, a column that the proposal does not have is meant in that table.
    return changed if changed is None or draft.creates or changed.element.startswith(_MARKER) else None


def _names_column(wish: str, *, page: Page) -> bool:
    """Whether the column's present name comes before the new one: "the column Link to URL", "the column Link URL"."""
    names = (key(column.name) for column in (*page.columns, *page.columns_elsewhere))
    said = _CALL_NAMED.match(wish)
    both = said is not None and any(key(said["names"]).startswith(f"{name} ") for name in names)
    return both or _RENAME_NAMED.match(wish) is not None


def _fold(operation: Json, *, draft: _Draft, turn: Turn) -> bool:
    """Puts one wish into the proposal; False where it does not fit in."""
    kind = operation["action"]
    at = draft.at(operation.get("column_id"))
    if kind == "add":
        after = draft.at(operation.get("after_column_id"))
        column = operation["column"]
        draft.columns.insert(after + 1 if after >= 0 else len(draft.columns), column)
        _fill(column, draft=draft, turn=turn)
    elif at < 0:
        return False
    elif kind == "remove":
        name = str(draft.columns.pop(at).get("name"))
        for row in draft.rows:
            row.pop(name, None)
    elif kind == "reorder":
        if not draft.creates:
            return False
        column = draft.columns.pop(at)
        # −1, before all others, is where one goes that stands after none.
        draft.columns.insert(draft.at(operation.get("after_column_id")) + 1, column)
    else:
        _modify(draft.columns[at], changes=operation["changes"], draft=draft, turn=turn)
    return True


def _modify(column: Json, *, changes: Json, draft: _Draft, turn: Turn) -> None:
    before = column.get("name")
    column.update(changes)
    if column.get("type") != "select":
        column.pop("options", None)
        column.pop("filterDisplay", None)
    if "name" in changes:
        for row in draft.rows:
            if before in row:
                row[changes["name"]] = row.pop(before)
    if "type" in changes:
        column.pop("default", None)
        _fill(column, draft=draft, turn=turn)


def _fill(column: Json, *, draft: _Draft, turn: Turn) -> None:
    """Made-up values of the column's type for the rows to begin with."""
    kind = Kind(name=column["name"], type=column["type"], options=tuple(column.get("options") or ()))
    about = (find_domain(str(draft.proposal.get("table_name", ""))) or GENERIC).id
    made = make_rows(kinds=[kind], about=about, count=len(draft.rows), seed=turn.seed, today=turn.page.today)
    for row, values in zip(draft.rows, made, strict=False):
        row.pop(kind.name, None)
        row.update(values)


def _whole(draft: _Draft) -> Json:
    """The proposal as it is now: what adds columns, in their order, with whatever else it did."""
    if draft.creates:
        adds = [{"action": "add", "column": column} for column in draft.columns]
        more = {"sample_rows": draft.rows} if "sample_rows" in draft.proposal else {}
        return {**draft.proposal, "operations": adds, **more}
    kept = [one for one in draft.proposal["operations"] if "column" not in one or one["column"] in draft.columns]
    return {**draft.proposal, "operations": kept}
