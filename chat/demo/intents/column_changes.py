"""Change the columns there are: rename, remove, move, another type, required or not; and the table's own name."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any

from chat.demo.intents.offers import offers_for
from chat.demo.intents.wanted import TYPE_WORDS
from chat.demo.knowledge.kinds import options_for
from chat.demo.language.words import and_list, key, shown, split_list, unquote
from chat.demo.meaning.assignments import named_column
from chat.demo.meaning.wording import no_column
from chat.demo.page import Column, Page
from chat.demo.reply import Reply, propose_schema, say
from chat.demo.request import Turn

Json = dict[str, Any]
_FLAGS = re.IGNORECASE | re.DOTALL
_TYPES = "|".join(sorted((re.escape(word) for word in TYPE_WORDS), key=len, reverse=True))
_RENAME = (
    re.compile(r"^(?:rename|relabel|retitle)\s+(?P<old>.+?)\s+(?:to|as|into|=>|->|→)\s+(?P<new>.+)$", _FLAGS),
    re.compile(
        r"^(?:change|set|update|edit)\s+(?:the\s+)?(?:name|title|heading|label)\s+of\s+(?P<old>.+?)\s+(?:to"
        r"|into)\s+(?P<new>.+)$",
        _FLAGS,
    ),
    re.compile(
        r"^(?:change|set)\s+(?P<old>.+?)(?:'s)?\s+(?:column )?(?:name|title|heading|label)\s+to\s+(?P<new>.+)$", _FLAGS
    ),
    re.compile(
        r"^call\s+(?P<old>(?:(?:the\s+)?(?:column|field)\s+)?\S.*?(?:\s+(?:column|field))?)"
        r"\s+(?P<new>\"[^\"]+\"|“[^”]+”|'[^']+'|\S+(?: \S+)??)(?:\s+instead)?$",
        _FLAGS,
    ),
    re.compile(
        r"^(?P<old>.+?)\s+(?:should|must|is to|needs to|ought to) be (?:called|named|renamed(?: to)?)\s+(?P<new>.+)$",
        _FLAGS,
    ),
    re.compile(r"^give\s+(?P<old>.+?)\s+the name\s+(?P<new>.+)$", _FLAGS),
)
_SET = re.compile(r"^(?:change|set|update|edit)\s+(?:the\s+)?(?P<column>.+?)\s+(?:in)?to\s", _FLAGS)
# Another wish after the new name.
_THEN = re.compile(
    r",?\s+(?:and|then)\s+(?:then\s+)?"
    r"(?P<step>(?:add|rename|delete|remove|move|make|set|change|fill|mark|clear|convert|turn)\s+.+)$",
    _FLAGS,
)
_REMOVE = re.compile(
    r"^(?:remove|delete|drop|get rid of|throw (?:out|away)|take out|eliminate|erase|cut|i (?:don't|do not) need"
    r"|we (?:don't|do not) need)\s+(?P<columns>.+)$",
    _FLAGS,
)
_TYPE = (
    re.compile(
        rf"^(?:make|turn|convert|change|switch|set|cast)\s+(?P<column>.+?)\s+(?:in)?(?:to\s+)?(?:be\s+)?"
        rf"(?:an?\s+)?(?P<type>{_TYPES})(?:\s+(?:columns?|fields?|type|values?))?(?P<rest>\s+with\s+.+)?$",
        _FLAGS,
    ),
    re.compile(
        rf"^(?:change|set|switch)\s+the\s+type\s+of\s+(?P<column>.+?)\s+(?:in)?to\s+(?:an?\s+)?"
        rf"(?P<type>{_TYPES})(?P<rest>\s+with\s+.+)?$",
        _FLAGS,
    ),
    re.compile(
        rf"^(?:change|set)\s+(?P<column>.+?)(?:'s)?\s+type\s+to\s+(?:an?\s+)?(?P<type>{_TYPES})"
        rf"(?P<rest>\s+with\s+.+)?$",
        _FLAGS,
    ),
    re.compile(
        rf"^(?P<column>.+?)\s+(?:should|must|needs to|has to|ought to)\s+be\s+(?:an?\s+)?(?P<type>{_TYPES})"
        rf"(?:\s+(?:column|field))?(?P<rest>\s+with\s+.+)?$",
        _FLAGS,
    ),
    re.compile(
        rf"^(?:treat|store|use|show)\s+(?P<column>.+?)\s+as\s+(?:an?\s+)?(?P<type>{_TYPES})s?(?P<rest>\s+with\s+.+)?$",
        _FLAGS,
    ),
)
_REQUIRED = re.compile(
    r"^(?:(?:make|mark|set)\s+(?P<a>.+?)\s+(?:as\s+|to\s+)?(?P<how>required|mandatory|optional|not required"
    r"|compulsory|obligatory)"
    r"|(?P<b>.+?)\s+(?:should|must|is to|needs to|has to|can)\s+(?P<how2>be (?:required|mandatory|optional"
    r"|empty|filled(?: in)?)|not be (?:empty|required|blank))"
    r"|(?P<how3>require)\s+(?P<c>.+))$",
    _FLAGS,
)
_MOVE = (
    re.compile(
        r"^(?:move|put|place|reorder|shift|bring|drag)\s+(?P<column>.+?)\s+(?P<way>after|before|behind|next to"
        r"|in front of|to the right of|to the left of)\s+(?P<other>.+)$",
        _FLAGS,
    ),
    re.compile(
        r"^(?:move|put|place|make|shift|bring|show)\s+(?P<column>.+?)\s+(?:the |as the |to the |at the |in the "
        r"|on the |to |as )?(?P<edge>first|start|beginning|front|left|last|end|back|right)(?: column| place| "
        r"position)?$",
        _FLAGS,
    ),
)
_TABLE = re.compile(r"^(?:the|this|my)?\s*(?:table|list)(?:'s name| name)?$|^(?:it|this)$", _FLAGS)
_STARTS = ("start", "first", "beginning", "front", "left")


def change_columns(turn: Turn) -> Reply | None:
    """A proposal in mode update for columns that are there."""
    if not turn.page.has_table:
        return None
    readers: tuple[Callable[..., Reply | None], ...] = (_rename, _required, _retype, _move, _remove)
    for reader in readers:
        reply = reader(turn, page=turn.page)
        if reply is not None:
            return reply
    return None


def updating(turn: Turn, *, says: str, operations: list[Json], **more: str) -> Reply:
    """The proposal with its sentence."""
    return propose_schema(says, {"mode": "update", "reasoning": says.split(". ")[0], **more, "operations": operations})


def _rename(turn: Turn, *, page: Page) -> Reply | None:
    found = next((hit for form in _RENAME if (hit := form.match(turn.wish))), None)
    if found is None:
        return None
    if (head := _SET.match(turn.wish)) and any(key(column.name) == key(head["column"]) for column in page.columns):
        # "Set Full name to Max" sets cells, although "name" could ask for a new name.
        return None
    then = _THEN.search(found["new"])
    new = unquote(found["new"][: then.start()] if then else found["new"]).strip(" .")[:255]
    more = {"next": then["step"][:1].upper() + then["step"][1:]} if then else {}
    if _TABLE.match(found["old"].strip()) or key(found["old"]) == key(page.table_name):
        return updating(turn, says=f"This renames the table to {shown(new)}.", operations=[], table_name=new, **more)
    column = named_column(found["old"], page=page)
    if column is None:
        if re.search(r"\b(?:column|field)\b", found["old"], _FLAGS) or turn.wish.casefold().startswith("rename"):
            return say(no_column(found["old"]), offers=offers_for(turn))
        return None
    taken = next((other for other in page.columns if key(other.name) == key(new) and other is not column), None)
    if taken is not None:
        return say(f"There is a column {shown(taken.name)} already.", offers=offers_for(turn))
    operation = {"action": "modify", "column_id": column.id, "changes": {"name": new}}
    return updating(
        turn,
        says=f"This renames {shown(column.name)} to {shown(new)}. Its values stay.",
        operations=[operation],
        **more,
    )


def _remove(turn: Turn, *, page: Page) -> Reply | None:
    found = _REMOVE.match(turn.wish)
    if found is None:
        return None
    said = re.sub(
        r"\s+(?:from|in|of) (?:the|this|my) (?:table|list)$|\s+any ?more$", "", found["columns"], flags=_FLAGS
    )
    says_column = re.search(r"\b(?:columns?|fields?)\b", said, _FLAGS) is not None
    if re.search(r"\b(?:where|rows?|ones|entries|records?|option)\b", said, _FLAGS):
        return None
    names = re.sub(r"^(?:the\s+)?(?:columns?|fields?)\s+|\s+(?:columns?|fields?)$", "", said, flags=_FLAGS)
    columns = [
        _exactly(item, page=page) if not says_column else named_column(item, page=page) for item in split_list(names)
    ]
    known = [column for column in columns if column is not None]
    if len(known) != len(columns) or not known:
        return say(no_column(names), offers=offers_for(turn)) if says_column else None
    if len(known) == len(page.columns):
        return say("A table keeps at least one column, so I cannot remove all of them.", offers=offers_for(turn))
    listed = and_list([shown(column.name) for column in known])
    return updating(
        turn,
        says=f"This removes {listed}. The values in {'it go' if len(known) == 1 else 'them go'} too, until it "
        f"is undone.",
        operations=[{"action": "remove", "column_id": column.id} for column in known],
    )


def _exactly(name: str, *, page: Page) -> Column | None:
    """Without the word "column" only a column's own name will do: "remove remote ones" is about rows."""
    text = re.sub(r"^(?:the|my|our)\s+", "", name.strip(), flags=_FLAGS)
    return next((column for column in page.columns if key(column.name) == key(text)), None)


def _retype(turn: Turn, *, page: Page) -> Reply | None:
    for form in _TYPE:
        found = form.match(turn.wish)
        column = named_column(found["column"], page=page) if found else None
        if found is None or column is None or column.option(found["type"]) is not None:
            continue
        kind = TYPE_WORDS[key(found["type"])]
        if kind == column.type:
            return say(f"{shown(column.name)} is a {kind} column already.", offers=offers_for(turn))
        changes: Json = {"type": kind}
        options = split_list(
            re.sub(r"^\s*with\s+(?:the )?(?:options?|values?)?:?\s*|\bor\b", ",", found["rest"] or "", flags=_FLAGS)
        )
        if kind == "select" and (options or not page.rows):
            changes["options"] = options or list(options_for(key(column.name)))
        says = (
            f"This makes {shown(column.name)} a {kind} column. Values that cannot be converted are listed "
            f"before anything is saved."
        )
        return updating(turn, says=says, operations=[{"action": "modify", "column_id": column.id, "changes": changes}])
    return None


def _required(turn: Turn, *, page: Page) -> Reply | None:
    found = _REQUIRED.match(turn.wish)
    column = named_column(found["a"] or found["b"] or found["c"], page=page) if found else None
    if found is None or column is None:
        return None
    how = (found["how"] or found["how2"] or found["how3"]).casefold()
    required = how not in ("optional", "not required", "be optional", "be empty", "not be required")
    if required == column.required:
        return say(
            f"{shown(column.name)} is {'required' if required else 'optional'} already.", offers=offers_for(turn)
        )
    operation = {"action": "modify", "column_id": column.id, "changes": {"required": required}}
    return updating(
        turn, says=f"This makes {shown(column.name)} {'required' if required else 'optional'}.", operations=[operation]
    )


def _move(turn: Turn, *, page: Page) -> Reply | None:
    beside = _MOVE[0].match(turn.wish)
    if beside:
        column, other = named_column(beside["column"], page=page), named_column(beside["other"], page=page)
        if column is None or other is None or column is other:
            return None
        before = beside["way"].casefold() in ("before", "in front of", "to the left of")
        rest = [each for each in page.columns if each is not column]
        at = rest.index(other)
        anchor = (rest[at - 1] if at else None) if before else other
        return _moved(turn, column=column, anchor=anchor, says=f"{'before' if before else 'after'} {shown(other.name)}")
    edge = _MOVE[1].match(turn.wish)
    column = named_column(edge["column"], page=page) if edge else None
    if edge is None or column is None:
        return None
    if edge["edge"].casefold() in _STARTS:
        return _moved(turn, column=column, anchor=None, says="to the start")
    rest = [each for each in page.columns if each is not column]
    return _moved(turn, column=column, anchor=rest[-1] if rest else None, says="to the end")


def _moved(turn: Turn, *, column: Column, anchor: Column | None, says: str) -> Reply:
    operation: Json = {"action": "reorder", "column_id": column.id}
    if anchor is not None:
        operation["after_column_id"] = anchor.id
    return updating(turn, says=f"This moves {shown(column.name)} {says}.", operations=[operation])
