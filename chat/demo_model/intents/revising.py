"""Another form of the open proposal: a new table's name and columns, fewer proposed rows, one value in all of them."""

import re
from dataclasses import replace
from typing import Any

from chat.demo_model.intents.columns import Change, read_change
from chat.demo_model.intents.questions import asked
from chat.demo_model.knowledge.kinds import is_name
from chat.demo_model.page import read_column
from chat.demo_model.reading import read_assignments
from chat.demo_model.reply import Reply, Unclear, propose_data, propose_schema
from chat.demo_model.request import Turn
from chat.demo_model.text import ORDINALS, count, counted, key, match, shown, unquote

Json = dict[str, Any]
_FIRST = r"(?:only|just|keep)(?: only| just| keep)?(?: the)? first (\w+)(?: rows?| ones?)?"
_DROP = (
    r"(?:drop|remove|delete|leave out|without|skip)(?: the)? (?:(?:row |number )(?P<number>\d+)"
    rf"|(?P<place>last|{'|'.join(ORDINALS)})(?: (?P<many>\w+?))?(?: rows?| ones?)?)"
)
_ALL = r"(?:make|set|change) (?:(?:them all|all of them|them)(?: to| as)? (.+)|(.+?) for all of them)"
_OF_COLUMNS = r"(?:rename|call|name|make|add|remove|drop|delete|leave out|without|move|turn|convert|change)\b.*"
_BARE_DROP = r"^(?:drop|remove|delete|leave out|without) (?!the column |.*columns?$|.*options? )(?:the )?(.+)$"


def revise(turn: Turn) -> Reply | None:
    """Propose the open proposal again, changed as the request says; None where it is about something else."""
    if turn.opened is None:
        return None
    of_rows = turn.opened.get("type") == "data_proposal"
    patterns = (_FIRST, _DROP, _ALL) if of_rows else (_OF_COLUMNS,)
    # The columns of an open table go by their own names, whatever is proposed.
    of_table = not of_rows and turn.page.columns and _changes_table(turn)
    if of_table or not any(match(pattern, turn.wish) for pattern in patterns):
        return None
    answer = asked(turn, tool="get_payload", given={"payload_id": turn.opened["id"]})
    proposal = answer.get("data") or {}
    if answer.get("status") != "pending" or not proposal.get("operations"):
        return None
    return _rows(turn, operations=proposal["operations"]) if of_rows else _columns(turn, proposal=proposal)


def _changes_table(turn: Turn) -> bool:
    try:
        return read_change(turn.wish, page=turn.page) is not None
    except Unclear:
        return False


def _rows(turn: Turn, *, operations: list[Json]) -> Reply:
    total = len(operations)
    if found := match(_ALL, turn.wish):
        values = read_assignments(found[1] or found[2], page=turn.page)
        cells = {"add": "data", "update": "changes"}
        if not values or any(one["action"] not in cells for one in operations):
            raise Unclear("Say the column and its value, like “set the status to Done for all of them”.")
        revised = [one | {cells[one["action"]]: one[cells[one["action"]]] | values} for one in operations]
        return propose_data("Here is the proposal again with that in all of its rows.", revised)
    if found := match(_FIRST, turn.wish):
        kept = operations[: count(found[1]) or 0]
    elif found := match(_DROP, turn.wish):
        place, many = key(found["place"] or ""), count(found["many"] or "one") or 0
        first = total - many if place == "last" else ORDINALS[place] - 1 if place else int(found["number"]) - 1
        kept = [one for at, one in enumerate(operations) if not first <= at < first + many]
    if not 0 < len(kept) < total:
        raise Unclear("That leaves nothing of the proposal, or all of it. Dismiss it if you do not want it.")
    return propose_data(f"Here is the proposal again with {counted(len(kept))} of its {total}.", kept)


def _columns(turn: Turn, *, proposal: Json) -> Reply | None:
    called = match(r"(?:call|name) it (.+?)(?: instead)?", turn.wish)
    if proposal.get("mode") == "create" and called and is_name(called[1]):
        change: Change | None = Change(f"call it {shown(unquote(called[1]))}", [], {"table_name": unquote(called[1])})
    else:
        added = [one["column"] for one in proposal["operations"] if one["action"] == "add"]
        columns = tuple(replace(read_column(column), id=column["name"]) for column in added)
        wish = re.sub(_BARE_DROP, r"remove the column \1", turn.wish, flags=re.IGNORECASE)
        change = read_change(wish, page=replace(turn.page, columns=columns)) if columns else None
    if change is None:
        return None
    return propose_schema(f"Here is the proposal again: {change.said}.", **_applied(proposal, change=change))


def _applied(proposal: Json, *, change: Change) -> Json:
    """Return the proposal with a change of the columns that it adds, which go by their names."""
    operations = [dict(one) for one in proposal["operations"]]
    rows = proposal.get("sample_rows") or []
    for step in change.operations:
        names = [one["column"]["name"] if one["action"] == "add" else "" for one in operations]
        old, after = step.get("column_id", ""), step.get("after_column_id")
        at = names.index(after) + 1 if after else 0
        if step["action"] == "add":
            operations.insert(at or len(operations), {"action": "add", "column": step["column"]})
        elif step["action"] == "reorder":
            operations.insert(at - (names.index(old) < at), operations.pop(names.index(old)))
        elif step["action"] == "remove":
            del operations[names.index(old)]
            rows = [{name: cell for name, cell in row.items() if name != old} for row in rows]
        else:
            one = operations[names.index(old)]
            new = {"options": ["Option A", "Option B"], **one["column"], **step["changes"]}
            gone = () if new["type"] == "select" else ("options", "filterDisplay")
            one["column"] = {name: value for name, value in new.items() if name not in gone}
            # Sample values of another type would not fit.
            fits = not {"type", "options"} & set(step["changes"])
            called = {old: new["name"]}
            rows = [{called.get(name, name): row[name] for name in row if fits or name != old} for row in rows]
    if not any(one["action"] == "add" for one in operations):
        raise Unclear("That leaves no column. Dismiss the proposal if you do not want it.")
    kept = {name: value for name, value in proposal.items() if name != "reasoning"}
    return kept | {"operations": operations} | ({"sample_rows": rows} if rows else {}) | change.more
