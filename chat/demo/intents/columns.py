"""Add columns: "add a Priority column after Status with High, Medium, Low"."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field, replace
from typing import Any

from chat.demo.intents.column_changes import change_columns
from chat.demo.intents.offers import offers_for
from chat.demo.intents.options import change_options
from chat.demo.intents.wanted import TYPE_WORDS, Wanted, options_of, read_columns
from chat.demo.knowledge.domains import GENERIC, find_domain
from chat.demo.knowledge.kinds import Kind, is_identifier
from chat.demo.language.words import and_list, key, shown, unquote
from chat.demo.meaning.assignments import named_column, names_columns
from chat.demo.meaning.wording import no_column
from chat.demo.page import Column, Page
from chat.demo.reply import Reply, propose_schema, say
from chat.demo.request import Turn

Json = dict[str, Any]
_FLAGS = re.IGNORECASE | re.DOTALL
_VERB = (
    r"(?:add|insert|create|make|append|include|introduce|put in|i need|we need|i want|need|give me|new|also add|set up)"
)
_MARKER = "SCHEMA_PROPOSAL: "
_COLUMN = r"(?:columns?|fields?)"
_TYPES = "|".join(sorted((re.escape(word) for word in TYPE_WORDS), key=len, reverse=True))
_FORMS = tuple(
    re.compile(form, _FLAGS)
    for form in (
        rf"^{_VERB}\s+(?:me\s+)?(?:(?:an?|one|another|the|some|these|two|three|\d)\s+)?(?:new\s+|extra\s+|additional\s+"
        rf"|more\s+|required\s+)*(?:(?P<type>{_TYPES})\s+)?{_COLUMN}\s*"
        rf"(?:named|called|titled|for|to (?:track|hold|store|note|record)|with the name|:|–|-)?\s*(?P<names>.+)$",
        rf"^{_VERB}\s+(?:me\s+)?(?:(?:an?|one|another|the|some)\s+)?(?:new\s+|extra\s+|additional\s+)*"
        rf"(?P<names>.+?)\s+(?:as (?:an?\s+)?(?:new\s+)?)?{_COLUMN}\b(?P<rest>.*)$",
        rf"^{_VERB}\s+(?P<loose>.+?)\s+(?:to|in) (?:the |this |my )?(?:table|columns)(?P<rest>.*)$",
    )
)
_BY_PLACE = re.compile(
    r"^(?:add|insert|create|include)\s+(?:an?\s+|the\s+)?(?P<names>[^,]+?)(?P<rest>\s+(?:right |directly |just "
    r")?(?:after|before|behind|next to)\s+.+)$",
    _FLAGS,
)
_PLACE = re.compile(
    r"\s*,?\s*\b(?:right |directly |just |immediately |placed |put it )?(?P<way>after|before|behind|following"
    r"|next to|in front of|to the right of|to the left of)\s+"
    r"(?:the\s+)?(?P<column>.+?)(?:\s+column)?(?=\s*(?:,|\bwith\b|\band fill\b|\bthat\b|\busing\b|\bhaving\b"
    r"|\bcalled\b|\bnamed\b|\bfor\b|\(|:|$))",
    _FLAGS,
)
_EDGE = re.compile(
    r"\s*,?\s*\b(?:at|to|as|in|on) the (?:very )?(?P<edge>start|beginning|front|left|first place|end|right|back"
    r"|last place)(?: of (?:the|this) table)?\b|\s+(?:as (?:the )?)?(?P<order>first|last)(?: column)?(?=\0|$)",
    _FLAGS,
)
_OPTIONS = re.compile(
    r"\s*,?\s*\b(?:with|having|using|that (?:can be|is|takes|has)|which (?:can be|is)|being|either|values?"
    r"|options?|choices?)\b(?:\s+(?:the\s+)?(?:options?|values?|choices?|either|one of|be))*\s*:?\s+"
    r"(?P<options>.+)$",
    _FLAGS,
)
_TYPE = re.compile(
    rf"\s*,?\s*\b(?:as|of type|with type|type|which is|that is|being|\()\s*(?:an?\s+)?(?P<type>{_TYPES})(?:\s+"
    rf"(?:column|field|type))?\)?(?=\W|$)",
    _FLAGS,
)
_REQUIRED = re.compile(
    r"\s*,?\s*\b(?:that is |which is |and make it |make it |as )?(?:required|mandatory|must be filled(?: in)?)\b",
    _FLAGS,
)
_NEXT = re.compile(
    r"\s*,?\s*\b(?:and|then|,)\s+(?P<next>(?:then\s+)?(?:fill|set|populate|complete|compute|work out)\b.+)$", _FLAGS
)
_DEFAULT = re.compile(
    r"\s*,?\s*\b(?:with\s+(?:a\s+)?default(?:\s+(?:value|of))*|defaulting to|default(?:s to)?)\s*:?\s*"
    r"(?P<value>[^,]+)$",
    _FLAGS,
)
# "… with High, Medium, Low and a column Link": one more column, not one more option.
_ALSO = re.compile(
    rf"\s*,?\s+(?:and|plus|as well as)\s+(?:also\s+)?(?:add\s+)?"
    rf"(?P<column>(?:an?|another|one(?: more)?)\s+(?:new\s+)?(?:(?:{_TYPES})\s+)?"
    rf"(?:{_COLUMN}\b\s*\S.*|[^,]+?\s+{_COLUMN}\b.*))$",
    _FLAGS,
)
_USUAL = re.compile(r"\b(?:notes?|comments?|location|phone|e-?mail|url|link|tags?|number|id|code|remarks?|details?)\b")


@dataclass
class Wish:
    """The columns somebody wants, and where."""

    columns: list[Wanted]
    after: Column | None = None
    first: bool = False
    required: bool = False
    next: str = ""
    fault: str = ""
    default: str = field(default="")


def add_columns(turn: Turn) -> Reply | None:
    """A proposal in mode update that adds columns."""
    page = turn.page
    if not page.has_table:
        return None
    if (also := _ALSO.search(turn.wish)) and (reply := _beside_change(turn, also=also)):
        return reply
    wish = _read(turn.wish, page=page)
    if wish is None:
        return None
    if wish.fault:
        return say(wish.fault, offers=offers_for(turn))
    domain = find_domain(page.table_name) or GENERIC
    kinds: list[Kind] = []
    for column in wish.columns:
        kind = column.kind(domain=domain)
        if any(key(kind.name) == key(there.name) for there in page.columns):
            return say(f"There is a column {shown(kind.name)} already.", offers=offers_for(turn))
        if all(key(kind.name) != key(other.name) for other in kinds):
            kinds.append(replace(kind, required=wish.required))
    return _propose(turn, kinds=kinds, wish=wish)


def _beside_change(turn: Turn, *, also: re.Match[str]) -> Reply | None:
    """One proposal for a change of a column that is there and a column beside it; None where either cannot be read."""
    before = replace(turn, wish=turn.wish[: also.start()])
    change = None if _read(before.wish, page=turn.page) else change_options(before) or change_columns(before)
    added = add_columns(replace(turn, wish=f"add {also['column']}")) if change else None
    proposals = [reply.element.partition(_MARKER)[2] for reply in (change, added) if reply]
    if change is None or added is None or not all(proposals):
        return None
    first, second = (json.loads(proposal) for proposal in proposals)
    operations = [*first["operations"], *second["operations"]]
    reasoning = f"{first['reasoning'].rstrip('.')}. {second['reasoning']}"
    merged = second | first | {"operations": operations, "reasoning": reasoning}
    return propose_schema(f"{change.text} {added.text}", merged)


def _propose(turn: Turn, *, kinds: list[Kind], wish: Wish) -> Reply:
    operations: list[Json] = []
    for kind in kinds:
        column = kind.as_column() | (
            {"default": wish.default} if wish.default and kind.type in ("text", "select") else {}
        )
        operation: Json = {"action": "add", "column": column}
        if wish.after is not None:
            operation["after_column_id"] = wish.after.id
        operations.append(operation)
    if wish.first:
        operations += [{"action": "reorder", "column_id": kind.name} for kind in reversed(kinds)]
    names = and_list([f"{shown(kind.name)} ({kind.type})" for kind in kinds])
    place = f" after {shown(wish.after.name)}" if wish.after else " at the start" if wish.first else ""
    proposal: Json = {
        "mode": "update",
        "reasoning": f"Add {names}{place}",
        "operations": operations,
    }
    copies = bool(wish.next) and kinds[0].type != "select" and _copies(wish.next, page=turn.page)
    if wish.next and not copies:
        proposal["next"] = wish.next[:1].upper() + wish.next[1:]
    what = "a column" if len(kinds) == 1 else f"{len(kinds)} columns"
    rest = " I cannot fill it from other columns." if copies else ""
    return propose_schema(
        f"This adds {what}{place}: {names}. The rows that are there stay as they are.{rest}", proposal
    )


def _copies(step: str, *, page: Page) -> bool:
    """Whether a next step fills a column from others, which is only done for select columns."""
    found = re.search(r"\s(?:with|from|by|using|to)\s+(?:the\s+)?(?P<source>.+)$", step, _FLAGS)
    return found is not None and names_columns(found["source"], page=page)


def _read(text: str, *, page: Page) -> Wish | None:
    by_place = _BY_PLACE.match(text)
    if (
        by_place
        and not re.search(rf"\b{_COLUMN}\b", by_place["names"], _FLAGS)
        and (place := _PLACE.search(by_place["rest"]))
        and named_column(place["column"], page=page)
    ):
        return _wish(by_place["names"], rest=by_place["rest"], kind="", page=page)
    if re.match(
        rf"^{_VERB}\s+(?:(?:an?|another|some|one)\s+)?(?:new\s+|more\s+)*(?:(?:{_TYPES})\s+)?{_COLUMN}$", text, _FLAGS
    ):
        return Wish(columns=[], fault="Tell me what the column is to be called, and I will propose it.")
    if (also := _ALSO.search(text)) and (wishes := _each(text, also=also, page=page)):
        return wishes
    for form in _FORMS:
        found = form.match(text)
        if found is None:
            continue
        parts = found.groupdict()
        if "loose" in parts:
            # "add Acme to the table" is a row; only what usually heads a column is taken for one.
            if not all(is_usual(column) for column in read_columns(parts["loose"])):
                return None
            parts["names"] = parts["loose"]
        if re.search(
            r"\b(?:rows?|samples?|examples?|entries|records?|option|choice)\b",
            parts["names"].split(" with ")[0],
            _FLAGS,
        ):
            return None
        wish = _wish(parts["names"], rest=parts.get("rest") or "", kind=parts.get("type") or "", page=page)
        if wish and re.search(r"\b(?:required|mandatory)\b", text[: text.find(parts["names"])], _FLAGS):
            wish.required = True
        return wish
    return None


def _each(text: str, *, also: re.Match[str], page: Page) -> Wish | None:
    """The wish for a column and for one more after its options; None where either cannot be read by itself."""
    first = _read(text[: also.start()], page=page)
    second = _read(f"add {also['column']}", page=page)
    if first is None or second is None:
        return None
    if first.fault or second.fault:
        return first if first.fault else second
    if second.after or second.first or second.required or second.default or first.required or first.default:
        return Wish(columns=[], fault="Tell me these columns one at a time, and I will propose each.")
    return replace(first, columns=[*first.columns, *second.columns], next=first.next or second.next)


def is_usual(column: Wanted) -> bool:
    """Whether a word is the name of a usual column rather than of a thing."""
    kind = column.kind(domain=GENERIC)
    return kind.type != "text" or is_identifier(column.name) or bool(_USUAL.search(key(column.name)))


def _wish(names: str, *, rest: str, kind: str, page: Page) -> Wish | None:
    text = f"{names}\0{rest}"
    then, text = _take(_NEXT, text)
    place, text = _take(_PLACE, text)
    edge, text = _take(_EDGE, text)
    required, text = _take(_REQUIRED, text)
    default, text = _take(_DEFAULT, text)
    typed, text = _take(_TYPE, text)
    listed, text = _take(_OPTIONS, text)
    names, _, after = text.partition("\0")
    names, after = names.strip(" ,:-"), after.strip(" ,:-.")
    after = re.sub(r"^(?:named|called|titled|for)\s+", "", after, flags=_FLAGS)
    if after and not listed:
        listed_text = after.strip("()") if re.search(r"[,/]| or | and ", after) else ""
        names = names if listed_text else after or names
    else:
        listed_text = (listed["options"].replace("\0", " ") if listed else "").strip()
    if found := re.match(
        r"^(?P<name>.+)\s+(?P<type>select|dropdown|drop-down|checkbox|boolean|yes/no)$", names, _FLAGS
    ):
        names, kind = found["name"], found["type"]
    names = re.sub(r"^(?:named|called|titled|for)\s+", "", names, flags=_FLAGS)
    if not listed_text and (said := re.match(r"^(?P<name>[^:,]+):\s*(?P<options>[^:]+)$", names)):
        names, listed_text = said["name"], said["options"]
    columns = _columns(names, kind=(typed["type"] if typed else kind), listed=listed_text)
    if not columns:
        return None
    wish = Wish(columns=columns, required=required is not None)
    if then and len(columns) == 1:
        wish.next = re.sub(r"\b(?:it|this|that)\b", columns[0].name, then["next"].replace("\0", " "), count=1)
    wish.default = unquote(default["value"].replace("\0", " ")) if default else ""
    return _placed(wish, place=place, edge=edge, page=page)


def _take(pattern: re.Pattern[str], text: str) -> tuple[re.Match[str] | None, str]:
    """What a pattern finds, and the text without it."""
    found = pattern.search(text)
    return (
        (found, text[: found.start()] + ("\0" if "\0" in found[0] else "") + text[found.end() :])
        if found
        else (None, text)
    )


def _columns(names: str, *, kind: str, listed: str) -> list[Wanted]:
    columns = read_columns(names)
    if len(columns) == 1:
        if type_ := TYPE_WORDS.get(key(kind)):
            columns = [replace(columns[0], type=type_)]
        options = options_of(listed)
        if TYPE_WORDS.get(key(listed.removeprefix("a "))) == "boolean":
            columns = [replace(columns[0], type="boolean")]
        elif len(options) > 1:
            columns = [replace(columns[0], options=options)]
    return columns


def _placed(wish: Wish, *, place: re.Match[str] | None, edge: re.Match[str] | None, page: Page) -> Wish:
    if edge is not None:
        wish.first = (edge["edge"] or edge["order"]).casefold() in (
            "start",
            "beginning",
            "front",
            "left",
            "first place",
            "first",
        )
    if place is None:
        return wish
    anchor = named_column(place["column"].replace("\0", " "), page=page)
    if anchor is None:
        wish.fault = f"{no_column(place['column'])} Name one of the table's columns to put it after."
    elif place["way"].casefold() in ("before", "in front of", "to the left of"):
        at = page.columns.index(anchor)
        wish.after, wish.first = (page.columns[at - 1], False) if at else (None, True)
    else:
        wish.after = anchor
    return wish
