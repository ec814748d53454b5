"""Smallest, largest, average, total: "what is the highest salary?", "which company have I waited for longest?"."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from typing import Any

from chat.demo.intents.offers import offers_for, plain
from chat.demo.intents.reading import ask, failed
from chat.demo.language.numbers import cell_number, spoken
from chat.demo.language.words import and_list, shown
from chat.demo.meaning.assignments import named_column
from chat.demo.meaning.conditions import rows_meant
from chat.demo.meaning.nouns import is_noun
from chat.demo.meaning.wording import among_in_words, column_in_words, row_in_words, value_in_words
from chat.demo.page import Column, Page
from chat.demo.reply import Reply, say
from chat.demo.request import Turn

Json = dict[str, Any]
_FLAGS = re.IGNORECASE
_MOST_CHARACTERS = 200
_MOST_GROUPS = 20
_WEIGHTS = (r"\btotal\b|\bamount\b|\bvalue\b", r"\bprice\b|\bcosts?\b|\bsalary\b")
_LOOK = "Let me look that up."
_HIGH = (
    r"(?:highest|largest|biggest|greatest|maximum|max|most expensive|best|top|latest|most recent|newest|last"
    r"|furthest|longest|priciest|oldest person)"
)
_LOW = r"(?:lowest|smallest|least|minimum|min|cheapest|worst|earliest|oldest|first|shortest|youngest)"
_MEAN = r"(?:average|mean|avg)"
_SUM = r"(?:total|sum(?: of)?|overall|combined)"
_WAITED = re.compile(r"\b(?:waited|waiting|been waiting)\b.*\blongest\b|\blongest\b.*\b(?:wait\w*|ago|since)\b", _FLAGS)
_FORMS = (
    re.compile(
        rf"^(?:(?:what|which|who|show|tell|give|find|calculate|compute|work out|when|the)\b.*?)?\b(?P<how>{_HIGH}"
        rf"|{_LOW}|{_MEAN}|{_SUM})\s+(?:of\s+)?(?:(?:the|my|our|all)\s+)*(?P<what>.+)$",
        _FLAGS,
    ),
    re.compile(r"^(?P<how>sum|add up|total|average)(?: up)?\s+(?:(?:the|my|our|all)\s+)*(?P<what>.+)$", _FLAGS),
    re.compile(
        r"^(?:what(?:'s| is| are)?|show(?: me)?|give me)?\s*(?:the\s+)?(?P<how>range|min and max|minimum and "
        r"maximum|spread)\s+(?:of|for|in)\s+(?:the\s+)?(?P<what>.+)$",
        _FLAGS,
    ),
    re.compile(r"^how (?P<how>much)\s+(?:do|does|did|is|are|have|has)?\s*(?P<what>.+)$", _FLAGS),
)


_SUPERLATIVE = re.compile(
    rf"^(?:which|what|who)\b.*?\s(?:is|was|are|were)\s+(?:the\s+)?(?P<how>{_HIGH}|{_LOW})(?:\s+(?:one|row|entry))?$",
    _FLAGS,
)
_JUDGED = re.compile(
    r"^(?:which|what|who)\b.*?\s(?:is|was|are|were)\s+(?:the\s+)?(?:best|worst|top)(?:\s+(?:one|row|entry))?$", _FLAGS
)
_WHO = re.compile(r"^(?:which|what)\s+(?P<who>[\w' -]+?)\s+(?:has|had|have|got|with)\s", _FLAGS)
_PAYS = re.compile(
    r"^(?:who|which(?: [\w ]+?)?|what(?: [\w ]+?)?)\s+(?:has |have |had )?"
    r"(?:pays?|paid|costs?|earns?|earned|spends?|spent|owes?|offers?|is worth)"
    r"\s+(?:me |us )?(?:the )?(?P<how>most|best|highest|least|worst|lowest)"
    r"(?:\s+(?:money|of all))?$",
    _FLAGS,
)
_MONEY = re.compile(
    r"\b(?:total|amount|value|price|costs?|salary|pay|payment|wages?|income|fees?|rent|budget|revenue|spent|paid)\b",
    _FLAGS,
)
_OF_DAYS = ("latest", "most recent", "newest", "last", "earliest", "oldest", "first")


@dataclass(frozen=True)
class Asked:
    """What is asked of which column, over which rows (`selected`: those that the person has selected); `unread` is a
    condition that could not be read."""

    column: Column
    filter: Json | None = None
    by: Column | None = None
    selected: bool = False
    unread: str = ""


def find_extreme(turn: Turn) -> Reply | None:
    """Read from the table with tools, never from the few rows that are shown."""
    page, wish = turn.page, turn.wish.rstrip("? ")
    if not page.has_table or len(wish) > _MOST_CHARACTERS:
        return None
    if _JUDGED.match(wish):
        return _cannot_judge(turn)
    said = _WHO.match(wish)
    who = named_column(said["who"], page=page) if said else None
    if who is None or who.type != "text" or who is page.of_type("text")[0]:
        return _extreme(turn, wish=wish)
    # Rows are named by their first text: here by the column that was asked for.
    ordered = (who, *(column for column in page.columns if column is not who))
    reply = _extreme(replace(turn, page=replace(page, columns=ordered)), wish=wish)
    if reply is None or not reply.text.startswith(("The highest ", "The lowest ")):
        return reply
    return replace(reply, text=f"{reply.text} That is one row. For sums, ask for the total by {shown(who.name)}.")


def _cannot_judge(turn: Turn) -> Reply:
    numbers = [column for column in turn.page.of_type("number") if plain(column)]
    offers = [f"What is the highest {column.name}?" for column in numbers[:2]]
    return say(
        "I cannot tell what is best or worst. I can find the highest or lowest value of a column.",
        offers=[*offers, *offers_for(turn)],
    )


def _extreme(turn: Turn, *, wish: str) -> Reply | None:
    page = turn.page
    if _WAITED.search(wish):
        column = next(iter(page.of_type("date")), None)
        return _edge(turn, column=column, highest=False, filter_=None) if column else None
    worth = _worth(page)
    if (pays := _PAYS.match(wish)) and worth is not None and _MONEY.search(worth.name):
        highest = pays["how"].casefold() in ("most", "best", "highest")
        return _edge(turn, column=worth, highest=highest, filter_=None)
    if superlative := _SUPERLATIVE.match(wish):
        how = superlative["how"].casefold()
        columns = page.of_type("date") if how in _OF_DAYS else page.of_type("number")
        if len(columns) == 1:
            return _edge(turn, column=columns[0], highest=re.fullmatch(_HIGH, how, _FLAGS) is not None, filter_=None)
    for form in _FORMS:
        found = form.match(wish)
        asked = _asked(found["what"], how=found["how"].casefold(), page=page) if found else None
        if found is None or asked is None:
            continue
        if asked.selected:
            turn = replace(turn, about_selected=True)
        if asked.unread:
            return say(
                f"I could not tell which rows “{shown(asked.unread)}” means. Name a column and a value.",
                offers=offers_for(turn),
            )
        reply = _told(turn, asked=asked, how=found["how"].casefold())
        if reply is not None:
            return reply
    return None


def _told(turn: Turn, *, asked: Asked, how: str) -> Reply | None:
    column, filter_ = asked.column, asked.filter
    if how in ("range", "min and max", "minimum and maximum", "spread"):
        return _range(turn, asked=asked)
    if how in ("much", "add up", "total", "sum") or re.fullmatch(rf"{_MEAN}|{_SUM}", how, _FLAGS):
        if column.type != "number":
            return None
        return _over_all(turn, asked=asked, mean=re.fullmatch(_MEAN, how) is not None)
    highest = re.fullmatch(_HIGH, how, _FLAGS) is not None and not (column.type == "date" and how == "longest")
    return _edge(turn, column=column, highest=highest, filter_=filter_)


def _asked(what: str, *, how: str, page: Page) -> Asked | None:
    """The column of "salary of the rejected ones per company", the condition and the groups."""
    by: Column | None = None
    if grouped := re.match(r"^(?P<what>.+?)\s+(?:per|by|for each|for every|in each)\s+(?P<by>.+)$", what, _FLAGS):
        by = named_column(grouped["by"], page=page)
        what = grouped["what"] if by is not None else what
    cuts = re.finditer(
        r"\s+(?:of|for|in|among|where|when|with|at|that|which|from|on|do|is|are|since|before|after|so far)\b|$",
        what,
        _FLAGS,
    )
    for cut in cuts:
        column = _measure(what[: cut.start()], how=how, page=page)
        if column is None:
            continue
        rest = re.sub(r"^\s*(?:of|for|among|so far)\s*", "", what[cut.start() :], flags=_FLAGS)
        rest = re.sub(
            r"^(?:do|does|is|are) (?:i|we|there)(?: have)?$|^(?:in )?(?:the|this|my) (?:table|list)$",
            "",
            rest.strip(),
            flags=_FLAGS,
        )
        rows = rows_meant(rest, page=page) if rest else None
        unread = rest if rest and rows is None else ""
        selected = rows is not None and rows.selected
        return Asked(column=column, filter=rows.filter if rows else None, by=by, selected=selected, unread=unread)
    return None


def _measure(what: str, *, how: str, page: Page) -> Column | None:
    """The number or date column of a phrase; the only one that fits, if the phrase names rows instead."""
    column = named_column(what, page=page)
    if column is not None and column.type in ("number", "date"):
        return column
    numbers, days = page.of_type("number"), page.of_type("date")
    if how == "much":
        spends = re.search(r"\b(?:spen[dt]|cost|costs|pay|paid|worth|money)\b", what, _FLAGS)
        return numbers[0] if spends and len(numbers) == 1 else None
    if not is_noun(re.sub(r"^(?:the|my|our)\s+", "", what, flags=_FLAGS), page=page) and not is_noun(
        what + "s", page=page
    ):
        return None
    if how in _OF_DAYS:
        return days[0] if len(days) == 1 else None
    return _worth(page)


def _worth(page: Page) -> Column | None:
    """The number that says how much a row is: the only one, or the one that is called so."""
    numbers = page.of_type("number")
    # "the biggest order" of a table with quantities and totals is the one with the highest total.
    ranked = [c for pattern in _WEIGHTS for c in numbers if re.search(pattern, c.name, _FLAGS)]
    return numbers[0] if len(numbers) == 1 else next(iter(ranked), None)


def _edge(turn: Turn, *, column: Column, highest: bool, filter_: Json | None) -> Reply:
    clauses = [*(filter_ or {}).get("and", []), {"column": column.name, "op": "not_empty"}]
    given: Json = {"limit": 3, "sort": f"{'-' if highest else ''}{column.id}", "filter": {"and": clauses}}
    among = among_in_words(filter_, page=turn.page, selected=turn.about_selected)
    answer = turn.answer("get_rows")
    if answer is None:
        return ask(turn, tool="get_rows", given=given, text=_LOOK)
    rows = answer.value.get("rows") if isinstance(answer.value, dict) else None
    if answer.is_error or not isinstance(rows, list):
        return failed(turn)
    if not rows:
        return say(f"No row has a value in {column_in_words(column)}{among}.", offers=offers_for(turn))
    best = rows[0].get("data", {})
    word = ("latest" if highest else "earliest") if column.type == "date" else "highest" if highest else "lowest"
    name = row_in_words(rows[0], page=turn.page, besides=column)
    who = f", {name}" if name else ""
    text = f"The {word} {column_in_words(column)}{among} is {value_in_words(best.get(column.name))}{who}."
    nexts = [
        f"{row_in_words(row, page=turn.page, besides=column)} ({value_in_words(row.get('data', {}).get(column.name))})"
        for row in rows[1:]
    ]
    if len(nexts) == 2 and name:
        text += f" Next come {and_list(nexts)}."
    return say(text, offers=offers_for(turn))


def _range(turn: Turn, *, asked: Asked) -> Reply:
    column = asked.column
    if asked.filter or turn.about_selected:
        return _range_among(turn, asked=asked)
    answer = turn.answer("describe_table")
    if answer is None:
        return ask(turn, tool="describe_table", given={}, text=_LOOK)
    ranges = answer.value.get("ranges") if isinstance(answer.value, dict) else None
    if answer.is_error or not isinstance(ranges, dict):
        return failed(turn)
    found = ranges.get(column.name)
    if not isinstance(found, dict):
        return say(f"No row has a value in {column_in_words(column)}.", offers=offers_for(turn))
    low, high = value_in_words(found.get("min")), value_in_words(found.get("max"))
    return say(f"{column_in_words(column)} goes from {low} to {high}.", offers=offers_for(turn))


def _range_among(turn: Turn, *, asked: Asked) -> Reply:
    """The range of some rows, which the description of the table does not tell."""
    name = asked.column.name
    given: Json = {"measures": [{"function": function, "column": name} for function in ("min", "max")]}
    given |= {"filter": asked.filter} if asked.filter else {}
    answer = turn.answer("aggregate_rows")
    if answer is None:
        return ask(turn, tool="aggregate_rows", given=given, text=_LOOK)
    groups = answer.value.get("groups") if isinstance(answer.value, dict) else None
    if answer.is_error or not isinstance(groups, list):
        return failed(turn)
    values = groups[0].get("values", {}) if groups else {}
    low, high = values.get(f"min of {name}"), values.get(f"max of {name}")
    column, among = (
        column_in_words(asked.column),
        among_in_words(asked.filter, page=turn.page, selected=turn.about_selected),
    )
    if low is None or high is None:
        return say(f"No row has a value in {column}{among}.", offers=offers_for(turn))
    return say(f"{column}{among} goes from {value_in_words(low)} to {value_in_words(high)}.", offers=offers_for(turn))


def _over_all(turn: Turn, *, asked: Asked, mean: bool) -> Reply:
    """Sums and averages of all rows, of tables of any size."""
    column, by = asked.column, asked.by
    groups = _computed(turn, asked=asked, function="avg" if mean else "sum")
    if isinstance(groups, Reply):
        return groups
    among = among_in_words(asked.filter, page=turn.page, selected=turn.about_selected)
    if not groups:
        return say(f"No row has a value in {column_in_words(column)}{among}.", offers=offers_for(turn))
    word = "average" if mean else "total"
    if by is not None:
        lines = [f"- {value_in_words(value)}: {cell_number(result)}" for value, result, _ in groups]
        if more := _groups_left_out(turn, listed=len(groups)):
            lines.append(f"- and {spoken(more)} more")
        head = f"The {word} of {column_in_words(column)}{among} by {column_in_words(by)}:"
        return say(f"{head}\n\n" + "\n".join(lines), offers=offers_for(turn))
    ((_, result, rows),) = groups
    counted = f"{spoken(rows)} {'row' if rows == 1 else 'rows'} with a value"
    answer = f"The {word} of {column_in_words(column)}{among} is {cell_number(result)}, over {counted}."
    return say(answer, offers=offers_for(turn))


def _groups_left_out(turn: Turn, *, listed: int) -> int:
    """How many groups there are beyond those that are listed; those without a value come last, and do not count."""
    answer = turn.answer("aggregate_rows")
    value = answer.value if answer and isinstance(answer.value, dict) else {}
    total = value.get("groups_total")
    return total - listed if isinstance(total, int) and listed == len(value.get("groups", [])) else 0


def _computed(turn: Turn, *, asked: Asked, function: str) -> list[tuple[Any, float, int]] | Reply:
    """By group (one without groups), the largest first: its value, the result, and how many rows have a value."""
    name = asked.column.name
    measures = [{"function": function, "column": name}, {"function": "count", "column": name}]
    given: Json = {"measures": measures, "order": "largest", "limit": _MOST_GROUPS}
    given |= {"group_by": [{"column": asked.by.name}]} if asked.by else {}
    given |= {"filter": asked.filter} if asked.filter else {}
    answer = turn.answer("aggregate_rows")
    if answer is None:
        return ask(turn, tool="aggregate_rows", given=given, text=_LOOK)
    groups = answer.value.get("groups") if isinstance(answer.value, dict) else None
    if answer.is_error or not isinstance(groups, list):
        return failed(turn)
    found = []
    for group in groups:
        values = group.get("values", {})
        result = values.get(f"{function} of {name}")
        if isinstance(result, int | float):
            value = group.get("group", {}).get(asked.by.name) if asked.by else None
            found.append((value, round(result, 2), values.get(f"count of {name}", 0)))
    return found
