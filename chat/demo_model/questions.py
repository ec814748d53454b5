"""Questions about the rows: counts, sums, averages, extremes, groups. Every number comes from a tool, over all rows."""

import re
from typing import Any

from chat.demo_model.english import display, match, normalize, quantity, singular
from chat.demo_model.lexer import row_nouns
from chat.demo_model.parser import Rows, read_rows_phrase
from chat.demo_model.reply import Reply, ToolNeeded, Unclear, say
from chat.demo_model.request import Column, Page, Turn

Json = dict[str, Any]
MAX_GROUPS = 20
_HIGH = "highest|maximum|max|largest|biggest|latest|newest|most recent"
_LOW = "lowest|minimum|min|smallest|earliest|oldest"
_FUNCTIONS = {"sum": "total|sum", "average": "average|avg|mean", "max": _HIGH, "min": _LOW}
_FUNCTION_OF = {word: name for name, words in _FUNCTIONS.items() for word in words.split("|")}
_LABELS = {"sum": "Total", "average": "Average", "max": "Highest", "min": "Lowest", "count": "Rows"}
_ASK = r"(?:(?:what(?:'s| is| are| was)|show(?: me)?|give me|tell me|calculate|compute|find|how much is) )?(?:the )?"
_PER = r",? (?:per|by|for each|for every|in each) (?:the )?"
_MEASURE = rf"{_ASK}(?P<function>{'|'.join(_FUNCTIONS.values())})(?: of)?(?: the| all)? (?P<rest>.+)"
_GROUPS = (
    r"(?:how many(?: (?P<rows>(?!.* (?:are|is) there ).+?))?(?: are there| do i have)?|(?P<bare>\w+s)"
    rf"|(?:count|number of)(?: (?P<counted>.+?))?|break(?: (?:it|this|them))? down|breakdown)"
    rf"{_PER}(?P<group>.+)"
)
_COUNT = (
    r"(?:how many|count(?: of)?|what is the number of|number of)(?: all| different)?(?: the)? (?P<rows>.+?)"
    r"(?: (?:are|is) there| do i have| exist| there are)?(?: (?:are )?in (?:the|this) table)?"
)
_EXTREME = (
    r"(?:which|what|who)(?: (?P<rows>(?!is |are |has |have |was )(?!the \w+est).+?))?(?: (?:has|have|is|are|with))?"
    rf" (?:the )?(?P<function>{_HIGH}|{_LOW}) (?P<rest>.+)"
)


def answer_question(turn: Turn) -> Reply | None:
    """Answer a question for a count, sum, average or extreme, or for the row with an extreme value."""
    page, request = turn.page, turn.request
    if not page.has_rows:
        return None
    if found := match(_EXTREME, request):
        column, rows = _column_and_rows(found["rest"], page=page, more=found["rows"])
        function = _FUNCTION_OF[normalize(found["function"])]
        return _find_extreme(turn, column=column, rows=rows, function=function) if column else None
    if found := match(_MEASURE, request):
        return _answer_measure(turn, function=_FUNCTION_OF[normalize(found["function"])], rest=found["rest"])
    if found := match(_GROUPS, request):
        more = found["rows"] or found["counted"] or found["bare"]
        column, rows = _column_and_rows(found["group"], page=page, more=more)
        return _aggregate(turn, function="count", column=None, rows=rows, group=column) if column else None
    found = match(_COUNT, request)
    return _count_rows(turn, phrase=found["rows"]) if found else None


def _count_rows(turn: Turn, *, phrase: str) -> Reply | None:
    page = turn.page
    head, _, rest = phrase.partition(" ")
    column = _column(singular(head), page=page)
    if column and column.type == "text" and normalize(head) != normalize(column.name):
        # "How many companies …": several rows may be about one company.
        rows = read_rows_phrase(rest, page=page)
        return _count_distinct(turn, column=column, rows=rows) if rows else None
    rows = read_rows_phrase(phrase, page=page)
    if rows is None:
        return None
    answer = tool_result(turn, tool="get_rows", params={**rows.arguments(), "limit": 1})
    count = answer.get("matching_rows", 0)
    hidden = rows.everything and page.shown_rows != page.rows == count
    view = f" Your view shows {page.shown_rows:,} of them." if hidden else ""
    where = "" if rows.everything else f": {rows.description()}"
    return say(f"{quantity(count)}{where}.{view}")


def _answer_measure(turn: Turn, *, function: str, rest: str) -> Reply | None:
    page = turn.page
    found = match(rf"(?P<head>.+?){_PER}(?P<group>.+)", rest)
    column, rows = _column_and_rows(found["head"] if found else rest, page=page)
    group = None
    if found:
        group, grouped = _column_and_rows(found["group"], page=page)
        if not group or not column or not (rows.everything or grouped.everything):
            return None
        rows = grouped if rows.everything else rows
    if column is None:
        # "The oldest application": by the only date column.
        days, whole = page.of_type("date"), read_rows_phrase(rest, page=page)
        fits = whole and len(days) == 1 and function in ("max", "min")
        return _find_extreme(turn, column=days[0], rows=whole, function=function) if whole and fits else None
    if function in ("max", "min") and not group:
        return _find_extreme(turn, column=column, rows=rows, function=function)
    if column.type != "number":
        raise Unclear(f"{display(column.name)} is a {column.type} column, but I need numbers for that.")
    return _aggregate(turn, function=function, column=column, rows=rows, group=group)


def _aggregate(turn: Turn, *, function: str, column: Column | None, rows: Rows, group: Column | None) -> Reply:
    measure = {"function": function} | ({"column": column.name} if column else {})
    params: Json = {**rows.arguments(), "measures": [measure]}
    if group:
        params |= {"group_by": [{"column": group.name}], "order": "largest", "limit": MAX_GROUPS}
    answer = tool_result(turn, tool="aggregate_rows", params=params)
    what = f"{_LABELS[function]} {display(column.name)}" if column else _LABELS[function]
    of = "" if rows.everything else f" of {rows.description()}"
    groups = answer.get("groups") or []
    values = [_number(next(iter(one["values"].values()), None)) for one in groups]
    if not group:
        value = values[0] if values else "no value"
        return say(f"{what}{of}: {value} ({quantity(answer.get('matching_rows', 0))}).")
    names = [next(iter(one["group"].values()), None) for one in groups]
    pairs = zip(names, values, strict=True)
    lines = [f"- {'(empty)' if name in (None, '') else display(name)}: {value}" for name, value in pairs]
    more = answer.get("groups_total", 0) - len(groups)
    lines += [f"- and {quantity(more, 'group')} more"] if more > 0 else []
    return say(f"{what} by {display(group.name)}{of}:\n\n" + "\n".join(lines))


def _count_distinct(turn: Turn, *, column: Column, rows: Rows) -> Reply:
    grouping: Json = {"group_by": [{"column": column.name}], "measures": [{"function": "count"}], "limit": 1}
    answer = tool_result(turn, tool="aggregate_rows", params={**rows.arguments(), **grouping})
    distinct, total = answer.get("groups_total", 0), answer.get("matching_rows", 0)
    return say(f"{distinct:,} different values of {display(column.name)}, in {quantity(total)}.")


def _find_extreme(turn: Turn, *, column: Column, rows: Rows, function: str) -> Reply:
    if column.type not in ("number", "date"):
        raise Unclear(f"{display(column.name)} is a {column.type} column: it has no highest or lowest value.")
    conditions = [*rows.conditions, {"column": column.name, "op": "not_empty"}]
    sort = f"{'-' if function == 'max' else ''}{column.id}"
    params = {**rows.arguments(), "filter": {"and": conditions}, "sort": sort, "limit": 5}
    answer = tool_result(turn, tool="get_rows", params=params)
    found = answer.get("rows") or []
    values = [row["data"].get(column.name) for row in found]
    best = [row for row, value in zip(found, values, strict=True) if value == values[0]]
    lines = [f"{row_link(row, page=turn.page)}: {_number(row['data'].get(column.name))}" for row in best]
    words = _LABELS if column.type == "number" else {"max": "Latest", "min": "Earliest"}
    text = f"{words[function]} {display(column.name)}{'' if rows.everything else f' of {rows.description()}'}: "
    return say(text + ("\n\n- " + "\n- ".join(lines) if len(lines) > 1 else f"{lines[0]}." if lines else "no value."))


def tool_result(turn: Turn, *, tool: str, params: Json) -> Json:
    """Return the result of a tool. Raises ToolNeeded if it has not run, Unclear if it failed."""
    if params.get("selected") and not turn.page.selected:
        raise Unclear("No rows are selected. Select rows, then ask again.")
    result = turn.results.get(tool)
    if result is None and tool in turn.tools:
        raise ToolNeeded(tool, params)
    if result is None or result["is_error"] or not isinstance(result["value"], dict):
        raise Unclear(f"I could not look that up. {display(result['text'], limit=200) if result else ''}".strip())
    return result["value"]


def row_link(row: Json, *, page: Page, max_values: int = 2) -> str:
    """Return a link to a row, named by its first values."""
    values = [row["data"].get(column.name) for column in page.columns]
    name = ", ".join([display(value, limit=40) for value in values if value not in (None, "")][:max_values])
    return f"[{display(name, limit=200) or 'an empty row'}](row:{row['row_id']})"


def _column(text: str, *, page: Page) -> Column | None:
    """Return the column of this name, or the only one with this word in its name."""
    words = [(column, {singular(word) for word in normalize(column.name).split(" ")}) for column in page.columns]
    found = [column for column, named in words if singular(normalize(text)) in named]
    return page.find_column(text) or (found[0] if len(found) == 1 else None)


def _column_and_rows(text: str, *, page: Page, more: str | None = None) -> tuple[Column | None, Rows]:
    """Return the column at the start of a text, and the rows in its rest or in `more`."""
    words = text.split(" ")
    for end in range(len(words), 0, -1):
        column = _column(" ".join(words[:end]), page=page)
        rest = re.sub(r"^(?:for|of|in|among) (?=\w)", "", " ".join(words[end:]), flags=re.IGNORECASE)
        rows = read_rows_phrase(rest, page=page) if column else None
        if column and rows:
            if not more or normalize(more) in row_nouns(page) or page.find_column(more):
                return column, rows
            others = read_rows_phrase(more, page=page)
            return (column, others) if others and rows.everything else (None, Rows())
    return None, Rows()


def _number(value: Any) -> str:
    return "no value" if value is None else display(round(value, 2) if isinstance(value, float) else value)
