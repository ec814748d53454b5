"""Strategies for column definitions, values that mostly fit, and cells of rows."""
from __future__ import annotations

from typing import Any

from hypothesis import strategies as st

from tests.flows.stateful.content import DAYS, NUMBERS, OPTIONS, Content, key_of

Json = dict[str, Any]
NAMES = ("Company", "Status", "Size", "Note", "company ", "Day")
TYPES = ("boolean", "date", "number", "select", "text")
BAD: Json = {"text": ["x"], "number": "x y", "boolean": "x y", "select": "No such option", "date": "03/04/2024"}
REASONS = ("", "", "They <b>asked</b> for it", "because\nof 1")
TEXTS = ("", "Acme", "É x", "12", "<b>&amp;</b>", "a\nb", "open", "Yes", DAYS[0])


def good(column: Json) -> st.SearchStrategy[Any]:
    """Return values that the column accepts."""
    kinds: dict[str, st.SearchStrategy[Any]] = {
        "text": st.sampled_from(TEXTS),
        "number": st.sampled_from(list(NUMBERS)),
        "boolean": st.booleans(),
        "date": st.sampled_from(DAYS),
        "select": st.sampled_from(column.get("options") or OPTIONS),
    }
    return kinds[column["type"]]


def definitions() -> st.SearchStrategy[Json]:
    now_and_then = st.integers(0, 3).map(lambda number: number == 0)
    kinds = st.fixed_dictionaries(
        {"name": st.sampled_from(NAMES), "type": st.sampled_from(TYPES), "required": now_and_then}
    )
    complete = kinds.map(lambda column: {**column, "options": list(OPTIONS)} if column["type"] == "select" else column)
    return complete.flatmap(lambda column: defaults(column).map(lambda default: {**column, "default": default}))


def defaults(column: Json) -> st.SearchStrategy[Any]:
    """Return mostly no default, sometimes a valid one."""
    filled = good(column).filter(lambda value: value != "")
    return st.integers(0, 2).flatmap(lambda number: st.none() if number else filled)


def different_definitions(*, least: int, most: int) -> st.SearchStrategy[list[Json]]:
    return st.lists(definitions(), min_size=least, max_size=most, unique_by=lambda column: key_of(column["name"]))


def values(column: Json) -> st.SearchStrategy[Any]:
    """Return mostly valid values, sometimes empty or invalid ones."""
    rare = {0: st.just(BAD[column["type"]]), 1: st.none()}
    return st.integers(0, 29).flatmap(lambda number: rare.get(number, good(column)))


def cells(content: Content, *, needed: bool = True) -> st.SearchStrategy[Json]:
    """Return some cells of a row, including required ones; drawn by position, because ids differ in each run."""
    columns = content.columns
    must = {index for index, column in enumerate(columns) if column["required"] and needed}
    some = st.sets(st.integers(0, len(columns) - 1), min_size=1) if columns else st.just(set())

    def filled(indexes: list[int]) -> st.SearchStrategy[Json]:
        ids = [columns[index]["id"] for index in indexes]
        drawn = st.tuples(*(values(columns[index]) for index in indexes))
        return drawn.map(lambda given: dict(zip(ids, given, strict=True)))

    return some.flatmap(lambda chosen: filled(sorted(chosen | must)))


def operations(content: Content) -> st.SearchStrategy[list[Json]]:
    """Return adds, and at most one operation for each of some rows; some have a reason."""
    return without_reasons(content).flatmap(with_reasons)


def with_reasons(drawn: list[Json]) -> st.SearchStrategy[list[Json]]:
    reasons = st.lists(st.sampled_from(REASONS), min_size=len(drawn), max_size=len(drawn))
    return reasons.map(
        lambda given: [{**each, "reason": why} if why else each for each, why in zip(drawn, given, strict=True)]
    )


def without_reasons(content: Content) -> st.SearchStrategy[list[Json]]:
    adds = st.lists(cells(content), min_size=1, max_size=2).map(
        lambda rows: [{"action": "add", "data": row} for row in rows]
    )
    ids = content.ids()
    if not ids:
        return adds

    def one(row_id: int) -> st.SearchStrategy[Json]:
        change = cells(content, needed=False)
        updates = change.map(lambda drawn: {"action": "update", "row_id": row_id, "changes": drawn})
        return st.one_of(updates, updates, st.just({"action": "delete", "row_id": row_id}))

    chosen = st.lists(st.sampled_from(ids), max_size=3, unique=True)
    others = chosen.flatmap(lambda row_ids: st.tuples(*(one(row_id) for row_id in row_ids)))
    return st.tuples(adds, others).map(lambda both: [*both[0], *both[1]])
