"""A value means the same in every endpoint and tool: one table of cases for all ways to write a cell."""
from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import pytest
from django.contrib.auth.models import User

from tables.column_types import ColumnSpec, ValueFault, get_column_type
from tests.conftest import Api
from tests.flows.value_entries import Outcomes, ValueEntries
from tests.tables.value_cases import CASES, DEFINITIONS, Case, Refused

pytestmark = pytest.mark.slow

Entry = Callable[[ValueEntries], Outcomes]
Cases = Sequence[Case]


def outcome(result: Any) -> str:
    """Return the code of an error, or that the value is read."""
    return result.code if isinstance(result, Refused) else "read"


OF_BOTH_MODES: dict[str, Entry] = {
    "POST rows": ValueEntries.posted,
    "PATCH rows": ValueEntries.patched,
    "PUT new rows": ValueEntries.upserted,
    "PUT rows that are there": ValueEntries.upserted_over,
    "POST proposals/data that adds": ValueEntries.proposed_adds,
    "POST proposals/data that updates": ValueEntries.proposed_updates,
    "POST a table with rows": ValueEntries.created_with_its_rows,
}
# Of the entries that write with the same SQL, one runs on both databases.
BULK_TWINS = {
    "PUT new rows", "POST proposals/data that adds", "POST proposals/data that updates", "POST a table with rows"
}  # fmt: skip
# One request per case takes long, and these are written by the same SQL as bulk rows: few cases, only on one database.
ONE_BY_ONE: dict[str, Entry] = {
    "POST one row": ValueEntries.posted_one_by_one,
    "PATCH one row, as the grid does": ValueEntries.saved_in_the_grid,
}
ALWAYS_CAST: dict[str, Entry] = {
    "a stored proposal that adds": ValueEntries.stored_adds,
    "a stored proposal that updates": ValueEntries.stored_updates,
    "a stored proposal with edits": ValueEntries.edited,
}
TOOLS: dict[str, Entry] = {"create_row": ValueEntries.created_by_a_tool, "update_row": ValueEntries.updated_by_a_tool}
# Of each column type, one case for each pair of outcomes: read or refused, and with which error.
ONE_OF_EACH_OUTCOME = [
    *{(case.type, outcome(case.strict), outcome(case.cast)): case for case in CASES}.values()
]
ALL_ENTRIES = [
    *(
        pytest.param(entry, CASES, id=name, marks=[pytest.mark.sqlite_only] if name in BULK_TWINS else [])
        for name, entry in OF_BOTH_MODES.items()
    ),
    *(
        pytest.param(entry, ONE_OF_EACH_OUTCOME, id=name, marks=pytest.mark.sqlite_only)
        for name, entry in ONE_BY_ONE.items()
    ),
]
SINGLE = [case for case in CASES if not isinstance(case.given, dict | list)]
TEXTS = [case for case in CASES if isinstance(case.given, str) and case.cast != Refused("too_long")]


def comparable(outcomes: Mapping[str, Any]) -> dict[str, str]:
    """Return outcomes that can be compared: true is not 1, 5.0 is not 5; a long text is shortened."""
    return {name: repr(value)[:200] for name, value in outcomes.items()}


def expected(cases: Cases, *, typecast: bool, refused: Any = None) -> dict[str, str]:
    results = {case.id: case.cast if typecast else case.strict for case in cases}
    return comparable(
        {name: refused if refused and isinstance(found, Refused) else found for name, found in results.items()}
    )


@pytest.mark.parametrize("typecast", [False, True], ids=["strict", "typecast"])
def test_column_types(typecast: bool) -> None:
    assert comparable({case.id: read(case, typecast=typecast) for case in CASES}) == expected(CASES, typecast=typecast)


def read(case: Case, *, typecast: bool) -> Any:
    """Return the value or the fault with which the column type of the case reads it."""
    column = ColumnSpec.from_json({"id": "col_aaaaaaaa", **DEFINITIONS[case.type]})
    kind = get_column_type(case.type)
    try:
        return kind.cast(case.given, column).value if typecast else kind.check(case.given, column)
    except ValueFault as fault:
        return Refused(fault.code)


# On PostgreSQL, the values that are read from texts are written, which include those of the JSON type.
@pytest.mark.sqlite_only
@pytest.mark.parametrize(("entry", "cases"), ALL_ENTRIES)
def test_strict_values_need_the_json_type(api: Api, user: User, entry: Entry, cases: Cases) -> None:
    assert comparable(entry(ValueEntries(api, user=user, cases=cases))) == expected(cases, typecast=False)


@pytest.mark.parametrize(("entry", "cases"), ALL_ENTRIES)
def test_typecast_reads_texts_as_values(api: Api, user: User, entry: Entry, cases: Cases) -> None:
    entries = ValueEntries(api, user=user, cases=cases, query="?typecast=true")
    assert comparable(entry(entries)) == expected(cases, typecast=True)


@pytest.mark.parametrize("entry", ALWAYS_CAST.values(), ids=ALWAYS_CAST)
def test_proposals_of_the_assistant_are_cast(api: Api, user: User, entry: Entry) -> None:
    assert comparable(entry(ValueEntries(api, user=user, cases=CASES))) == expected(CASES, typecast=True)


@pytest.mark.sqlite_only
@pytest.mark.parametrize("entry", TOOLS.values(), ids=TOOLS)
def test_direct_writes_of_the_assistant_are_cast(api: Api, user: User, entry: Entry) -> None:
    found = comparable(entry(ValueEntries(api, user=user, cases=ONE_OF_EACH_OUTCOME)))
    assert found == expected(ONE_OF_EACH_OUTCOME, typecast=True, refused="refused")


def test_default_is_cast(api: Api, user: User) -> None:
    # A table has a maximum number of columns.
    found = {}
    for start in range(0, len(SINGLE), 100):
        found |= comparable(ValueEntries(api, user=user, cases=SINGLE[start : start + 100]).defaulted())
    assert found == expected(SINGLE, typecast=True)


def test_texts_are_converted_like_they_are_cast(api: Api, user: User) -> None:
    texts = [case for case in TEXTS if case.type != "text"]
    wanted = {case.id: None if isinstance(case.cast, Refused) else case.cast for case in texts}
    assert comparable(ValueEntries(api, user=user, cases=texts).converted()) == comparable(wanted)


def test_preview_lists_every_cast(api: Api, user: User) -> None:
    entries = ValueEntries(api, user=user, cases=CASES)
    fitting = [case for case in CASES if not isinstance(case.cast, Refused)]
    operations = [{"action": "add", "data": {case.column: case.given}} for case in fitting]
    preview = api.post(entries.url + "proposals/data/?dry_run=true", {"operations": operations}).json()
    listed = {
        case.id for case, operation in zip(fitting, preview["operations"], strict=True)
        if any(note["code"] == "cast" for note in operation["notes"])
    }  # fmt: skip
    assert listed == {case.id for case in fitting if isinstance(case.strict, Refused)}
