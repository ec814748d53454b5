"""Revisions of the open proposal: other columns or another name, fewer rows, one value in all rows."""

import re
from dataclasses import replace
from typing import Any

from chat.demo_model.column_guesses import is_new_name
from chat.demo_model.columns import Change, read_change
from chat.demo_model.english import ORDINALS, display, match, normalize, parse_count, quantity, unquote
from chat.demo_model.parser import read_assignments
from chat.demo_model.questions import tool_result
from chat.demo_model.reply import Reply, Unclear, propose_data, propose_schema
from chat.demo_model.request import Turn, read_column
from chat.demo_model.row_changes import display_assignments

Json = dict[str, Any]
_FIRST = r"(?:only|just|keep)(?: only| just| keep)?(?: the)? first (\w+)(?: rows?| ones?)?"
_DROP = (
    r"(?:drop|remove|delete|leave out|without|skip)(?: the)? (?:(?:row |number )(?P<number>\d+)"
    rf"|(?P<ordinal>last|{'|'.join(ORDINALS)})(?: (?P<count>\w+?))?(?: rows?| ones?)?)"
)
_ALL = r"(?:make|set|change) (?:(?:them all|all of them|them)(?: to| as)? (.+)|(.+?) for all of them)"
_OF_COLUMNS = r"(?:rename|call|name|make|add|remove|drop|delete|leave out|without|move|turn|convert|change)\b.*"
_BARE_DROP = r"^(?:drop|remove|delete|leave out|without) (?!the column |.*columns?$|.*options? )(?:the )?(.+)$"


def revise(turn: Turn) -> Reply | None:
    """Propose the open proposal again with the requested change; None for other requests."""
    if turn.open_proposal is None:
        return None
    of_rows = turn.open_proposal.get("type") == "data_proposal"
    patterns = (_FIRST, _DROP, _ALL) if of_rows else (_OF_COLUMNS,)
    # A name means a column of the open table before a proposed one.
    of_table = not of_rows and turn.page.columns and _changes_table(turn)
    if of_table or not any(match(pattern, turn.request) for pattern in patterns):
        return None
    answer = tool_result(turn, tool="get_payload", params={"payload_id": turn.open_proposal["id"]})
    proposal = answer.get("data") or {}
    if answer.get("status") != "pending" or not proposal.get("operations"):
        return None
    if of_rows:
        return _revise_rows(turn, operations=proposal["operations"])
    return _revise_columns(turn, proposal=proposal)


def _changes_table(turn: Turn) -> bool:
    try:
        return read_change(turn.request, page=turn.page) is not None
    except Unclear:
        return False


def _revise_rows(turn: Turn, *, operations: list[Json]) -> Reply:
    total = len(operations)
    if found := match(_ALL, turn.request):
        values = read_assignments(found[1] or found[2], page=turn.page)
        cells = {"add": "data", "update": "changes"}
        if not values or any(one["action"] not in cells for one in operations):
            raise Unclear("Name the column and its value, like “set the status to Done for all of them”.")
        revised = [one | {cells[one["action"]]: one[cells[one["action"]]] | values} for one in operations]
        return propose_data(f"I updated the proposal: set {display_assignments(values)} in every row.", revised)
    if found := match(_FIRST, turn.request):
        remaining = operations[: parse_count(found[1]) or 0]
    elif found := match(_DROP, turn.request):
        ordinal, count = normalize(found["ordinal"] or ""), parse_count(found["count"] or "one") or 0
        number = ORDINALS[ordinal] if ordinal in ORDINALS else int(found["number"] or 0)
        first = total - count if ordinal == "last" else number - 1
        remaining = [one for at, one in enumerate(operations) if not first <= at < first + count]
    if not 0 < len(remaining) < total:
        raise Unclear("That would remove all rows from the proposal, or none. Dismiss it if you do not want it.")
    return propose_data(f"I updated the proposal: it now has {len(remaining)} of {quantity(total)}.", remaining)


def _revise_columns(turn: Turn, *, proposal: Json) -> Reply | None:
    called = match(r"(?:call|name) it (.+?)(?: instead)?", turn.request)
    if proposal.get("mode") == "create" and called and is_new_name(called[1]):
        change: Change | None = Change(f"call it {display(unquote(called[1]))}", [], {"table_name": unquote(called[1])})
    else:
        added = [one["column"] for one in proposal["operations"] if one["action"] == "add"]
        columns = tuple(replace(read_column(column), id=column["name"]) for column in added)
        request = re.sub(_BARE_DROP, r"remove the column \1", turn.request, flags=re.IGNORECASE)
        change = read_change(request, page=replace(turn.page, columns=columns)) if columns else None
    if change is None:
        return None
    return propose_schema(f"I updated the proposal: {change.summary}.", **_apply_change(proposal, change=change))


def _apply_change(proposal: Json, *, change: Change) -> Json:
    """Return the proposal with a change of the columns that it adds. Their names are their ids in the change."""
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
            removed = () if new["type"] == "select" else ("options", "filterDisplay")
            one["column"] = {name: value for name, value in new.items() if name not in removed}
            # Sample values of another type would not fit.
            fits = not {"type", "options"} & set(step["changes"])
            renamed = {old: new["name"]}
            rows = [{renamed.get(name, name): row[name] for name in row if fits or name != old} for row in rows]
    if not any(one["action"] == "add" for one in operations):
        raise Unclear("That would remove all columns. Dismiss the proposal if you do not want it.")
    fields = {name: value for name, value in proposal.items() if name != "reasoning"}
    return fields | {"operations": operations} | ({"sample_rows": rows} if rows else {}) | change.more
