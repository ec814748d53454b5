"""Explain the open table: its columns and what stands in them, counted with a tool: "explain this table"."""

from __future__ import annotations

import re
from typing import Any

from chat.demo.intents.offers import offers_for
from chat.demo.intents.reading import failed
from chat.demo.language.numbers import spoken
from chat.demo.language.words import linked, shown
from chat.demo.meaning.wording import column_in_words, value_in_words
from chat.demo.page import Column
from chat.demo.reply import Reply, say, use
from chat.demo.request import Turn

Json = dict[str, Any]
_ASKS = re.compile(
    r"^(?:(?:explain|describe|summari[sz]e|introduce|tell me (?:more )?about|walk me through"
    r"|(?:give me |show me )?(?:an? )?(?:summary|overview|description|explanation) of)(?: to)?(?: me)?"
    r" (?:the|this|my) (?:table|list|data)(?: to me)?"
    r"|what(?:'s| is|s) (?:in )?(?:the|this|my) (?:table|list)(?: about| for)?"
    r"|what does (?:the|this|my) (?:table|list) (?:hold|contain|have|show))$",
    re.IGNORECASE,
)
_TRUTHS = {"true": "yes", "false": "no"}
_MOST_COLUMNS = 30
_MOST_VALUES = 4


def explain_table(turn: Turn) -> Reply | None:
    """What the table is about, how many rows it has, and each column with its commonest values or its range."""
    page = turn.page
    if not page.has_table or not _ASKS.match(turn.wish.rstrip("? ")):
        return None
    answer = turn.answer("describe_table")
    if answer is None and "describe_table" in turn.tools:
        return use("describe_table", {}, text="Let me look.")
    if answer is not None and (answer.is_error or not isinstance(answer.value, dict)):
        return failed(turn)
    told: Json = answer.value if answer is not None else {}
    rows, columns = told.get("rows"), page.columns
    counted = f"{spoken(rows)} {'row' if rows == 1 else 'rows'} and " if isinstance(rows, int) else ""
    many = f"{spoken(len(columns))} {'column' if len(columns) == 1 else 'columns'}"
    about = shown(told.get("description") or "", limit=200)
    lines = [
        f"- {column_in_words(column)}: {column.type}{', required' if column.required else ''}{_held(column, told=told)}"
        for column in columns[:_MOST_COLUMNS]
    ]
    if len(columns) > _MOST_COLUMNS:
        lines.append(f"- and {spoken(len(columns) - _MOST_COLUMNS)} more")
    name = linked(shown(page.table_name), kind="table", to=page.table_id) or "This table"
    head = f"{name} has {counted}{many}{f' ({about})' if about else ''}:"
    return say(f"{head}\n\n" + "\n".join(lines), offers=offers_for(turn))


def _held(column: Column, *, told: Json) -> str:
    """What stands in it, as the tool counted it; "" where it counts nothing."""
    counts, found = _of(told, "counts", column=column), _of(told, "ranges", column=column)
    by_rows = sorted(
        ((str(value), rows) for value, rows in counts.items() if isinstance(rows, int) and rows),
        key=lambda item: (-item[1], item[0]),
    )
    if by_rows:
        names = _TRUTHS if column.type == "boolean" else {}
        values = [f"{shown(names.get(value, value))} {spoken(rows)}" for value, rows in by_rows[:_MOST_VALUES]]
        return f" ({', '.join(values)}{' and others' if len(by_rows) > _MOST_VALUES else ''})"
    if found.get("min") is not None and found.get("max") is not None:
        return f" (from {value_in_words(found['min'])} to {value_in_words(found['max'])})"
    return ""


def _of(told: Json, part: str, *, column: Column) -> Json:
    by_column = told.get(part)
    found = by_column.get(column.name) if isinstance(by_column, dict) else None
    return found if isinstance(found, dict) else {}
