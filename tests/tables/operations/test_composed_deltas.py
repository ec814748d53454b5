"""Composed deltas: their inverse restores the earlier state, and the inverse of that the later one."""
from __future__ import annotations

from collections.abc import Callable
from copy import deepcopy
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from tables.operations.changes.delta import Composition, Delta

State = dict[str, dict[Any, dict[str, Any]]]
VALUES = st.sampled_from([None, 0, 1, True, "", "x", "y"])
CELLS = st.dictionaries(st.sampled_from("abc"), VALUES, max_size=3)
KEYS = st.integers(1, 4)


def filled(cells: dict[str, Any]) -> dict[str, Any]:
    """Return a complete row, without empty cells."""
    return {key: value for key, value in cells.items() if value is not None}


def completed(fields: dict[str, Any]) -> dict[str, Any]:
    """Return a complete column definition with all keys."""
    return {**dict.fromkeys("abc"), **fields}


def pairs(
    things: dict[Any, dict[str, Any]],
    target: dict[Any, dict[str, Any] | None],
    whole: Callable[[dict[str, Any]], dict[str, Any]],
) -> list[list[Any]]:
    """Change the objects to `wanted` and return the pairs of the delta; added and deleted objects are complete."""
    found: list[list[Any]] = []
    for key, cells in target.items():
        was = things.get(key)
        if cells is None:
            if was is not None:
                found.append([key, things.pop(key), None])
        elif was is None:
            things[key] = whole(cells)
            found.append([key, None, dict(things[key])])
        else:
            changed = {each: value for each, value in cells.items() if was.get(each) != value}
            if changed:
                found.append([key, {each: was.get(each) for each in changed}, changed])
                things[key] = whole({**was, **changed})
    return found


def applied(state: State, delta: Delta) -> State:
    """Return the state after a delta, which has to start from this state."""
    after = deepcopy(state)
    of_columns, of_rows = (after["columns"], delta.columns, completed), (after["rows"], delta.rows, filled)
    for things, changes, whole in (of_columns, of_rows):
        for key, was, now in changes:
            assert (was is None) == (key not in things)
            assert was is None or all(things[key].get(each) == value for each, value in was.items())
            if now is None:
                assert was == things.pop(key)
            else:
                assert was is not None or now == whole(now)
                things[key] = whole({**things.get(key, {}), **now})
    if delta.table is not None:
        after["table"] = {0: {**after["table"][0], **delta.table["now"]}}
    return after


@given(
    begin=st.dictionaries(KEYS, CELLS, max_size=4),
    changes=st.lists(st.dictionaries(KEYS, st.none() | CELLS, max_size=4), max_size=6),
    names=st.lists(st.none() | st.sampled_from(["A", "B"]), max_size=6),
)
def test_the_inverse_restores_the_state_before_all_deltas(
    begin: dict[int, Any], changes: list[dict[int, Any]], names: list[str | None]
) -> None:
    state: State = {"table": {0: {"name": "A"}}, "columns": {}, "rows": {}}
    state["columns"] = {f"col_{key}": completed(cells) for key, cells in begin.items()}
    state["rows"] = {key: filled(cells) for key, cells in begin.items()}
    first, composition = deepcopy(state), Composition()
    for number, target in enumerate(changes):
        name = names[number] if number < len(names) else None
        table = {"was": dict(state["table"][0]), "now": {"name": name}} if name else None
        state["table"] = {0: {"name": name or state["table"][0]["name"]}}
        columns = pairs(state["columns"], {f"col_{key}": cells for key, cells in target.items()}, completed)
        composition.add(Delta(table=table, columns=columns, rows=pairs(state["rows"], target, filled)))
    whole = composition.delta()
    assert applied(first, whole) == state
    assert applied(state, whole.inverted()) == first
    assert all(was != now for _, was, now in [*whole.rows, *whole.columns])


def test_the_order_of_columns_is_restored() -> None:
    composition = Composition()
    composition.add(Delta(order={"was": ["a", "b"], "now": ["b", "a"]}))
    composition.add(Delta(order={"was": ["b", "a"], "now": ["b", "c", "a"]}))
    assert composition.delta().order == {"was": ["a", "b"], "now": ["b", "c", "a"]}
    composition.add(Delta(order={"was": ["b", "c", "a"], "now": ["a", "b"]}))
    assert composition.delta() == Delta()
