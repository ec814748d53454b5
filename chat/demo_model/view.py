"""Client actions: sort, filter, search, columns, export, print, sharing, history, undo; and lists of rows."""

import re
from typing import Any

from chat.demo_model.english import match, normalize, split_list, unquote
from chat.demo_model.parser import read_rows_phrase, require_column
from chat.demo_model.questions import row_link, tool_result
from chat.demo_model.reply import Reply, Unclear, run, say
from chat.demo_model.request import UNDO, Page, Turn

Json = dict[str, Any]
Action = tuple[str, Json]
MAX_LISTED = 20
_CLEAR = r"(?:remove|clear|reset|end) (?:the |all |my )?"
_IT = r"(?: (?:it|that|this|(?:the |my )?(?:last |latest )?(?:change|edit)))?"
_EVERYTHING = r"(?:show|show me) (?:all(?: the| of the)? rows|everything)(?: again)?"
_FIXED_ACTIONS: tuple[tuple[str, str, Json], ...] = (
    (rf"{_CLEAR}(?:sort(?:ing)?|order(?:ing)?)|unsort", "sort_rows", {"by": []}),
    (rf"{_CLEAR}filters?|{_EVERYTHING}", "filter_rows", {"filter": None}),
    (rf"{_CLEAR}search", "search_table", {"text": ""}),
    (rf"{_CLEAR}view", "clear_view", {}),
    (r"(?:show|unhide) (?:all (?:the )?|the hidden |hidden )columns(?: again)?", "show_columns", {}),
    (r"print(?: (?:the |this )?(?:table|page|it|list))?", "print_table", {}),
    (r"(?:(?:show|open|see)(?: me)? )?(?:the |its )?(?:change )?history(?: of th(?:e|is) table)?", "open_history", {}),
    (r"share(?: (?:it|(?:the|this) table))?(?: with .+)?|open (?:the )?sharing", "open_sharing", {}),
    (rf"(?:undo|revert){_IT}|take (?:it|that|this) back", "undo_change", {}),
    (rf"redo{_IT}", "redo_change", {}),
)
_SORT = r"(?:sort|order|arrange)(?: (?:the |these |all )?(?:rows?|table|everything|it|them|\w+s))? by (?P<keys>.+)"
_DESCENDING = r"desc(?:ending)?|(?:high|large|bigg|new|lat)est first|z to a|from high to low"
_ASCENDING = r"asc(?:ending)?|(?:low|small|old|earli)est first|a to z|from low to high"
_KEY = rf"(?:the )?(?P<column>.+?)(?:,? \(?(?:(?P<down>{_DESCENDING})|{_ASCENDING})\)?)?"
_THEN = re.compile(
    rf",? (?:and )?then(?: by)? |,(?! ?(?:{_DESCENDING}|{_ASCENDING})) ?(?:and )?| and (?:by )?", re.IGNORECASE
)
_EXPORT = (
    r"(?:export|download)(?: (?:the|this|it|all|rows?|table|data|everything|(?P<shown>shown|filtered|visible)))*"
    r"(?: (?:as|to|in)(?: an?)? (?P<format>csv|json|xlsx|excel|spreadsheet)(?: file)?)?"
)
_SHOW = (
    r"(?:(?P<filters>(?:only|just) show|(?:show|list|display)(?: me)?(?: only| just)?|filter(?: (?:by|for|to|on))?)"
    r"|which|what|who|find) (?P<rows>.+?)(?: (?:sorted|ordered) by (?P<keys>.+))?"
)
_VIEW_ACTIONS = {"sort_rows", "filter_rows", "search_table", "clear_view", "hide_columns", "show_columns"}
_TEXTS = {"undo_change": "Undoing your last change.", "export_table": "Exporting the table."}
_UNDO_OF_VIEW = "That only changed your view. Undo it there."
_NO_UNDO = {"undone": "That is already undone.", "": "My last answer did not change the table."}


def act_on_view(turn: Turn) -> Reply | None:
    """Run the client action that was explicitly requested."""
    request = turn.request
    if not turn.page.has_rows:
        return None
    found = _action(request, page=turn.page)
    # "Undo that" means the change of the previous answer, never an older change of the table.
    if found and UNDO.match(request) and not re.search(r"\b(?:last|latest|my)\b", request, re.IGNORECASE):
        of_view = _VIEW_ACTIONS.intersection(turn.previous_actions)
        if of_view or turn.last_change_state in _NO_UNDO:
            reason = _UNDO_OF_VIEW if of_view else _NO_UNDO[turn.last_change_state]
            return say(f"{reason} To undo a table change, write “Undo the last change”.", "Undo the last change")
    return _run(turn, found) if found else None


def _run(turn: Turn, *actions: Action) -> Reply:
    name = actions[0][0]
    if name not in turn.actions:
        raise Unclear("I cannot do that on this page.")
    text = "This changes only your view." if name in _VIEW_ACTIONS else _TEXTS.get(name, "Done.")
    return run(text, *actions)


def _action(request: str, *, page: Page) -> Action | None:
    for pattern, action, data in _FIXED_ACTIONS:
        if match(pattern, request):
            return action, data
    if found := match(_SORT, request):
        return "sort_rows", {"by": _sort_keys(found["keys"], page=page)}
    if found := match(_EXPORT, request):
        name = normalize(found["format"] or "csv")
        file_format = {"excel": "xlsx", "spreadsheet": "xlsx"}.get(name, name)
        return "export_table", {"format": file_format, "rows": "shown" if found["shown"] else "all"}
    if found := re.fullmatch(r"search(?: (?:the table|rows))?(?: for)? (?P<text>.{1,200})", request, re.IGNORECASE):
        return "search_table", {"text": unquote(found["text"])}
    if found := match(r"hide (?P<names>.+)", request):
        return "hide_columns", {"columns": _columns(found["names"], page=page)}
    if found := match(r"(?:show|unhide)(?: me)?(?P<only> only| just)? (?P<names>.+?)(?: again)?", request):
        try:
            names = _columns(found["names"], page=page)
        except Unclear:
            if re.search(r"\bcolumns?\b", request):
                raise
            return None
        return "show_columns", {"columns": names} | ({"only": True} if found["only"] else {})
    return None


def _sort_keys(text: str, *, page: Page) -> list[Json]:
    found = [match(_KEY, part.strip()) for part in _THEN.split(text)]
    keys = [(require_column(key["column"], page=page).name, key["down"]) for key in found if key]
    return [{"column": name, "descending": True} if down else {"column": name} for name, down in keys]


def _columns(text: str, *, page: Page) -> list[str]:
    names = split_list(re.sub(r"^(?:the )?columns? | columns?$", "", text, flags=re.IGNORECASE))
    return [require_column(name, page=page).name for name in ([text] if page.find_column(text) else names)]


def show_rows(turn: Turn) -> Reply | None:
    """Show some rows: by a filter of the view, or as a list in the answer to questions and of selected rows."""
    page = turn.page
    found = match(_SHOW, turn.request) if page.has_rows else None
    rows = read_rows_phrase(found["rows"], page=page) if found else None
    if found is None or rows is None or (rows.everything and not found["filters"]):
        return None
    by = _sort_keys(found["keys"], page=page) if found["keys"] else []
    if found["filters"] and not rows.selected and "filter_rows" in turn.actions:
        sort: tuple[Action, ...] = (("sort_rows", {"by": by}),) if by else ()
        return _run(turn, ("filter_rows", {"filter": rows.filter if rows.conditions else None}), *sort)
    params = {**rows.arguments(), "limit": MAX_LISTED}
    if by:
        params["sort"] = ",".join(f"{'-' if one.get('descending') else ''}{one['column']}" for one in by)
    answer = tool_result(turn, tool="get_rows", params=params)
    lines = [f"- {row_link(row, page=page, max_values=len(page.columns))}" for row in answer.get("rows") or []]
    total = answer.get("matching_rows", 0)
    lines += [f"- and {total - len(lines):,} more"] if total > len(lines) else []
    phrase = rows.description()
    return say(f"{total:,} {phrase}:\n\n" + "\n".join(lines) if lines else f"There are no {phrase}.")
