"""A value means the same at every door: one table of cases, all ways into a cell."""
from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import pytest
from django.contrib.auth.models import User

from tables.column_types import ColumnSpec, ValueFault, get_column_type
from tests.conftest import Api
from tests.flows.value_entries import Doors, Outcomes
from tests.tables.value_cases import CASES, DEFINITIONS, Case, Refused

pytestmark = pytest.mark.slow

Way = Callable[[Doors], Outcomes]
OF_BOTH_MODES: dict[str, Way] = {
    "POST rows": Doors.posted,
    "PATCH rows": Doors.patched,
    "PUT new rows": Doors.upserted,
    "PUT rows that are there": Doors.upserted_over,
    "POST proposals/data that adds": Doors.proposed_adds,
    "POST proposals/data that updates": Doors.proposed_updates,
    "POST a table with rows": Doors.created_with_its_rows,
}
# A request for each case takes long, and its rows are written by the SQL of many at once: not on both databases.
ONE_BY_ONE: dict[str, Way] = {
    "POST one row": Doors.posted_one_by_one,
    "PATCH one row, as the grid does": Doors.written_in_the_grid,
}
ALL_WAYS = [
    *(pytest.param(way, id=name) for name, way in OF_BOTH_MODES.items()),
    *(pytest.param(way, id=name, marks=pytest.mark.sqlite_only) for name, way in ONE_BY_ONE.items()),
]
ALWAYS_CAST: dict[str, Way] = {
    "a stored proposal that adds": Doors.stored_adds,
    "a stored proposal that updates": Doors.stored_updates,
    "a stored proposal with edits": Doors.edited,
}
TOOLS: dict[str, Way] = {"create_row": Doors.created_by_a_tool, "update_row": Doors.updated_by_a_tool}
SINGLE = [case for case in CASES if not isinstance(case.given, dict | list)]
TEXTS = [case for case in CASES if isinstance(case.given, str) and case.cast != Refused("too_long")]


def told(outcomes: Mapping[str, Any]) -> dict[str, str]:
    """Outcomes to be compared: true is not 1, 5.0 is not 5; a long text by its beginning."""
    return {name: repr(value)[:200] for name, value in outcomes.items()}


def expected(cases: list[Case] | tuple[Case, ...], *, typecast: bool, refused: Any = None) -> dict[str, str]:
    results = {case.id: case.cast if typecast else case.strict for case in cases}
    return told({name: refused if refused and isinstance(found, Refused) else found for name, found in results.items()})


@pytest.mark.parametrize("typecast", [False, True], ids=["strict", "typecast"])
@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_the_type_itself(case: Case, typecast: bool) -> None:
    definition = DEFINITIONS[case.type]
    column = ColumnSpec.from_json({"id": "col_aaaaaaaa", **definition})
    kind = get_column_type(case.type)
    try:
        found: Any = kind.cast(case.given, column).value if typecast else kind.check(case.given, column)
    except ValueFault as fault:
        found = Refused(fault.code)
    assert repr(found) == repr(case.cast if typecast else case.strict)


@pytest.mark.parametrize("way", ALL_WAYS)
def test_strictly_the_json_type_must_fit(api: Api, user: User, way: Way) -> None:
    assert told(way(Doors(api, user=user, cases=CASES))) == expected(CASES, typecast=False)


@pytest.mark.parametrize("way", ALL_WAYS)
def test_with_typecast_texts_that_mean_a_value_are_that_value(api: Api, user: User, way: Way) -> None:
    doors = Doors(api, user=user, cases=CASES, query="?typecast=true")
    assert told(way(doors)) == expected(CASES, typecast=True)


@pytest.mark.parametrize("way", ALWAYS_CAST.values(), ids=ALWAYS_CAST)
def test_what_the_assistant_proposes_is_read_with_typecast(api: Api, user: User, way: Way) -> None:
    assert told(way(Doors(api, user=user, cases=CASES))) == expected(CASES, typecast=True)


@pytest.mark.sqlite_only
@pytest.mark.parametrize("way", TOOLS.values(), ids=TOOLS)
def test_what_the_assistant_writes_directly_is_read_with_typecast(api: Api, user: User, way: Way) -> None:
    assert told(way(Doors(api, user=user, cases=CASES))) == expected(CASES, typecast=True, refused="refused")


def test_a_default_is_read_with_typecast(api: Api, user: User) -> None:
    # A table holds only so many columns.
    found = {}
    for start in range(0, len(SINGLE), 100):
        found |= told(Doors(api, user=user, cases=SINGLE[start : start + 100]).defaulted())
    assert found == expected(SINGLE, typecast=True)


def test_texts_are_converted_as_they_are_cast(api: Api, user: User) -> None:
    texts = [case for case in TEXTS if case.type != "text"]
    wanted = {case.id: None if isinstance(case.cast, Refused) else case.cast for case in texts}
    assert told(Doors(api, user=user, cases=texts).converted()) == told(wanted)


def test_every_cast_is_listed_in_the_preview(api: Api, user: User) -> None:
    doors = Doors(api, user=user, cases=CASES)
    fitting = [case for case in CASES if not isinstance(case.cast, Refused)]
    operations = [{"action": "add", "data": {case.column: case.given}} for case in fitting]
    preview = api.post(doors.url + "proposals/data/?dry_run=true", {"operations": operations}).json()
    listed = {
        case.id for case, operation in zip(fitting, preview["operations"], strict=True)
        if any(note["code"] == "cast" for note in operation["notes"])
    }  # fmt: skip
    assert listed == {case.id for case in fitting if isinstance(case.strict, Refused)}
