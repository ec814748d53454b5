"""Another form of the proposal that is open: "make them all Berlin", "only the first three", "drop the second one"."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from chat.demo.intents.offers import plain
from chat.demo.intents.reading import ask, read_all
from chat.demo.language.words import and_list, shown
from chat.demo.meaning.proposed import Proposed, proposed_rows
from chat.demo.meaning.revisions import Revision, by_places, revision_meant, speaks_of_proposal
from chat.demo.meaning.wording import value_in_words
from chat.demo.page import Page
from chat.demo.reply import Reply, propose_data, say
from chat.demo.request import Turn

Json = dict[str, Any]
_OFFERS = ("Only the first three", "Drop the last one")


def revise_proposal(turn: Turn) -> Reply | None:
    """A proposal in place of the open one, which it has read again; None if the wish is about something else."""
    open_one = turn.open_proposal
    if open_one is None or open_one.type != "data_proposal" or not turn.page.takes_data:
        return None
    if not speaks_of_proposal(turn.words, page=turn.page):
        return None
    answer = turn.answer("get_payload")
    if answer is None:
        return ask(turn, tool="get_payload", given={"payload_id": open_one.id}, text="Let me look at the proposal.")
    operations = _operations(answer.value)
    if answer.is_error or not operations:
        return say("I could not read the open proposal again, so I leave it as it is.")
    if by_places(turn.words):
        known = _one_by_one(turn, operations=operations)
        if isinstance(known, Reply):
            return known
        proposed = known
    else:
        proposed = proposed_rows(operations, page=turn.page)
    revision = revision_meant(turn.words, proposed=proposed, page=turn.page)
    if revision is None:
        return say(
            "I could not tell what that changes in the proposal, so I leave it as it is. Say which of its rows, or "
            "which column and value.",
            offers=_OFFERS,
        )
    if revision.fault:
        return say(revision.fault)
    if revision.unsaid:
        return _which_column(turn, value=revision.unsaid)
    if revision.kept is not None:
        return _fewer(proposed, kept=revision.kept)
    return _other(proposed, revision=revision, page=turn.page)


def _operations(value: Any) -> list[Json]:
    """The operations of a payload as the tool gives it; none if it waits for nobody any more."""
    if not isinstance(value, dict) or value.get("status") != "pending" or not isinstance(value.get("data"), dict):
        return []
    operations = value["data"].get("operations")
    return [item for item in operations if isinstance(item, dict)] if isinstance(operations, list) else []


def _one_by_one(turn: Turn, *, operations: Sequence[Json]) -> Proposed | Reply:
    """The proposal with an operation for each row: one that goes by a condition is read from the table."""
    wide = [operation for operation in operations if "where" in operation]
    if not wide:
        return proposed_rows(operations, page=turn.page)
    if len(operations) > 1:
        return say("This proposal goes by several conditions; tell me the whole wish again, with the one you mean.")
    rows = read_all(turn, filter_=wide[0]["where"], text="Let me look at its rows.")
    if isinstance(rows, Reply):
        return rows
    rest = {name: value for name, value in wide[0].items() if name not in ("where", "expected_count")}
    return Proposed(
        operations=tuple({**rest, "row_id": row["row_id"]} for row in rows),
        cells=tuple({**(row.get("data") or {})} for row in rows),
    )


def _fewer(proposed: Proposed, *, kept: Sequence[int]) -> Reply:
    many = len(proposed.operations)
    if not kept:
        return say("That would leave nothing of the proposal. Dismiss it if you want none of it.")
    if len(kept) == many:
        return say(f"That leaves the proposal as it is: {_of(many)}.")
    left = many - len(kept)
    return propose_data(
        f"Here is the proposal again with {_of(len(kept))}; {left} {'is' if left == 1 else 'are'} left out.",
        reasoning=f"The proposal before, with {len(kept)} of its {many} rows",
        operations=[proposed.operations[at] for at in kept],
    )


def _other(proposed: Proposed, *, revision: Revision, page: Page) -> Reply:
    assert revision.change is not None
    values, at = revision.change.values, revision.at
    if not at:
        return say("No row of the proposal is like that, so I leave it as it is.")
    if any(proposed.operations[place].get("action") == "delete" for place in at):
        return say("The proposal deletes those rows, so there is nothing to set in them. Dismiss it to keep them.")
    operations = [
        _with(one, values=values, page=page) if place in at else one for place, one in enumerate(proposed.operations)
    ]
    if operations == list(proposed.operations):
        return say("That is how the proposal stands already.")
    sets = and_list([f"{shown(name)} to {value_in_words(value)}" for name, value in values.items()])
    several = any("where" in one for one in operations)
    which = "all of its rows" if several or len(at) == len(operations) else f"{_of(len(at))} of {len(operations)}"
    return propose_data(
        f"Here is the proposal again. It sets {sets} in {which}.",
        reasoning=f"The proposal before, with {sets} in {which}",
        operations=operations,
    )


def _with(operation: Json, *, values: Json, page: Page) -> Json:
    name = "data" if operation.get("action") == "add" else "changes"
    # A cell may go by its column's id as well.
    before = {
        said: cell for said, cell in (operation.get(name) or {}).items() if _name_of(said, page=page) not in values
    }
    cells = {**before, **values}
    if name == "data":
        cells = {said: value for said, value in cells.items() if value is not None}
    return {**operation, name: cells}


def _name_of(said: str, *, page: Page) -> str:
    column = page.column(said)
    return column.name if column else said


def _which_column(turn: Turn, *, value: str) -> Reply:
    offers = [f"Set {c.name} of all of them to {value}" for c in turn.page.of_type("text") if plain(c)]
    return say(f"Which column of the proposed rows shall become {shown(value)}?", offers=offers[:3])


def _of(many: int) -> str:
    return "1 row" if many == 1 else f"{many} rows"
