"""Create a table from a described need: "Track my job applications with company, position, status and date applied"."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

from chat.demo.intents.described import TABLE_WORD, Need, name_of, read_need
from chat.demo.intents.talk import OFFER_NEXT
from chat.demo.knowledge.domains import GENERIC, Domain, find_domain
from chat.demo.knowledge.kinds import Kind, is_identifier
from chat.demo.knowledge.rows import make_rows
from chat.demo.language.numbers import COUNT
from chat.demo.language.words import and_list, key, shown, tokens
from chat.demo.reply import Reply, propose_schema, say
from chat.demo.request import Turn

Json = dict[str, Any]
_SAMPLES = 3


def create_table(turn: Turn) -> Reply | None:
    """A proposed table on the list of tables; on an open table, the way to it."""
    named = [column.name for column in turn.page.columns if key(column.name) in key(turn.wish)]
    if any(re.search(rf"\b{TABLE_WORD}\b", name, re.IGNORECASE) for name in named):
        # "Make Table name required" is about that column.
        return None
    need = read_need(turn.wish, free=turn.page.name == "tables_list")
    if need is None:
        return None
    if turn.page.name == "tables_list" and len(need.columns) == 1 and re.fullmatch(COUNT, need.columns[0].name, re.I):
        return say(
            "I do not make up that many columns. Tell me what the columns are called, and I will propose the table."
        )
    if turn.page.name != "tables_list":
        return say(
            "A new table is made from the Tables page. Go to Tables, tell me the same there, and I will propose it. "
            "Here I can work on the table that is open."
        )
    domain = find_domain(need.topic) or find_domain(need.around) or GENERIC
    kinds = kinds_for(need, domain=domain)
    name = table_name(need, domain=domain)
    rows = make_rows(kinds=kinds, about=domain.id, count=_SAMPLES, seed=turn.seed, today=turn.page.today)
    columns = and_list([shown(kind.name) for kind in kinds])
    return propose_schema(
        f"Here is a table for {shown(need.topic or name)}: {columns}. "
        "The sample rows are made up, and you can rename or leave out columns before you create it.",
        creation(name=name, description=describe(name, kinds=kinds), kinds=kinds, rows=rows, why=need.around),
    )


def creation(*, name: str, description: str, kinds: Sequence[Kind], rows: Sequence[Json], why: str) -> Json:
    """A proposal in mode create."""
    return {
        "mode": "create",
        "reasoning": f"Columns chosen for: {shown(why, limit=200)}",
        "table_name": name,
        "table_description": description,
        "operations": [{"action": "add", "column": kind.as_column()} for kind in kinds],
        "sample_rows": list(rows),
        "next": OFFER_NEXT,
    }


def kinds_for(need: Need, *, domain: Domain) -> list[Kind]:
    """The columns a need asks for; where it names none, or nothing that says what a row is, the subject's own."""
    kinds: list[Kind] = []
    for column in need.columns:
        kind = column.kind(domain=domain)
        if key(kind.name) not in {key(other.name) for other in kinds}:
            kinds.append(kind)
    if not kinds:
        kinds = [domain.kind(name) for name in domain.columns]
    elif not any(kind.type == "text" and is_identifier(kind.name) for kind in kinds):
        leading = domain.columns[: domain.leading]
        have = {key(kind.name) for kind in kinds}
        kinds = [domain.kind(name) for name in leading if key(name) not in have] + kinds
    first = kinds[0]
    return [Kind(name=first.name, type=first.type, options=first.options, required=True), *kinds[1:]]


def table_name(need: Need, *, domain: Domain) -> str:
    """ "my job applications" → "Job Applications"; a topic of verbs ("what I eat") takes the subject's name."""
    if need.name:
        return need.name[:255]
    topic = need.topic
    if not topic or len(topic.split()) > 5 or set(tokens(topic)) & {"i", "we", "applying", "everything", "thing"}:
        return domain.name if domain is not GENERIC else name_of(topic)[:80] or "New Table"
    return name_of(topic)


def describe(name: str, *, kinds: Sequence[Kind]) -> str:
    """One sentence on what the table holds."""
    return f"{name} with {and_list([kind.name for kind in kinds])}."
