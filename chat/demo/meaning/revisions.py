"""How a wish changes an open proposal: fewer of its rows ("only the first three"), or other values ("all Berlin")."""

from __future__ import annotations

import re
from dataclasses import dataclass

from chat.demo.knowledge.pools import CITIES, COUNTRIES, POSITIONS
from chat.demo.language.words import bare, key
from chat.demo.meaning.assignments import Change, assign, by_value, named_column
from chat.demo.meaning.conditions import Rows, rows_meant
from chat.demo.meaning.places_in_line import SEVERAL, SINGLE, SINGLE_OF_ROWS, places
from chat.demo.meaning.proposed import Proposed
from chat.demo.meaning.targets import Target, target_of
from chat.demo.meaning.updates import change_meant
from chat.demo.meaning.values import Misfit, value_for
from chat.demo.page import Column, Page

_FLAGS = re.IGNORECASE | re.DOTALL
_PROPOSED = r"(?:proposed|suggested|new|sample|made[- ]up|proposal)"
_OF_PROPOSAL = re.compile(
    rf"\s+(?:from|in|of|out of) (?:the|this|your|that) (?:{_PROPOSED}\s+)*"
    r"(?:proposal|suggestions?|proposed rows|list)$",
    _FLAGS,
)
_KEEP = re.compile(
    r"^(?:please\s+)?(?:i\s+(?:only|just)\s+(?:want|need)|(?:i\s+(?:want|need)\s+)?(?:only|just)(?:\s+keep)?"
    r"|keep(?:\s+(?:only|just))?|leave\s+(?:only|just)|(?:no|not)\s+more\s+than|(?:cut|trim|reduce|limit|shorten)\s+"
    r"(?:it|them|that|the\s+proposal)\s+(?:down\s+)?to)\s+(?P<rows>.+)$",
    _FLAGS,
)
_LEAVE_OUT = re.compile(
    r"^(?:(?:but\s+)?(?:without|except(?:\s+for)?|not|minus|all\s+but)|leave\s+out|skip|omit|exclude|ignore|forget)\s+"
    r"(?P<rows>.+)$",
    _FLAGS,
)
_DROP = re.compile(r"^(?:drop|remove|delete|take\s+(?:out|away)|cut|lose|get\s+rid\s+of)\s+(?P<rows>.+)$", _FLAGS)
_SAYS_PROPOSED = re.compile(rf"\b{_PROPOSED}\b", _FLAGS)
_THEM = (
    r"(?:all\s+of\s+them|each\s+of\s+them|every\s+one\s+of\s+them|them\s+all|they\s+all|them|they|(?:all\s+)?(?:of\s+)?the\s+"
    + (_PROPOSED + r"\s+(?:ones|rows|entries|records|applications|items))")
)
_SAYS_THEM = re.compile(rf"\b(?:{_THEM}|their)\b", _FLAGS)
_THE_ROWS = re.compile(rf"\b(?P<all>{_THEM})\b|\b(?P<some>{SEVERAL}|{SINGLE_OF_ROWS})(?=\s|'s|$|,)", _FLAGS)
_SHOULD = re.compile(
    r"^these\s+(?:should|must|shall|need\s+to|have\s+to|ought\s+to|are|can)\s+(?:all\s+)?(?P<value>(?:not\s+)?.+)$",
    _FLAGS,
)
_USE = re.compile(
    r"^(?:use|enter|write|fill\s+in)\s+(?P<value>.+?)\s+(?:as|for)\s+(?:the\s+|their\s+)?(?P<column>.+?)"
    r"(?:\s+(?:for|in|of)\s+these)?$",
    _FLAGS,
)
_MAKE_THEIR = re.compile(r"^(?:make|set|put|change)\s+their\s+(?P<value>.+)$", _FLAGS)
_ALL_IN = re.compile(r"^all\s+(?=(?:in|at)\s)", _FLAGS)
_THEIR = re.compile(
    r"^their\s+(?P<column>.+?)\s+(?:should|must|shall|needs?\s+to|has\s+to|is|are)\s+(?:all\s+)?(?:be\s+)?(?P<value>.+)$",
    _FLAGS,
)
_MAKE = re.compile(
    r"^(?:make|turn|set|put|let|have|mark|move|change|switch|label|give)\s+these\s+(?:all\s+)?(?P<value>.+)$", _FLAGS
)
_VALUE_LEAD = re.compile(
    r"^(?:be|become|get|go\s+to|have|live|in|into|to|as|at|from|with|by|an?|the|all)\s+(?=\S)", _FLAGS
)
_PLACE = re.compile(r"city|location|town|place|where|destination|venue", _FLAGS)
_KNOWN = (
    (_PLACE, CITIES),
    (re.compile(r"country|nationality", _FLAGS), COUNTRIES),
    (re.compile(r"position|\brole\b|\bjob\b|title|occupation", _FLAGS), POSITIONS),
)


@dataclass(frozen=True)
class Revision:
    """What is to become of a proposal: `kept` are the places of rows that stay, `at` of those that get the values.

    `fault` is a sentence; `unsaid` a value whose column was not said.
    """

    kept: tuple[int, ...] | None = None
    change: Change | None = None
    at: tuple[int, ...] = ()
    fault: str = ""
    unsaid: str = ""


def speaks_of_proposal(words: str, *, page: Page) -> bool:
    """Whether a wish can only be meant for the proposal that is open: known before it is looked at."""
    said = _text(words)
    if _KEEP.match(said) or _LEAVE_OUT.match(said) or re.fullmatch(SEVERAL, said, _FLAGS):
        return True
    drop = _DROP.match(said)
    if drop and _drops(drop["rows"]):
        return True
    if _ALL_IN.match(said):
        return True
    if _named_places(said) or _SAYS_THEM.search(said):
        return drop is None and _changes(said)
    if page.selected or drop:
        return False
    change = change_meant(bare(words), page=page)
    return change is not None and change.target is None and not change.unread and not change.fault


def revision_meant(words: str, *, proposed: Proposed, page: Page) -> Revision | None:
    """What the wish makes of the proposal, None if it cannot be read."""
    said = _text(words)
    many = len(proposed.operations)
    keep = _KEEP.match(said) or re.fullmatch(rf"(?P<rows>{SEVERAL})", said, _FLAGS)
    if keep:
        kept = _rows(keep["rows"], proposed=proposed, page=page, counted=True)
        return None if kept is None else Revision(kept=tuple(kept))
    out = _LEAVE_OUT.match(said) or _DROP.match(said)
    if out:
        dropped = _rows(out["rows"], proposed=proposed, page=page, counted=False)
        return None if dropped is None else Revision(kept=tuple(at for at in range(many) if at not in dropped))
    return _other_values(said, proposed=proposed, page=page)


def by_places(words: str) -> bool:
    """Whether the wish tells rows of the proposal apart, so that each must be known by itself."""
    said = _text(words)
    return bool(
        _KEEP.match(said)
        or _LEAVE_OUT.match(said)
        or _DROP.match(said)
        or re.fullmatch(SEVERAL, said, _FLAGS)
        or _named_places(said)
    )


def _text(words: str) -> str:
    text = " ".join(words.replace("’", "'").split()).strip(" .,!?;")
    text = re.sub(
        r"^(?:(?:no(?=[,.:!-])|hm+|well|ok(?:ay)?|actually|please|then|and|but|thanks|great)[\s,.:!-]+)+(?=\S)",
        "",
        text,
        flags=_FLAGS,
    )
    text = re.sub(
        r"^(?:(?:can|could|would) you|i(?:'d| would) like(?: you)? to)\s+(?:please\s+)?", "", text, flags=_FLAGS
    )
    text = re.sub(r"[\s,]+(?:please|thanks|thank you|instead|for now)$", "", text, flags=_FLAGS)
    return _OF_PROPOSAL.sub("", text)


def _drops(rows: str) -> bool:
    return bool(re.fullmatch(rf"(?:{SEVERAL}|{SINGLE}|{_THEM})", rows, _FLAGS) or _SAYS_PROPOSED.search(rows))


def _named_places(said: str) -> bool:
    found = _THE_ROWS.search(said)
    return bool(found and any(match["some"] for match in _THE_ROWS.finditer(said)))


def _changes(said: str) -> bool:
    return bool(
        re.match(
            r"(?:make|turn|set|put|let|have|mark|move|change|switch|label|give|update|fill|use|add|clear|empty|assign|tick"
            r"|untick|correct|fix|replace|rename|for|in|all)\b",
            said,
            _FLAGS,
        )
        or re.search(r"\b(?:should|must|shall|needs?\s+to|have\s+to|has\s+to|ought\s+to)\b", said, _FLAGS)
    )


def _rows(phrase: str, *, proposed: Proposed, page: Page, counted: bool) -> list[int] | None:
    """The places of the rows a phrase names, by their number or by what stands in them."""
    many = len(proposed.operations)
    found = places(phrase, of=many, counted=counted)
    if found is not None:
        return found
    view = proposed.page(page)
    phrase = re.sub(rf"\b{_PROPOSED}\s+(?=\w)", "", phrase, flags=_FLAGS)
    rows = rows_meant(phrase, page=view)
    if rows is None:
        named = target_of(phrase, page=view)
        rows = Rows(filter=named.filter) if isinstance(named, Target) and named.filter else None
    if rows is None:
        return None
    return proposed.matching(rows.filter, page=view) if rows.filter else list(range(many))


def _other_values(said: str, *, proposed: Proposed, page: Page) -> Revision | None:
    picked = list(range(len(proposed.operations)))
    for found in _THE_ROWS.finditer(said):
        if found["some"]:
            named = places(found["some"], of=len(picked))
            picked = picked if named is None else named
            if named == []:
                return Revision(fault="There is no such row in the proposal.")
    text = _THE_ROWS.sub("these", said)
    text = re.sub(r"\bthese\s+all\b", "these", _ALL_IN.sub("make these ", text), flags=_FLAGS)
    view = proposed.page(page, picked=picked)
    their = _THEIR.match(text) or _USE.match(text)
    if their:
        text = f"set {their['column']} to {their['value']}"
    change = change_meant(bare(text), page=view)
    if change is None or change.fault or change.unread:
        value = _SHOULD.match(text) or _MAKE.match(text) or _MAKE_THEIR.match(text)
        if value:
            meant = _value_alone(value["value"], page=view, at=picked)
            if meant is not None:
                return meant
    if change is None or change.unread:
        return None
    if change.fault:
        return Revision(fault=change.fault)
    return Revision(change=change, at=_aimed(change, picked=picked, proposed=proposed, page=view))


def _aimed(change: Change, *, picked: list[int], proposed: Proposed, page: Page) -> tuple[int, ...]:
    """The rows among those picked that the wish's own condition leaves."""
    target = change.target
    if target is None or target.is_all or target.filter is None:
        return tuple(picked)
    return tuple(at for at in proposed.matching(target.filter, page=page) if at in picked)


def _value_alone(phrase: str, *, page: Page, at: list[int]) -> Revision | None:
    """ "Berlin", "in Lisbon", "remote": a value whose column was not said, if only one column can be meant."""
    placed = bool(re.match(r"^(?:be\s+|live\s+)?in\s", phrase, _FLAGS))
    denied = bool(re.match(r"^not\s", phrase, _FLAGS))
    phrase = phrase[4:] if denied else phrase
    while (shorter := _VALUE_LEAD.sub("", phrase, count=1)) != phrase:
        phrase = shorter
    if len(phrase) > 60:
        return None
    found = by_value(f"not {phrase}" if denied else phrase, page=page)
    if denied and not found:
        return None
    if found:
        return Revision(change=Change(values={found[0].name: found[1]}), at=tuple(at))
    for cut in re.finditer(r"\s+(?:as|for|in|of|to)\s+(?:the\s+|their\s+)?|\s+", phrase, _FLAGS):
        for name, value in ((phrase[: cut.start()], phrase[cut.end() :]), (phrase[cut.end() :], phrase[: cut.start()])):
            column = named_column(name, page=page)
            change = (
                assign(column, value, page=page) if column and not re.match(r"(?:to|as)\b", value, _FLAGS) else None
            )
            if change is not None and not change.fault and not change.unread:
                return Revision(change=change, at=tuple(at))
    column = _column_of(phrase, page=page, placed=placed)
    if column is not None:
        return Revision(
            change=Change(values={column.name: value_for(phrase, column=column, today=page.today)}), at=tuple(at)
        )
    return Revision(unsaid=phrase)


def _column_of(value: str, *, page: Page, placed: bool) -> Column | None:
    """The one column that a value by itself can only be meant for."""
    texts = page.of_type("text")
    cell = page.with_cell(value)
    for columns in (
        [c for c in texts for names, pool in _KNOWN if names.search(c.name) and key(value) in map(str.casefold, pool)],
        [c for c in texts if placed and _PLACE.search(c.name)],
        [cell[0]] if cell else [],
        [c for c in page.of_type("date", "number") if _fits(value, column=c, page=page)],
        texts if len(texts) == 1 and len(page.columns) == 1 else [],
    ):
        if len(columns) == 1:
            return columns[0]
    return None


def _fits(value: str, *, column: Column, page: Page) -> bool:
    return not isinstance(value_for(value, column=column, today=page.today), Misfit)
