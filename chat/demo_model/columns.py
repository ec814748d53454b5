"""Proposals that change columns: add, rename, retype, require, move, remove, options; and the name of the table."""

import re
from dataclasses import dataclass, field
from typing import Any

from chat.demo_model.column_formats import MONEY, describe_type, read_currency, read_format, require_currency
from chat.demo_model.column_guesses import (
    KINDS,
    TYPE_WORDS,
    TYPES_WITH_OPTIONS,
    column_title,
    is_new_name,
    named_column,
    new_column,
    parse_column,
    parse_options,
)
from chat.demo_model.english import display, join_and, match, normalize, split_list, unquote
from chat.demo_model.parser import require_column
from chat.demo_model.questions import tool_result
from chat.demo_model.reply import Reply, Unclear, propose_schema
from chat.demo_model.request import Column, Page, Turn

Json = dict[str, Any]
_REMOVE = r"(?:remove|delete|drop|leave out)(?: the)?"
_RENAME_TABLE = r"(?:rename|call)(?: the| this)? table(?: to| as)? (.+)"
_RENAME = r"(?:(?:rename|call)(?: the)?(?: column)?|change the name of) ((?!(?:the )?options? ).+?) (?:to|as|into) (.+)"
_RETYPE = (
    r"(?P<verb>make|turn|convert|change)(?: the)? (?P<column>.+?)(?: column)?(?: to| into| as)?(?P<article> an?)?"
    rf" (?P<type>{TYPE_WORDS})(?P<suffix> column| field)?(?: in (?P<currency>[a-z ]+))?"
    r"(?:(?: with|:)(?: the)?(?: options)? (?P<options>.+))?"
)
_REQUIRE = r"(?:make|mark|set)(?: the)? (?P<column>.+?)(?: column)?(?: as)? (?P<what>required|mandatory|optional)"
_MOVE = (
    r"(?:move|put|place)(?: the)? (?P<column>.+?)(?: column)? (?:(?P<side>after|before)(?: the)? (?P<target>.+)"
    r"|(?:(?:to|at) )?(?:the )?(?:(?P<first>start|front|beginning|first)|end|last))"
)
# After a new column, in place of a word for its type before it.
_WITH_FORMAT = r"(?P<column>.+ columns?.*?),? (?:with|as|in|for)(?: an?)? (?P<format>[^,:]+)"
_FORMAT = r"(?:show|format|display)(?: the)? (?P<column>.+?)(?: column)? (?:as|in|with) (?P<format>.+)"
_FORMAT_OF = (
    r"(?:change|set|switch)(?: the)? (?P<what>format|currency) of(?: the)? (?P<column>.+?)(?: column)? (?:to|as)"
    r" (?P<format>.+)"
)
_NEW_OPTION = (
    r"add(?: the| an?| options?)* (.+?) (?:to|as an? options? (?:to|of|for))(?: the)? (.+?)(?: options| column)?"
)
_ADD = r"(?:add|create|insert|i need|new|make) (.*\bcolumns?\b.*)"
_FILL = r"(.+?),? and (?:then )?fill (?:it|them)(?: in)? (?:from|with|by|using|based on)(?: the)? (.+)"
_PLACE = (
    r"(?P<what>.*\bcolumns?\b.*?) (?P<side>after|before) (?:the )?(?P<column>[^,:]+?)(?: column)?"
    r"(?P<rest>,? with .*|: .*)?"
)
_OPTIONS = r"(?:(?:,? with|:|,? having|,? of)(?: the)?(?: options| values| choices)?:? (?P<options>.+))?"
_NEW = r"(?:an?|the|another|new)? ?(?:new )?"
_FORMS = (
    rf"{_NEW}(?P<name>.+?)(?: (?P<type>{TYPE_WORDS}))? column{_OPTIONS}",
    rf"{_NEW}(?:(?P<type>{TYPE_WORDS}) )?column (?:for |called |named )?(?:the )?(?P<name>.+?){_OPTIONS}",
)
_SEVERAL = r"(?:the )?columns (?:for |called |named )?(?P<after>.+)|(?P<before>.+?) columns"


@dataclass
class Change:
    """A change of columns: a summary, the operations of its proposal, and further fields of that."""

    summary: str
    operations: list[Json]
    more: Json = field(default_factory=dict)


def change_columns(turn: Turn) -> Reply | None:
    """Propose a requested change of the columns of the open table, added to an open proposal."""
    change = read_change(turn.request, page=turn.page) if turn.page.columns else None
    if change is None:
        return None
    summary, steps, more = change.summary, change.operations, change.more
    if turn.open_proposal and turn.open_proposal.get("type") == "schema_proposal":
        payload = tool_result(turn, tool="get_payload", params={"payload_id": turn.open_proposal["id"]})
        data = payload.get("data") or {}
        before = data.get("operations") or []
        if data.get("mode") != "update" or _names_in(before) & _names_in(steps):
            raise Unclear("That does not fit the open proposal. Apply or dismiss it first.")
        summary, steps = f"{summary}, in addition to the open proposal", [*before, *steps]
        more = {name: data[name] for name in ("table_name", "table_description", "next") if name in data} | more
    return propose_schema(f"I propose to {summary}.", steps, mode="update", **more)


def _names_in(operations: list[Json]) -> set[str]:
    fields = [(one.get("column") or one.get("changes") or {}) | one for one in operations]
    keys = ("column_id", "after_column_id", "name")
    return {normalize(str(one[key])) for one in fields for key in keys if one.get(key)}


def read_change(request: str, *, page: Page) -> Change | None:
    """Return the change of columns in a request, or None. Raises Unclear."""
    if found := match(_RENAME_TABLE, request):
        return Change(f"rename the table to {display(_new_name(found[1]))}", [], {"table_name": _new_name(found[1])})
    if found := match(_RENAME, request):
        one, name = require_column(found[1], page=page), _new_name(found[2])
        return Change(f"rename {display(one.name)} to {display(name)}", _modify(one, name=name))
    if found := match(rf"{_REMOVE} options? (.+?) (?:from|of|in) (.+)", request):
        one = require_column(found[2], page=page)
        options = [option for option in one.options if option != one.option(found[1])]
        if len(options) == len(one.options):
            raise Unclear(f"{display(found[1])} is not an option of {display(one.name)}.")
        summary = f"remove {display(found[1])} from the options of {display(one.name)}"
        return Change(summary, _modify(one, options=options))
    if found := match(rf"{_REMOVE} (?!the )(?:columns? (.+)|(.+?) columns?)", request):
        columns = [require_column(name, page=page) for name in split_list(found[1] or found[2])]
        summary = f"remove {join_and([display(one.name) for one in columns])}, with all values"
        return Change(summary, [{"action": "remove", "column_id": one.id} for one in columns])
    if change := _change_type(request, page=page) or _change_format(request, page=page):
        return change
    if found := match(_REQUIRE, request):
        one, required = require_column(found["column"], page=page), normalize(found["what"]) != "optional"
        return Change(f"make {display(one.name)} {normalize(found['what'])}", _modify(one, required=required))
    if (found := match(_MOVE, request)) and (column_ := page.find_column(found["column"])):
        after = "" if found["first"] else page.columns[-1].id
        where = "to the start" if found["first"] else "to the end"
        if found["target"]:
            target = require_column(found["target"], page=page)
            after = _preceding_id(found["side"], target, page=page)
            where = f"{normalize(found['side'])} {display(target.name)}"
        step = {"action": "reorder", "column_id": column_.id} | ({"after_column_id": after} if after else {})
        return Change(f"move {display(column_.name)} {where}", [step])
    if found := match(_ADD, request):
        return _parse_addition(found[1], page=page)
    if (found := match(_NEW_OPTION, request)) and (column_ := page.find_column(found[2])) and column_.type == "select":
        names = [name for name in map(_new_name, split_list(found[1])) if column_.option(name) is None]
        if not names:
            raise Unclear(f"{display(column_.name)} already has that option.")
        summary = f"add {join_and([display(name) for name in names])} to the options of {display(column_.name)}"
        return Change(summary, _modify(column_, options=[*column_.options, *names]))
    return None


def _change_type(request: str, *, page: Page) -> Change | None:
    """Return the change of a type ("make Notes a select column with Good, Bad"), or None."""
    found = match(_RETYPE, request)
    one = page.find_column(found["column"]) if found else None
    if found is None or one is None:
        return None
    kind = _fields(KINDS[normalize(found["type"])])
    is_type_change = found["article"] or found["suffix"] or found["verb"].lower() in ("convert", "turn")
    has_unused = (found["options"] and kind["type"] not in TYPES_WITH_OPTIONS) or (
        found["currency"] and kind.get("format") != MONEY["format"]
    )
    if not is_type_change or has_unused:
        return None
    kind |= {"options": list(parse_options(found["options"]))} if found["options"] else {}
    kind |= {"currency": read_currency(found["currency"])} if found["currency"] else {}
    require_currency(kind, name=display(one.name), known=one.definition)
    in_currency = f" in {kind['currency']}" if "currency" in kind else ""
    summary = f"make {display(one.name)} a {normalize(found['type'])} column{in_currency}"
    return Change(summary, _modify(one, **kind))


def _change_format(request: str, *, page: Page) -> Change | None:
    """Return the change of a format ("show Salary in euros", "change the format of Salary to percent"), or None."""
    found = match(_FORMAT_OF, request)
    if found:
        one: Column | None = require_column(found["column"], page=page)
    else:
        found = match(_FORMAT, request)
        one = page.find_column(found["column"]) if found else None
    if found is None or one is None:
        return None
    if found.groupdict().get("what", "").lower() == "currency":
        code = read_currency(found["format"])
        settings = MONEY | {"currency": code} if code else None
    else:
        settings = read_format(found["format"])
    if settings is None and "what" in found.groupdict():
        name = display(found["format"])
        raise Unclear(f"I do not know the format {name}. Formats are “currency in EUR”, “percent” or “rating”.")
    if settings is None:
        return None
    require_currency(settings, name=display(one.name), known=one.definition)
    fields = _fields(settings)
    return Change(f"show {display(one.name)} as {describe_type(fields)}", _modify(one, **fields))


def _new_name(text: str) -> str:
    if not is_new_name(text):
        raise Unclear(f"Is “{display(text)}” the new name? Please write it in quotation marks.")
    return unquote(text)


def _fields(kind: Json) -> Json:
    """Return the fields of a column definition with this type and format."""
    return {"type" if name == "kind" else name: value for name, value in kind.items()}


def _modify(one: Column, **changes: Any) -> list[Json]:
    return [{"action": "modify", "column_id": one.id, "changes": changes}]


def _preceding_id(side: str, target: Column, *, page: Page) -> str:
    """Return the id of the column that precedes the position before or after `target`, "" for the start."""
    at = page.columns.index(target)
    return target.id if normalize(side) == "after" else page.columns[at - 1].id if at else ""


def _parse_addition(what: str, *, page: Page) -> Change | None:
    after, first = "", False
    if filling := match(_FILL, what):
        what, source = filling[1], require_column(filling[2], page=page)
    if placed := match(_PLACE, what):
        after = _preceding_id(placed["side"], require_column(placed["column"], page=page), page=page)
        what, first = placed["what"] + (placed["rest"] or ""), not after
    clauses = re.split(r",? and (?=(?:an?|another) (?:[^,]+ )?column\b)", what, flags=re.IGNORECASE)
    columns = [one for clause in clauses for one in _parse_columns(clause)]
    if taken := next((one["name"] for one in columns if page.find_column(one["name"])), ""):
        raise Unclear(f"A column {display(taken)} already exists.")
    for one in columns:
        require_currency(one, name=display(one["name"]), known={})
    position = {"after_column_id": after} if after else {}
    operations: list[Json] = [{"action": "add", "column": one, **position} for one in columns]
    operations += [{"action": "reorder", "column_id": one["name"]} for one in reversed(columns) if first]
    summary = "add " + join_and([f"{display(one['name'])} ({describe_type(one)})" for one in columns])
    if not columns or not filling:
        return Change(summary, operations) if columns else None
    step = {"next": f"Fill {columns[0]['name']} from the {source.name.casefold()}"}
    return Change(f"{summary}, and then to fill it from {display(source.name)}", operations, step)


def _parse_columns(clause: str) -> list[Json]:
    """Return the columns in "a Priority column with High, Low" or "columns for phone and email", [] if unclear."""
    if several := match(_SEVERAL, clause):
        parsed = [parse_column(name) for name in split_list(several["after"] or several["before"])]
        return [one for one in parsed if one] if None not in parsed else []
    if formatted := match(_WITH_FORMAT, clause):
        settings = read_format(formatted["format"]) or {}
        if not settings and re.search(r"\b(?:currency|money)\b", clause, re.IGNORECASE):
            currency = read_currency(formatted["format"])
            settings = MONEY | {"currency": currency} if currency else {}
        if settings and len(columns := _parse_columns(formatted["column"])) == 1:
            return [new_column(columns[0]["name"], **settings)]
    for form in _FORMS:
        found = match(form, clause)
        if found is None or not (is_new_name(found["name"]) or found["name"].endswith(")")):
            continue
        kind = KINDS[normalize(found["type"])] if found["type"] else {}
        options = parse_options(found["options"]) if found["options"] else ()
        if len(options) == 1 or not all(map(is_new_name, options)) or (
            options and kind and kind["kind"] not in TYPES_WITH_OPTIONS
        ):
            return []
        if form is _FORMS[0] and not options and (named := named_column(found["name"], word=found["type"] or "")):
            return [named]
        if options or kind:
            return [new_column(column_title(found["name"]), options=options, **kind)]
        one = parse_column(found["name"])
        return [one] if one else []
    return []
