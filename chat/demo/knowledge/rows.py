"""Made-up rows: distinct from one another and from what a table shows already."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from random import Random
from typing import Any

from chat.demo.knowledge.cells import Invention, cell
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
    naming = next((kind.name for kind in kinds if kind.type == "text"), "")
    row: Json = {}
    for kind in kinds:
        value = cell(
            kind.name, kind=kind.type, options=kind.options, row=invention, today=today, first=kind.name == naming
        )
        if value is not None:
            row[kind.name] = value
    return row
