"""Proposals that change or delete rows: set where, delete where, duplicates, fill a column from another."""

import re
from collections.abc import Iterator
from typing import Any

from chat.demo_model.column_guesses import is_new_name
from chat.demo_model.english import display, join_and, match, normalize, quantity, split_list
from chat.demo_model.parser import Rows, read_assignments, read_rows_phrase, require_column
from chat.demo_model.questions import tool_result
from chat.demo_model.reply import Reply, Unclear, propose_data, propose_fill, say
from chat.demo_model.request import Column, Page, Turn

Json = dict[str, Any]
MAX_READ = 200
MAX_GROUPS = 100
_SET = r"(?:set|change|update|mark|make|put|move|switch)"
_SET_COLUMN = r"(?:set|change|update)(?: the)? (.+?) (?:to|as) .+"
_DELETE = r"(?:delete|remove|drop|erase)"
_DUPLICATES = (
    rf"(?:(?P<delete>{_DELETE}|clean up|dedupe|deduplicate)|find|show(?: me)?|list|are there|check for|how many)?"
    r"(?: (?:the|any|all|all the))? ?(?:duplicates?(?: (?:rows|entries|records))?(?: are there)?|(?:the |this )?table)"
    r"(?: (?:by|in|on|of|with the same) (?:the )?(?P<columns>.+))?"
)
_FILL = r"fill(?: in)?(?: the)? (.+?) (?:from|by|using|based on|according to)(?: the)? (.+)"
_FILL_PART = (
    r"fill(?: in)?(?: the)? (?P<column>.+?) (?:with|by)(?: the)? (?P<part>.+)"
    r" (?:of|in|from|out of)(?: the)? (?P<source>.+)"
)
# Words for columns with other names.
_SOURCES = {"address": r"e-?mails?\b|mail|address|link|url|web ?site", "name": r"name|contact|person"}
_HINTS = {"high": r"urgent|asap|important|critical", "low": r"no rush|no hurry|later", "medium": r"soon|normal"}


def handle_duplicates(turn: Turn) -> Reply | None:
    """Count the duplicates of earlier rows, or propose to delete them."""
    found = match(_DUPLICATES, turn.request)
    if found is None or not turn.page.has_rows or not re.search("dup", turn.request, re.IGNORECASE):
        return None
    names = re.sub(r"^(?:the |this )?table$|^here$", "", found["columns"] or "", flags=re.IGNORECASE)
    columns = [require_column(name, page=turn.page).name for name in split_list(names)]
    params = {"limit": MAX_GROUPS} | ({"columns": columns} if columns else {})
    answer = tool_result(turn, tool="find_duplicates", params=params)
    same = f"the same {join_and([display(name) for name in columns])}" if columns else "the same values in every cell"
    repeated = answer.get("repeated_rows", 0)
    if not repeated:
        return say(f"There are no duplicates: no two rows have {same}.")
    text = f"{quantity(repeated)} {'repeats' if repeated == 1 else 'repeat'} an earlier one, with {same}."
    if not found["delete"]:
        return say(text, f"Delete the duplicates by {names}" if names else "Delete the duplicates")
    ids = [row_id for group in answer.get("groups") or [] for row_id in group["row_ids"][1:]]
    part = "" if len(ids) == repeated else f" This proposal contains the first {len(ids)}."
    operations = [{"action": "delete", "row_id": row_id, "reason": f"Has {same} as an earlier row"} for row_id in ids]
    return propose_data(f"{text} I propose to delete them.{part}", operations)


def change_rows(turn: Turn) -> Reply | None:
    """Propose new values for some rows, or their deletion."""
    page, request = turn.page, turn.request
    if not page.has_rows:
        return None
    if found := match(_FILL_PART, request):
        return _propose_fill(turn, name=found["column"], source=found["source"], part=found["part"])
    if found := match(_FILL, request):
        return _fill_column(turn, name=found[1], source=found[2])
    if found := match(rf"{_DELETE} (.+)", request):
        if column := page.find_column(found[1]):
            raise Unclear(f"Do you mean “the {display(column.name)} column”, or rows? Please name the rows.")
        rows = _parse_rows(found[1], turn=turn)
        if rows and rows.everything:
            raise Unclear("That would delete every row. Please name the rows, or select them first.")
        return None if rows is None else _propose(turn, rows=rows, values=None)
    interpretations = {repr(each): each for each in _interpretations(request, turn=turn)}
    if len(interpretations) > 1:
        raise Unclear("That can mean two things. Please write it as “Set … to … where … is …”.")
    if interpretations:
        rows, values = next(iter(interpretations.values()))
        return _propose(turn, rows=rows, values=values)
    if (found := match(rf"{_SET} (.+)", request)) and read_assignments(found[1], page=page):
        raise Unclear("For which rows? Add “where …” or “for all rows”, or select some rows.")
    if (found := match(_SET_COLUMN, request)) and is_new_name(found[1]):
        require_column(found[1], page=page)
    return None


def _interpretations(request: str, *, turn: Turn) -> Iterator[tuple[Rows, Json]]:
    """Yield every interpretation of a request as rows and their new values."""
    page = turn.page
    if found := match(rf"if (.+?),? (?:then )?{_SET} (.+)", request):
        yield from _interpret(f"where {found[1]}", found[2], turn=turn)
    elif found := match(r"(?:clear|empty)(?: the)? (.+?) (where .+|(?:for|of|in) .+)", request):
        if column := page.find_column(found[1]):
            rows = re.sub(r"^(?:for|of|in) ", "", found[2], flags=re.IGNORECASE)
            yield from _interpret(rows, f"{column.name} to empty", turn=turn)
    elif found := match(rf"{_SET}(?: the)? (.+?) from (.+?) to (.+)", request):
        if column := page.find_column(found[1]):
            yield from _interpret(f"where {column.name} is {found[2]}", f"{column.name} to {found[3]}", turn=turn)
    elif found := match(rf"{_SET} (.+)", request):
        rest = found[1]
        for split in re.finditer(r" (?:where|for|of|in|on|if|when) ", rest, re.IGNORECASE):
            where = "where " if split[0].lower() in (" where ", " if ", " when ") else ""
            yield from _interpret(where + rest[split.end() :], rest[: split.start()], turn=turn)
        for split in re.finditer(r" (?:as|to|into) ", rest, re.IGNORECASE):
            head, tail = rest[: split.start()], rest[split.end() :]
            yield from _interpret(head, tail, turn=turn)
            of = match(r"(?:the )?(?P<column>.+?) of (?P<rows>.+)|(?P<whose>.+?)'s (?P<its>.+)", head)
            if of and (column := page.find_column(of["column"] or of["its"])):
                yield from _interpret(of["rows"] or of["whose"], f"{column.name} to {tail}", turn=turn)
        if group := re.match(r"(these|those|the selected (?:rows|ones)|all rows|everything) ", rest, re.IGNORECASE):
            yield from _interpret(group[1], rest[group.end() :], turn=turn)


def _interpret(rows: str, assignments: str, *, turn: Turn) -> Iterator[tuple[Rows, Json]]:
    if turn.page.find_column(rows) is None:
        parsed = _parse_rows(rows, turn=turn)
        values = read_assignments(assignments, page=turn.page) if parsed is not None else None
        if parsed is not None and values:
            if parsed.everything and not re.search(r"\b(?:all|every\w*|each|whole)\b", rows, re.IGNORECASE):
                raise Unclear("Which rows? Add “where …” or “for all rows”, or select some rows.")
            yield parsed, values


def _parse_rows(text: str, *, turn: Turn) -> Rows | None:
    """Return the rows of the table in a phrase, or None. Raises Unclear."""
    rows = read_rows_phrase(text, page=turn.page)
    plain = rows and not rows.selected and not re.search(r"\b(?:where|whose)\b", text, re.IGNORECASE)
    if plain and turn.open_proposal and turn.open_proposal.get("type") == "data_proposal":
        raise Unclear("Do you mean proposed rows, or rows of the table? For the table, add “where …”.")
    return rows


def display_assignments(values: Json) -> str:
    """Return new values of columns in words: "Status to Done and Notes to nothing"."""
    texts = {name: "nothing" if value is None else display(value) for name, value in values.items()}
    return join_and([f"{display(name)} to {text}" for name, text in texts.items()])


def _propose(turn: Turn, *, rows: Rows, values: Json | None) -> Reply:
    """Propose the deletion of these rows (`values` is None) or their new values."""
    action = f"set {display_assignments(values)} in" if values else "delete"
    operation: Json = {"action": "update", "changes": values} if values else {"action": "delete"}
    if not rows.selected:
        where, name = rows.filter, turn.page.columns[0].name
        if rows.everything:
            # A proposal needs a condition; this one matches every row.
            where = {"and": [{"or": [{"column": name, "op": op} for op in ("empty", "not_empty")]}]}
        phrase = "all rows" if rows.everything else rows.description()
        return propose_data(f"I propose to {action} {phrase}.", [operation | {"where": where}])
    found = list(turn.page.selected)
    if rows.conditions or turn.page.selected_left_out or not found:
        answer = tool_result(turn, tool="get_rows", params={**rows.arguments(), "limit": MAX_READ})
        found = answer.get("rows") or []
        if not 0 < answer.get("matching_rows", 0) == len(found):
            raise Unclear(f"I can change 1 to {MAX_READ} selected rows at a time.")
    changed = [row for row in found if not values or values != {name: row["data"].get(name) for name in values}]
    if not changed:
        raise Unclear("Nothing would change: the selected rows already have that value.")
    operations = [operation | {"row_id": row["row_id"]} for row in changed]
    return propose_data(f"I propose to {action} {quantity(len(changed))}.", operations)


def _fill_column(turn: Turn, *, name: str, source: str) -> Reply:
    column = require_column(name, page=turn.page)
    if column.type != "select":
        return _propose_fill(turn, name=name, source=source, part=column.name)
    texts = require_column(source, page=turn.page)
    both = [{"column": column.name, "op": "empty"}, {"column": texts.name, "op": "not_empty"}]
    answer = tool_result(turn, tool="get_rows", params={"filter": {"and": both}, "limit": MAX_READ})
    patterns = {}
    for option in column.options:
        name = normalize(option)
        patterns[option] = rf"(?<!\w)(?:{re.escape(name)}|{_HINTS.get(name, '(?!)')})(?!\w)"
    operations = []
    for row in answer.get("rows") or []:
        text = normalize(str(row["data"].get(texts.name, "")))
        hits = [option for option, pattern in patterns.items() if re.search(pattern, text)]
        if len(hits) == 1:
            operations.append({"action": "update", "row_id": row["row_id"], "changes": {column.name: hits[0]}})
    if not operations:
        names = f"No {display(texts.name)} mentions an option of {display(column.name)}"
        raise Unclear(f"{names}: there is nothing to fill in.")
    text = f"I propose {display(column.name)} for {quantity(len(operations))}, based on {display(texts.name)}."
    return propose_data(text, operations)


def _propose_fill(turn: Turn, *, name: str, source: str, part: str) -> Reply:
    """Propose to fill a column row by row with a part of another one, such as the domain of an address."""
    column, texts = require_column(name, page=turn.page), _source_column(source, page=turn.page)
    if re.search(r"[{}]", texts.name + part):
        raise Unclear("I cannot fill from columns with braces in their names.")
    names = f"{display(column.name)} row by row, from {display(texts.name)}"
    text = f"I propose to fill {names}. Try it on three rows first."
    return propose_fill(text, column=column.name, instruction=f"Take the {part} out of {{{texts.name}}}.")


def _source_column(text: str, *, page: Page) -> Column:
    """Return the column of this name, or the only one that the word means. Raises Unclear."""
    found = page.find_column(text)
    pattern = next((pattern for word, pattern in _SOURCES.items() if word in normalize(text)), "")
    meant = [column for column in page.columns if pattern and re.search(pattern, normalize(column.name))]
    return found or (meant[0] if len(meant) == 1 else require_column(text, page=page))
