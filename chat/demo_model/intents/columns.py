"""Proposals that change columns: add, rename, retype, require, move, remove, options; and the name of the table."""

import re
from dataclasses import dataclass, field
from typing import Any

from chat.demo_model.intents.questions import asked
from chat.demo_model.knowledge.kinds import TYPE_WORDS, TYPES, column, described, is_name, named, options_of
from chat.demo_model.page import Column, Page
from chat.demo_model.reading import existing
from chat.demo_model.reply import Reply, Unclear, propose_schema
from chat.demo_model.request import Turn
from chat.demo_model.text import and_list, key, match, shown, split_list, unquote

Json = dict[str, Any]
_REMOVE = r"(?:remove|delete|drop|leave out)(?: the)?"
_RENAME_TABLE = r"(?:rename|call)(?: the| this)? table(?: to| as)? (.+)"
_RENAME = r"(?:(?:rename|call)(?: the)?(?: column)?|change the name of) ((?!(?:the )?options? ).+?) (?:to|as|into) (.+)"
_RETYPE = (
    r"(?P<verb>make|turn|convert|change)(?: the)? (?P<column>.+?)(?: column)?(?: to| into| as)?(?P<article> an?)?"
    rf" (?P<type>{TYPE_WORDS})(?P<suffix> column| field)?(?:(?: with|:)(?: the)?(?: options)? (?P<options>.+))?"
)
_REQUIRE = r"(?:make|mark|set)(?: the)? (?P<column>.+?)(?: column)?(?: as)? (?P<what>required|mandatory|optional)"
_MOVE = (
    r"(?:move|put|place)(?: the)? (?P<column>.+?)(?: column)? (?:(?P<place>after|before)(?: the)? (?P<there>.+)"
    r"|(?:(?:to|at) )?(?:the )?(?:(?P<first>start|front|beginning|first)|end|last))"
)
_NEW_OPTION = (
    r"add(?: the| an?| options?)* (.+?) (?:to|as an? options? (?:to|of|for))(?: the)? (.+?)(?: options| column)?"
)
_ADD = r"(?:add|create|insert|i need|new|make) (.*\bcolumns?\b.*)"
_FILL = r"(.+?),? and (?:then )?fill (?:it|them)(?: in)? (?:from|with|by|using|based on)(?: the)? (.+)"
_PLACE = (
    r"(?P<what>.*\bcolumns?\b.*?) (?P<where>after|before) (?:the )?(?P<column>[^,:]+?)(?: column)?"
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
    """What a proposal does in words, its operations, and other fields of it."""

    said: str
    operations: list[Json]
    more: Json = field(default_factory=dict)


def change_columns(turn: Turn) -> Reply | None:
    """Propose what a request changes in the columns of the open table."""
    change = read_change(turn.wish, page=turn.page) if turn.page.columns else None
    if change is None:
        return None
    said, steps, more = change.said, change.operations, change.more
    if turn.opened and turn.opened.get("type") == "schema_proposal":
        opened = asked(turn, tool="get_payload", given={"payload_id": turn.opened["id"]}).get("data") or {}
        before = opened.get("operations") or []
        if opened.get("mode") != "update" or _names(before) & _names(steps):
            raise Unclear("That does not fit the open proposal. Apply or dismiss it first.")
        said, steps = f"{said}, beside what is proposed already", [*before, *steps]
        more = {name: opened[name] for name in ("table_name", "table_description", "next") if name in opened} | more
    return propose_schema(f"I propose to {said}.", steps, mode="update", **more)


def _names(operations: list[Json]) -> set[str]:
    known = [(one.get("column") or one.get("changes") or {}) | one for one in operations]
    return {key(str(one[name])) for one in known for name in ("column_id", "after_column_id", "name") if one.get(name)}


def read_change(wish: str, *, page: Page) -> Change | None:
    """Return the change of columns that a request asks for, or None. Raises Unclear."""
    if found := match(_RENAME_TABLE, wish):
        return Change(f"rename the table to {shown(_name(found[1]))}", [], {"table_name": _name(found[1])})
    if found := match(_RENAME, wish):
        one, name = existing(found[1], page=page), _name(found[2])
        return Change(f"rename {shown(one.name)} to {shown(name)}", _modify(one, name=name))
    if found := match(rf"{_REMOVE} options? (.+?) (?:from|of|in) (.+)", wish):
        one = existing(found[2], page=page)
        options = [option for option in one.options if option != one.option(found[1])]
        if len(options) == len(one.options):
            raise Unclear(f"{shown(found[1])} is no option of {shown(one.name)}.")
        return Change(f"remove {shown(found[1])} from the options of {shown(one.name)}", _modify(one, options=options))
    if found := match(rf"{_REMOVE} (?!the )(?:columns? (.+)|(.+?) columns?)", wish):
        columns = [existing(name, page=page) for name in split_list(found[1] or found[2])]
        said = f"remove {and_list([shown(one.name) for one in columns])}, with all values"
        return Change(said, [{"action": "remove", "column_id": one.id} for one in columns])
    if (found := match(_RETYPE, wish)) and (column_ := page.column(found["column"])):
        kind = TYPES[key(found["type"])]
        says_type = found["article"] or found["suffix"] or found["verb"].lower() in ("convert", "turn")
        if says_type and (kind == "select" or not found["options"]):
            more = {"options": list(options_of(found["options"]))} if found["options"] else {}
            return Change(f"make {shown(column_.name)} a {kind} column", _modify(column_, type=kind, **more))
    if found := match(_REQUIRE, wish):
        one, required = existing(found["column"], page=page), key(found["what"]) != "optional"
        return Change(f"make {shown(one.name)} {key(found['what'])}", _modify(one, required=required))
    if (found := match(_MOVE, wish)) and (column_ := page.column(found["column"])):
        after = "" if found["first"] else page.columns[-1].id
        where = "to the start" if found["first"] else "to the end"
        if found["there"]:
            there = existing(found["there"], page=page)
            after, where = _before(found["place"], there, page=page), f"{key(found['place'])} {shown(there.name)}"
        step = {"action": "reorder", "column_id": column_.id} | ({"after_column_id": after} if after else {})
        return Change(f"move {shown(column_.name)} {where}", [step])
    if found := match(_ADD, wish):
        return _added(found[1], page=page)
    if (found := match(_NEW_OPTION, wish)) and (column_ := page.column(found[2])) and column_.type == "select":
        names = [name for name in map(_name, split_list(found[1])) if column_.option(name) is None]
        if not names:
            raise Unclear(f"{shown(column_.name)} has that option already.")
        said = f"add {and_list([shown(name) for name in names])} to the options of {shown(column_.name)}"
        return Change(said, _modify(column_, options=[*column_.options, *names]))
    return None


def _name(text: str) -> str:
    if not is_name(text):
        raise Unclear(f"Is “{shown(text)}” the new name? Please write it in quotation marks.")
    return unquote(text)


def _modify(one: Column, **changes: Any) -> list[Json]:
    return [{"action": "modify", "column_id": one.id, "changes": changes}]


def _before(where: str, there: Column, *, page: Page) -> str:
    """Return the id of the column after which something comes that is said to be before or after `there`."""
    at = page.columns.index(there)
    return there.id if key(where) == "after" else page.columns[at - 1].id if at else ""


def _added(what: str, *, page: Page) -> Change | None:
    after, first = "", False
    if filling := match(_FILL, what):
        what, source = filling[1], existing(filling[2], page=page)
    if placed := match(_PLACE, what):
        after = _before(placed["where"], existing(placed["column"], page=page), page=page)
        what, first = placed["what"] + (placed["rest"] or ""), not after
    clauses = re.split(r",? and (?=(?:an?|another) (?:[^,]+ )?column\b)", what, flags=re.IGNORECASE)
    columns = [one for clause in clauses for one in _described(clause)]
    if taken := next((one["name"] for one in columns if page.column(one["name"])), ""):
        raise Unclear(f"There is a column {shown(taken)} already.")
    place = {"after_column_id": after} if after else {}
    operations: list[Json] = [{"action": "add", "column": one, **place} for one in columns]
    operations += [{"action": "reorder", "column_id": one["name"]} for one in reversed(columns) if first]
    said = "add " + and_list([f"{shown(one['name'])} ({one['type']})" for one in columns])
    if not columns or not filling:
        return Change(said, operations) if columns else None
    step = {"next": f"Fill {columns[0]['name']} from the {source.name.casefold()}"}
    return Change(f"{said}, and then to fill it from {shown(source.name)}", operations, step)


def _described(clause: str) -> list[Json]:
    """Return the columns that "a Priority column with High, Low" or "columns for phone and email" describes."""
    if several := match(_SEVERAL, clause):
        made = [described(name) for name in split_list(several["after"] or several["before"])]
        return [one for one in made if one] if None not in made else []
    for form in _FORMS:
        found = match(form, clause)
        if found is None or not (is_name(found["name"]) or found["name"].endswith(")")):
            continue
        kind = TYPES[key(found["type"])] if found["type"] else ""
        options = options_of(found["options"]) if found["options"] else ()
        if len(options) == 1 or not all(map(is_name, options)) or (options and kind not in ("", "select")):
            return []
        one = column(named(found["name"]), kind=kind, options=options) if options or kind else described(found["name"])
        return [one] if one else []
    return []
