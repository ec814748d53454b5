"""Proposals that change or delete rows: set where, delete where, duplicates, fill a column from another."""

import re
from collections.abc import Iterator
from typing import Any

from chat.demo_model.intents.questions import asked
from chat.demo_model.reading import Rows, existing, read_assignments, read_rows_phrase
from chat.demo_model.reply import Reply, Unclear, propose_data, say
from chat.demo_model.request import Turn
from chat.demo_model.text import and_list, counted, key, match, shown, split_list

Json = dict[str, Any]
MAX_READ = 200
MAX_GROUPS = 100
_SET = r"(?:set|change|update|mark|make|put|move|switch)"
_DELETE = r"(?:delete|remove|drop|erase)"
_DUPLICATES = (
    rf"(?:(?P<delete>{_DELETE}|clean up|dedupe|deduplicate)|find|show(?: me)?|list|are there|check for|how many)?"
    r"(?: (?:the|any|all|all the))? ?(?:duplicates?(?: (?:rows|entries|records))?(?: are there)?|(?:the |this )?table)"
    r"(?: (?:by|in|on|of|with the same) (?:the )?(?P<columns>.+))?"
)
_FILL = r"fill(?: in)?(?: the)? (.+?) (?:from|by|using|based on|according to)(?: the)? (.+)"
_HINTS = {"high": r"urgent|asap|important|critical", "low": r"no rush|no hurry|later", "medium": r"soon|normal"}


def handle_duplicates(turn: Turn) -> Reply | None:
    """Count the rows that repeat an earlier one, or propose to delete them."""
    found = match(_DUPLICATES, turn.wish)
    if found is None or not turn.page.has_rows or not re.search("dup", turn.wish, re.IGNORECASE):
        return None
    said = re.sub(r"^(?:the |this )?table$|^here$", "", found["columns"] or "", flags=re.IGNORECASE)
    columns = [existing(name, page=turn.page).name for name in split_list(said)]
    given = {"limit": MAX_GROUPS} | ({"columns": columns} if columns else {})
    answer = asked(turn, tool="find_duplicates", given=given)
    same = f"the same {and_list([shown(name) for name in columns])}" if columns else "the same values in every cell"
    repeated = answer.get("repeated_rows", 0)
    if not repeated:
        return say(f"There are no duplicates: no two rows have {same}.")
    text = f"{counted(repeated)} {'repeats' if repeated == 1 else 'repeat'} an earlier one, with {same}."
    if not found["delete"]:
        return say(text, f"Delete the duplicates by {said}" if said else "Delete the duplicates")
    ids = [row_id for group in answer.get("groups") or [] for row_id in group["row_ids"][1:]]
    part = "" if len(ids) == repeated else f" This proposal is about the first {len(ids)} of them."
    operations = [{"action": "delete", "row_id": row_id, "reason": f"Has {same} as an earlier row"} for row_id in ids]
    return propose_data(f"{text} I propose to delete them.{part}", operations)


def change_rows(turn: Turn) -> Reply | None:
    """Propose new values for some rows, or their deletion."""
    page, wish = turn.page, turn.wish
    if not page.has_rows:
        return None
    if found := match(_FILL, wish):
        return _filled(turn, name=found[1], source=found[2])
    if found := match(rf"{_DELETE} (.+)", wish):
        if column := page.column(found[1]):
            raise Unclear(f"Do you mean “the {shown(column.name)} column”, or rows? Say which rows.")
        rows = _meant(found[1], turn=turn)
        if rows and rows.everything:
            raise Unclear("That would delete every row. Say which rows you mean, or select them first.")
        return None if rows is None else _proposed(turn, rows=rows, values=None)
    readings = {repr(reading): reading for reading in _readings(wish, turn=turn)}
    if len(readings) > 1:
        raise Unclear("I can read that in two ways. Please say it as “Set … to … where … is …”.")
    if readings:
        rows, values = next(iter(readings.values()))
        return _proposed(turn, rows=rows, values=values)
    if (found := match(rf"{_SET} (.+)", wish)) and read_assignments(found[1], page=page):
        raise Unclear("For which rows? Say “where …”, select some rows, or add “for all rows”.")
    return None


def _readings(wish: str, *, turn: Turn) -> Iterator[tuple[Rows, Json]]:
    """Yield every way to read a sentence as rows and their new values."""
    page = turn.page
    if found := match(rf"if (.+?),? (?:then )?{_SET} (.+)", wish):
        yield from _reading(f"where {found[1]}", found[2], turn=turn)
    elif found := match(r"(?:clear|empty)(?: the)? (.+?) (where .+|(?:for|of|in) .+)", wish):
        if column := page.column(found[1]):
            rows = re.sub(r"^(?:for|of|in) ", "", found[2], flags=re.IGNORECASE)
            yield from _reading(rows, f"{column.name} to empty", turn=turn)
    elif found := match(rf"{_SET}(?: the)? (.+?) from (.+?) to (.+)", wish):
        if column := page.column(found[1]):
            yield from _reading(f"where {column.name} is {found[2]}", f"{column.name} to {found[3]}", turn=turn)
    elif found := match(rf"{_SET} (.+)", wish):
        rest = found[1]
        for split in re.finditer(r" (?:where|for|of|in|on|if|when) ", rest, re.IGNORECASE):
            where = "where " if split[0].lower() in (" where ", " if ", " when ") else ""
            yield from _reading(where + rest[split.end() :], rest[: split.start()], turn=turn)
        for split in re.finditer(r" (?:as|to|into) ", rest, re.IGNORECASE):
            head, tail = rest[: split.start()], rest[split.end() :]
            yield from _reading(head, tail, turn=turn)
            of = match(r"(?:the )?(?P<column>.+?) of (?P<rows>.+)|(?P<whose>.+?)'s (?P<its>.+)", head)
            if of and (column := page.column(of["column"] or of["its"])):
                yield from _reading(of["rows"] or of["whose"], f"{column.name} to {tail}", turn=turn)
        if group := re.match(r"(these|those|the selected (?:rows|ones)|all rows|everything) ", rest, re.IGNORECASE):
            yield from _reading(group[1], rest[group.end() :], turn=turn)


def _reading(rows: str, new: str, *, turn: Turn) -> Iterator[tuple[Rows, Json]]:
    if turn.page.column(rows) is None:
        meant = _meant(rows, turn=turn)
        values = read_assignments(new, page=turn.page) if meant is not None else None
        if meant is not None and values:
            if meant.everything and not re.search(r"\b(?:all|every\w*|each|whole)\b", rows, re.IGNORECASE):
                raise Unclear("Which rows? Say “where …”, select some rows, or add “for all rows”.")
            yield meant, values


def _meant(text: str, *, turn: Turn) -> Rows | None:
    """Return the rows of the table that a text means. Raises Unclear."""
    rows = read_rows_phrase(text, page=turn.page)
    plain = rows and not rows.selected and not re.search(r"\b(?:where|whose)\b", text, re.IGNORECASE)
    if plain and turn.opened and turn.opened.get("type") == "data_proposal":
        raise Unclear("Do you mean proposed rows, or rows of the table? For the table, say “where …”.")
    return rows


def _proposed(turn: Turn, *, rows: Rows, values: Json | None) -> Reply:
    """Propose the deletion of these rows (`values` is None) or their new values."""
    said_values = [(name, "nothing" if value is None else shown(value)) for name, value in (values or {}).items()]
    doing = f"set {and_list([f'{shown(name)} to {said}' for name, said in said_values])} in" if values else "delete"
    operation: Json = {"action": "update", "changes": values} if values else {"action": "delete"}
    if not rows.selected:
        where, name = rows.filter, turn.page.columns[0].name
        if rows.everything:
            # A proposal needs a condition: this one holds for every row.
            where = {"and": [{"or": [{"column": name, "op": op} for op in ("empty", "not_empty")]}]}
        said = "all rows" if rows.everything else rows.said()
        return propose_data(f"I propose to {doing} {said}.", [operation | {"where": where}])
    found = list(turn.page.selected)
    if rows.conditions or turn.page.selected_left_out or not found:
        answer = asked(turn, tool="get_rows", given={**rows.arguments(), "limit": MAX_READ})
        found = answer.get("rows") or []
        if not 0 < answer.get("matching_rows", 0) == len(found):
            raise Unclear(f"I can change 1 to {MAX_READ} selected rows at a time.")
    changed = [row for row in found if not values or values != {name: row["data"].get(name) for name in values}]
    if not changed:
        raise Unclear("Nothing would change: the selected rows have that already.")
    operations = [operation | {"row_id": row["row_id"]} for row in changed]
    return propose_data(f"I propose to {doing} {counted(len(changed))}.", operations)


def _filled(turn: Turn, *, name: str, source: str) -> Reply:
    column, texts = existing(name, page=turn.page), existing(source, page=turn.page)
    if column.type != "select":
        raise Unclear(f"I can fill select columns only, and {shown(column.name)} is a {column.type} column.")
    both = [{"column": column.name, "op": "empty"}, {"column": texts.name, "op": "not_empty"}]
    answer = asked(turn, tool="get_rows", given={"filter": {"and": both}, "limit": MAX_READ})
    words = {one: rf"(?<!\w)(?:{re.escape(key(one))}|{_HINTS.get(key(one), '(?!)')})(?!\w)" for one in column.options}
    operations = []
    for row in answer.get("rows") or []:
        text = key(str(row["data"].get(texts.name, "")))
        hits = [option for option, pattern in words.items() if re.search(pattern, text)]
        if len(hits) == 1:
            operations.append({"action": "update", "row_id": row["row_id"], "changes": {column.name: hits[0]}})
    if not operations:
        raise Unclear(f"No {shown(texts.name)} names an option of {shown(column.name)}: there is nothing to fill in.")
    text = f"I propose {shown(column.name)} for {counted(len(operations))}, by words in {shown(texts.name)}."
    return propose_data(text, operations)
