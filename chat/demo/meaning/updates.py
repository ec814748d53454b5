"""What a wish sets, and for which rows: "set status to Rejected where …", "mark everything at Acme as Offer"."""

from __future__ import annotations

import re
from collections.abc import Callable
from difflib import get_close_matches

from chat.demo.language.words import bare, key, shown
from chat.demo.meaning.assignments import Change, assign, by_value, named_column
from chat.demo.meaning.targets import Target, target_of
from chat.demo.page import Column, Page

_FLAGS = re.IGNORECASE | re.DOTALL
_VERB = (
    r"(?:set|change|update|put|switch|make|turn|mark|flag|move|label|classify|assign|fill|edit|modify|correct"
    r"|fix|convert|treat|consider)"
)
_FIRST = re.compile(
    rf"^(?:(?:for|in|on|of|to)\s+(?P<rows>.+?)|(?:if|when|where|whenever|wherever)\s+(?P<cond>.+?))\s*,?\s+"
    rf"(?:then\s+)?(?P<rest>{_VERB}\s+.+)$",
    _FLAGS,
)
_FROM = re.compile(rf"^{_VERB}\s+(?P<column>.+?)\s+from\s+(?P<old>.+?)\s+(?:to|into)\s+(?P<new>.+)$", _FLAGS)
_REPLACE = re.compile(
    r"^(?:replace|swap|exchange)\s+(?:all\s+|every\s+|each\s+)?(?P<old>.+?)\s+(?:with|by|for)\s+(?P<new>.+?)"
    r"(?:\s+in (?:the )?(?P<column>.+?)(?: column)?)?$",
    _FLAGS,
)
_CLEAR = re.compile(
    r"^(?:clear|empty|blank(?: out)?|unset|erase|wipe|reset|remove|delete)\s+(?P<column>.+?)\s+(?P<word>where"
    r"|of|for|from|in|on|when|if|whose)\s+(?P<rows>.+)$",
    _FLAGS,
)
_TICK = re.compile(
    r"^(?P<verb>check|tick|uncheck|untick|toggle on|toggle off)\s+(?:off\s+)?(?P<column>.+?)\s+(?P<word>where"
    r"|of|for|on|when|if)\s+(?P<rows>.+)$",
    _FLAGS,
)


def change_meant(wish: str, *, page: Page) -> Change | None:
    first = _FIRST.match(wish)
    if first:
        rows = target_of(first["rows"] or f"where {first['cond']}", page=page)
        change = change_meant(bare(first["rest"]), page=page)
        if change is not None and isinstance(rows, Target):
            change.target = change.target or rows
            return change
    readers: tuple[Callable[..., Change | None], ...] = (
        _from_to,
        _replaced,
        _cleared,
        _ticked,
        _set_column,
        _set_rows,
        _bare_value,
        _assigned,
        _by_verb,
    )
    for reader in readers:
        change = reader(wish, page=page)
        if change is not None:
            return change
    return None


def _from_to(wish: str, *, page: Page) -> Change | None:
    """ "change status from Applied to Rejected"."""
    found = _FROM.match(wish)
    column = named_column(found["column"], page=page) if found else None
    if found is None or column is None:
        return None
    rows = target_of(f"where {column.name} is {found['old']}", page=page)
    return assign(column, found["new"], page=page, target=rows) if isinstance(rows, Target) else None


def _replaced(wish: str, *, page: Page) -> Change | None:
    """ "replace Acme with Globex in company"."""
    found = _REPLACE.match(wish)
    if found is None:
        return None
    known = page.with_option(found["old"]) or page.with_cell(found["old"])
    column = named_column(found["column"], page=page) if found["column"] else known[0] if known else None
    if column is None:
        return None
    rows = target_of(f"where {column.name} is {found['old']}", page=page)
    return assign(column, found["new"], page=page, target=rows) if isinstance(rows, Target) else None


def _cleared(wish: str, *, page: Page) -> Change | None:
    """ "clear notes where status is Rejected"."""
    found = _CLEAR.match(wish)
    column = named_column(found["column"], page=page) if found else None
    if found is None or column is None or re.match(r"^(?:the |this |my )?(?:table|list)$", found["rows"], _FLAGS):
        return None
    return _with_rows(assign(column, "empty", page=page), word=found["word"], phrase=found["rows"], page=page)


def _ticked(wish: str, *, page: Page) -> Change | None:
    """ "tick remote where company is Acme"."""
    found = _TICK.match(wish)
    column = named_column(found["column"], page=page) if found else None
    if found is None or column is None or column.type != "boolean":
        return None
    value = "no" if re.match(r"un|toggle off", found["verb"], _FLAGS) else "yes"
    return _with_rows(assign(column, value, page=page), word=found["word"], phrase=found["rows"], page=page)


def _with_rows(change: Change, *, word: str, phrase: str, page: Page) -> Change:
    if change.fault:
        return change
    rows = target_of(phrase if word.casefold() in ("of", "for", "from", "in", "on") else f"{word} {phrase}", page=page)
    if isinstance(rows, Target):
        change.target = rows
    elif isinstance(rows, str):
        change.fault = rows
    else:
        change.unread = f"{word} {phrase}"
    return change


def _set_column(wish: str, *, page: Page) -> Change | None:
    """ "set status to Rejected where …", "change the status of Acme to Offer", "set Acme's status to Offer"."""
    for found in _splits(wish):
        head, rest = found
        column = named_column(head, page=page)
        if column is not None:
            return assign(column, rest, page=page)
        owned = re.match(r"^(?P<rows>.+?)(?:'s|s'|')\s+(?P<column>.+)$", head, _FLAGS)
        of = re.match(r"^(?P<column>.+?)\s+(?:of|for|in|on|at|where|when|if)\s+(?P<rows>.+)$", head, _FLAGS)
        for said in (owned, of):
            column = named_column(said["column"], page=page) if said else None
            if said is None or column is None:
                continue
            rows = target_of(said["rows"], page=page) or target_of(f"where {said['rows']}", page=page)
            if isinstance(rows, Target):
                return assign(column, rest, page=page, target=rows)
            return Change(fault=rows) if rows else Change(unread=said["rows"])
    return None


def _splits(wish: str) -> list[tuple[str, str]]:
    """Every way to cut "set A to B" at its "to", "as", "="."""
    verb = re.match(rf"^{_VERB}\s+", wish, _FLAGS)
    if verb is None:
        return []
    body = wish[verb.end() :]
    cuts = re.finditer(r"\s+(?:to be|to|as|into|with|equal to|in)\s+|\s*=\s*|\s*:\s+", body, _FLAGS)
    return [(body[: cut.start()].strip(), body[cut.end() :].strip()) for cut in cuts if body[: cut.start()].strip()]


def _set_rows(wish: str, *, page: Page) -> Change | None:
    """ "mark everything at Acme as Offer", "change all Applied to Rejected", "move these to Interview"."""
    if turned := re.match(
        rf"^(?P<verb>{_VERB})\s+(?P<how>as|to)\s+(?P<value>\S+(?: \S+)?)\s+(?P<rows>(?:all|every|the|these|any"
        rf"|each).+)$",
        wish,
        _FLAGS,
    ):
        wish = f"{turned['verb']} {turned['rows']} {turned['how']} {turned['value']}"
    for head, rest in _splits(wish):
        found = by_value(rest, page=page)
        rows_said = head
        if (meant := _misspelt(head, page=page)) is not None:
            return Change(fault=f"I see no column {shown(head)} here. Did you mean {shown(meant.name)}?")
        if found is None:
            for connector in re.finditer(r"\s+(?:where|when|if|for|that|which|whose)\s+", rest, _FLAGS):
                found = by_value(rest[: connector.start()], page=page)
                if found is not None:
                    rows_said = f"{head} {rest[connector.start() :].strip()}"
                    break
        cell = page.with_cell(head) if found is None else None
        if cell is not None and len(rest) <= 60:
            rows = target_of(f"where {cell[0].name} is {cell[1]}", page=page)
            return assign(cell[0], rest, page=page, target=rows) if isinstance(rows, Target) else None
        if found is None:
            continue
        rows = target_of(rows_said, page=page)
        if rows is None:
            return Change(unread=rows_said)
        if isinstance(rows, str):
            return Change(fault=rows)
        return Change(values={found[0].name: found[1]}, target=rows)
    return None


def _misspelt(name: str, *, page: Page) -> Column | None:
    """The column whose name is nearly this one, where it is neither a column nor a value that is there."""
    if page.column(name) is not None or page.with_option(name) or page.with_cell(name):
        return None
    names = {key(column.name): column for column in page.columns}
    near = get_close_matches(key(name), names, n=1, cutoff=0.8)
    return names[near[0]] if near else None


def _bare_value(wish: str, *, page: Page) -> Change | None:
    """ "make all of them Rejected", "mark these remote"."""
    verb = re.match(r"^(?:make|mark|set|flag|turn)\s+(?=\S)", wish, _FLAGS)
    words = wish[verb.end() :].split() if verb else []
    for size in (1, 2, 3):
        found = by_value(" ".join(words[-size:]), page=page) if len(words) > size else None
        rows = target_of(" ".join(words[:-size]), page=page) if found else None
        if found and rows is not None:
            return (
                Change(fault=rows) if isinstance(rows, str) else Change(values={found[0].name: found[1]}, target=rows)
            )
    return None


def _assigned(wish: str, *, page: Page) -> Change | None:
    """ "assign all high priority tasks to Maya": the column that says whose a row is."""
    found = re.match(
        r"^(?:re)?(?:assign|give|hand(?: over)?|allocate)\s+(?P<rows>.+)\s+to\s+(?P<who>[^,]{1,60})$", wish, _FLAGS
    )
    owners = [c for c in page.of_type("text") if re.search(r"owner|assign|responsible|person", c.name, _FLAGS)]
    if found is None or not owners:
        return None
    rows = target_of(found["rows"], page=page)
    if not isinstance(rows, Target):
        return Change(fault=rows) if rows else Change(unread=found["rows"])
    return assign(owners[0], found["who"], page=page, target=rows)


def _by_verb(wish: str, *, page: Page) -> Change | None:
    """ "reject everything before June": a verb whose past form is an option, or a yes-or-no column."""
    verb, _, rest = wish.partition(" ")
    if not rest or not verb.isalpha() or len(verb) < 4:
        return None
    low = verb.casefold()
    for past in (low + ("d" if low.endswith("e") else "ed"), low[:-1] + "ied", low + low[-1] + "ed"):
        found = by_value(past, page=page)
        rows = target_of(rest, page=page) if found else None
        if found and isinstance(rows, Target):
            return Change(values={found[0].name: found[1]}, target=rows)
    return None
