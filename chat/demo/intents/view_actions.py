"""What the page does at once: sort, filter, search, hide columns, export, print, undo: "sort by salary"."""

from __future__ import annotations

import re
from typing import Any

from chat.demo.language.words import unquote
from chat.demo.meaning.assignments import named_column
from chat.demo.meaning.conditions import rows_meant
from chat.demo.meaning.selection import without_selection
from chat.demo.meaning.wording import no_column
from chat.demo.page import Column, Page
from chat.demo.reply import Reply, run, say
from chat.demo.request import Turn

Json = dict[str, Any]
_FLAGS = re.IGNORECASE | re.DOTALL
VIEW_ONLY = "This changes only your own view."
FILE = "The file is on its way."
_Found = tuple[str, Json] | Reply | None
_SORT = re.compile(
    r"^(?:sort|order|arrange)(?:\s+(?:the|these|all|my))?(?:\s+(?:rows?|table|everything|it|them|entries|list))?"
    r"\s+(?:by|after|on)\s+(?P<keys>.+)$",
    _FLAGS,
)
_KEY = re.compile(
    r"^(?:the\s+)?(?P<column>.+?)(?:,?\s*\(?(?:(?P<down>desc(?:ending)?|(?:high|large|great|bigg|new|lat)est first"
    r"|most recent first|z to a|z-a|in reverse|backwards)|(?:asc(?:ending)?|(?:low|small|old|earli)est first|a to z"
    r"|a-z)))?\)?$",
    _FLAGS,
)
_KEYS_END = re.compile(
    r"\s*,?\s+(?:and\s+)?then(?:\s+by)?\s+|\s*,(?!\s*(?:\w+est first|most recent|asc|desc|[az][ -]))\s*(?:and\s+)?"
    r"|\s+and\s+(?:by\s+)?",
    _FLAGS,
)
_FILTER = re.compile(
    r"^(?:filter|(?:only|just) show|show (?:me )?(?:only|just))"
    r"(?:\s+(?:me|the table|the rows|rows|it|by|for|on|to|where))*\s*:?\s+(?P<rows>.+)$",
    _FLAGS,
)
_SEARCH = re.compile(r"^search(?:\s+(?:the|this)\s+table|\s+the\s+rows|\s+rows)?\s+(?:for\s+)?(?P<text>.+)$", _FLAGS)
_HIDE = re.compile(r"^hide\s+(?:the\s+)?(?:columns?\s+)?(?P<columns>.+?)(?:\s+columns?)?$", _FLAGS)
_SHOW = re.compile(
    r"^(?:unhide|(?:show|bring back)(?:\s+me)?(?P<only>\s+only|\s+just)?)\s+(?:the\s+)?(?:columns?\s+(?P<after>.+?)"
    r"|(?P<before>.+?)\s+columns?)(?:\s+again)?$",
    _FLAGS,
)
_ALL_COLUMNS = re.compile(
    r"^(?:(?:show|unhide)\s+(?:me\s+)?(?:all\s+(?:the\s+)?|the\s+)?(?:hidden\s+)?columns(?:\s+again)?|unhide\s+(?:all|everything))$",
    _FLAGS,
)
_EXPORT = re.compile(
    r"^(?:export|download)(?:\s+(?P<rows>(?:all|every)\b))?(?:\s+(?:the|this|these|it|rows?|table|of|data|everything|view))*"
    r"(?:\s+(?:as|to|in|into)(?:\s+an?)?\s+(?P<format>\w+)(?:\s+(?:file|sheet|workbook))?)?$",
    _FLAGS,
)
_EXPORTS = re.compile(r"^(?:export|download)\b", _FLAGS)
_FORMATS = {"csv": "csv", "json": "json", "xlsx": "xlsx", "excel": "xlsx", "spreadsheet": "xlsx"}
_REMOVE = r"(?:remove|clear|reset|drop|end|cancel|turn off)\s+(?:the\s+|all\s+|my\s+)?"
_IT = r"(?:\s+(?:it|that|this|(?:the|my)\s+(?:last\s+)?(?:change|edit|step)))"
# Wishes without a value: the action, its data, what is said beside it.
_PLAIN: tuple[tuple[str, str, Json, str], ...] = (
    (_REMOVE + r"(?:sort(?:ing)?|order(?:ing)?)|unsort(?: the (?:table|rows))?", "sort_rows", {"by": []}, VIEW_ONLY),
    (_REMOVE + r"filters?|unfilter", "filter_rows", {"filter": None}, VIEW_ONLY),
    (_REMOVE + r"search", "search_table", {"text": ""}, VIEW_ONLY),
    (_REMOVE + r"(?:view|filters? and (?:sort(?:ing)?|order))", "clear_view", {}, VIEW_ONLY),
    (r"print(?:\s+(?:(?:the|this)\s+)?(?:table|it|this|page|view))?", "print_table", {}, "Here is the print dialog."),
    (r"(?:(?:show|open|see|view|go to)(?:\s+me)?\s+)?(?:the\s+)?(?:table's\s+|change\s+)?history"
     r"(?:\s+of\s+(?:the|this)\s+table)?", "open_history", {}, "Here is the history."),
    (r"share(?:\s+(?:it|(?:the|this)(?:\s+table)?))?(?:\s+with\s+.+)?|open (?:the )?sharing", "open_sharing", {},
     "Here is how this table is shared."),
    (rf"(?:undo|revert){_IT}?|take (?:it|that|this) back", "undo_change", {}, "I undo your last change."),
    (rf"redo{_IT}?", "redo_change", {}, "I redo it."),
)  # fmt: skip
# The button is called by the language of the page, which is not known here.
_VIEW_BEFORE = (
    "What I did last was about your own view only. If it can be taken back, the button for that is below that answer. "
    "To undo a change of the table, say “undo the last change”."
)
_UNDONE_BEFORE = (
    "I have undone a change already. Say “undo the last change” to undo the one before it as well, "
    "or “redo” to bring it back."
)
_NOT_SELECTED = "I can export the rows that are shown, or all rows, but not only the selected ones."
_CHANGE = re.compile(r"\b(?:change|edit|step)$", _FLAGS)
_THAT = re.compile(r"\b(?:it|that|this)\b", _FLAGS)
_IN_VIEW = {"filter_rows", "search_table", "clear_view", "hide_columns", "show_columns"}
_OF_VIEW = _IN_VIEW | {"sort_rows"}


def act_on_page(turn: Turn) -> Reply | None:
    """Has the page do what was plainly asked for, where it can."""
    wish = turn.wish.rstrip("?. ")
    if not turn.actions or "\n" in wish:
        return None
    for pattern, action, data, text in _PLAIN:
        if re.fullmatch(pattern, wish, _FLAGS):
            # The change of the table that would be undone is not what "that" refers to.
            if action == "undo_change" and turn.ran_before & _OF_VIEW and not _CHANGE.search(wish):
                return say(_VIEW_BEFORE)
            if action == "undo_change" and action in turn.ran_before and _THAT.search(wish):
                return say(_UNDONE_BEFORE)
            return _reply(turn, action=action, data=data, text=text)
    if turn.page.ticked and _EXPORTS.match(wish) and without_selection(wish, page=turn.page)[1]:
        return say(_NOT_SELECTED)
    for reader in (_sort, _columns, _filter, _search, _export):
        found = reader(wish, page=turn.page)
        if isinstance(found, Reply):
            return found
        if found is not None:
            action, data = found
            return _reply(turn, action=action, data=data, text=FILE if action == "export_table" else VIEW_ONLY)
    return None


def _reply(turn: Turn, *, action: str, data: Json, text: str) -> Reply | None:
    # While a proposal is open, all rows and columns are shown.
    if action not in turn.actions or (turn.open_proposal is not None and action in _IN_VIEW):
        return None
    return run(text, action=action, data=data)


def _sort(wish: str, *, page: Page) -> _Found:
    found = _SORT.match(wish)
    if found is None:
        return None
    whole = page.column(found["keys"])
    keys = []
    for part in [found["keys"]] if whole else _KEYS_END.split(found["keys"]):
        key = _KEY.match(part.strip())
        column = named_column(unquote(key["column"]), page=page) if key else None
        if key is None or column is None:
            return _no_column(part)
        keys.append({"column": column.name, **({"descending": True} if key["down"] else {})})
    return "sort_rows", {"by": keys}


def _columns(wish: str, *, page: Page) -> _Found:
    if _ALL_COLUMNS.match(wish):
        return "show_columns", {}
    if found := _SHOW.match(wish):
        named = _named(found["after"] or found["before"], page=page)
        return ("show_columns", {"columns": named, **({"only": True} if found["only"] else {})}) if named else None
    found = _HIDE.match(wish)
    if found is None:
        return None
    named = _named(found["columns"], page=page)
    return ("hide_columns", {"columns": named}) if named else _no_column(found["columns"])


def _named(listed: str, *, page: Page) -> list[str]:
    """The names of the columns of a list; none where one of them is not there."""
    whole = page.column(unquote(listed))
    parts = [listed] if whole else re.split(r"\s*,\s*(?:and\s+)?|\s+and\s+(?:the\s+)?", listed, flags=_FLAGS)
    found: list[Column | None] = [page.column(unquote(part)) for part in parts]
    return [column.name for column in found if column] if all(found) else []


def _filter(wish: str, *, page: Page) -> _Found:
    found = _FILTER.match(wish)
    rows = rows_meant(found["rows"], page=page) if found else None
    is_filter = rows is not None and rows.filter is not None and not rows.selected
    return ("filter_rows", {"filter": rows.filter}) if rows and is_filter else None


def _search(wish: str, *, page: Page) -> _Found:
    found = _SEARCH.match(wish)
    return ("search_table", {"text": unquote(found["text"])}) if found else None


def _export(wish: str, *, page: Page) -> _Found:
    found = _EXPORT.match(wish)
    format_ = _FORMATS.get((found["format"] or "csv").casefold()) if found else None
    if found is None or format_ is None:
        return None
    return "export_table", {"format": format_, "rows": "all" if found["rows"] else "shown"}


def _no_column(said: str) -> Reply:
    return say(no_column(said))
