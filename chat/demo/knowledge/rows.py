"""Made-up rows: distinct from one another and from what a table shows already."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from random import Random
from typing import Any

from chat.demo.knowledge.cells import Invention, cell
from chat.demo.knowledge.facts import OF_THE_END, UNFINISHED
from chat.demo.knowledge.kinds import Kind
from chat.demo.language.words import key

Json = dict[str, Any]
_TRIES = 60


def make_rows(
    *, kinds: Sequence[Kind], about: str, count: int, seed: int, today: date, taken: set[str] | None = None
) -> list[Json]:
    """`count` rows by column name. `taken` holds folded texts that the naming column must not repeat."""
    rng = Random(seed)
    offset = rng.randrange(1000)
    used = set(taken or ())
    naming = next((kind for kind in kinds if kind.type == "text"), None)
    rows: list[Json] = []
    index = 0
    while len(rows) < count:
        row = _row(kinds=kinds, invention=Invention(rng=rng, index=index, offset=offset, about=about), today=today)
        index += 1
        name = key(str(row.get(naming.name, ""))) if naming else ""
        if name and name in used and index < count + _TRIES:
            continue
        used.add(name)
        rows.append(row)
    return rows


def _row(*, kinds: Sequence[Kind], invention: Invention, today: date) -> Json:
    naming = next((kind for kind in kinds if kind.type == "text"), None)
    if naming is not None:
        name = cell(naming.name, kind="text", options=(), row=invention, today=today, first=True)
        invention.thing = str(name)
    row: Json = {}
    for kind in kinds:
        if kind is naming:
            row[kind.name] = invention.thing
            continue
        value = cell(kind.name, kind=kind.type, options=kind.options, row=invention, today=today, first=False)
        if value is None and kind.required and kind.type == "text":
            value = invention.proper_name()
        if value is not None:
            row[kind.name] = value
    chosen = {key(value) for value in row.values() if isinstance(value, str)}
    row |= {kind.name: True for kind in kinds if kind.type == "boolean" and key(kind.name) in chosen}
    if any(key(str(value)) in UNFINISHED for value in row.values()):
        required = {kind.name for kind in kinds if kind.required}
        row = {name: value for name, value in row.items() if name in required or key(name) not in OF_THE_END}
    return row
