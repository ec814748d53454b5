"""Reads a list of columns as people name them, with the type or the options they say."""

from __future__ import annotations

import re
from dataclasses import dataclass

from chat.demo.knowledge.domains import Domain
from chat.demo.knowledge.kinds import Kind, options_for
from chat.demo.language.words import key, singular_phrase, split_list, squeeze, title, unquote

_LEAD_COLUMN = re.compile(
    r"^(?:(?:and|or|also|plus|then|maybe|columns?|fields?|for|with|the|a|an|its|their|his|her|my|our|each one's"
    r"|some|one|"
    r"when it comes to)\s+)+(?=\S)",
    re.IGNORECASE,
)
_QUESTIONS = tuple(
    (re.compile(pattern, re.IGNORECASE), form)
    for pattern, form in (
        (r"^(?:whether|if) (?:it'?s|it is|they'?re|they are|i'?m|he'?s|she'?s)\s+(?:a |an )?(?P<x>.+)$", "boolean"),
        (
            r"^(?:whether|if) (?:i|we|they|it|he|she)(?:'ve| have| has|'d| was| were)?\s+(?P<x>.+?)"
            r"(?:\s+(?:it|them|that))?$",
            "boolean",
        ),
        (r"^when (?:i|we|they|it|he|she)(?:'ve| have| has)?(?: was| were| is)?\s+(?P<x>.+)$", "date"),
        (r"^when (?:the|my|our)?\s*(?P<x>.+)$", "date"),
        (r"^how much (?:it|they|i|we)\s+(?:costs?|paid|spent|pay|spend)\b.*$", "Cost"),
        (r"^how many (?P<x>.+)$", "number"),
        (r"^how long .*$", "Duration"),
        (r"^where\b.*$", "Location"),
        (r"^who\b.*$", "Person"),
        (r"^why\b.*$", "Reason"),
    )
)
_HINT = re.compile(
    r"^(?P<name>.+?)\s*(?:\((?P<hint>[^)]*)\)|:\s*(?P<after>[^:]+)|\s+as (?:an? )?(?P<kind>number|date|text"
    r"|select|boolean|yes/no|checkbox|dropdown))$",
    re.IGNORECASE,
)
_SLASHED = re.compile(r"^(?P<name>[\w ]*?\b[\w]+)\s+(?P<options>[\w-]+(?:/[\w -]+){1,})$")
_WORDS_OF_TYPES = {
    "number": "number, numeric, numbers, integer, decimal, currency, amount",
    "date": "date, day, dates",
    "text": "text, string, free text, long text, words",
    "boolean": "boolean, yes/no, yes or no, checkbox, check box, true/false, bool, tick box, y/n, flag, toggle",
    "select": "select, dropdown, drop-down, choice, single select, options, selection, option list",
}
TYPE_WORDS = {word: kind for kind, words in _WORDS_OF_TYPES.items() for word in words.split(", ")}


@dataclass(frozen=True)
class Wanted:
    """A column as a person names it: with the type or the options they say, if they say any."""

    name: str
    type: str = ""
    options: tuple[str, ...] = ()

    def kind(self, *, domain: Domain) -> Kind:
        """What it is to be."""
        guessed = domain.kind(self.name)
        if self.options:
            return Kind(name=self.name, type="select", options=self.options)
        if self.type and self.type != guessed.type:
            options = options_for(key(self.name)) or ("Option 1", "Option 2") if self.type == "select" else ()
            return Kind(name=self.name, type=self.type, options=options)
        return guessed


def read_columns(text: str) -> list[Wanted]:
    """The columns a list names, each with what it says about its type."""
    text = re.sub(
        r"\b(?:and )?(?:so on|etc\.?|and more|things like that)\s*$", "", text.strip(" .:;"), flags=re.IGNORECASE
    )
    wanted = [column for item in split_list(text) if (column := _read_column(item)) is not None]
    return wanted[:60]


def _read_column(item: str) -> Wanted | None:
    item = _LEAD_COLUMN.sub("", item.strip(" .:;-")).strip()
    item = re.sub(r"\s+(?:columns?|fields?)$", "", item, flags=re.IGNORECASE)
    if not item or len(item) > 200:
        return None
    if unquote(item) != item:
        return Wanted(name=unquote(item)[:255])
    found = _HINT.match(item)
    if found:
        return _hinted(found["name"], hint=found["hint"] or found["after"] or found["kind"] or "")
    if item.endswith("?"):
        # A question mark says that it is a yes or a no, whatever the word suggests.
        return Wanted(name=title(item.rstrip("? "))[:255] or "Done", type="boolean")
    for pattern, form in _QUESTIONS:
        asked = pattern.match(item)
        if asked:
            return _asked(form, rest=asked.groupdict().get("x") or "")
    slashed = _SLASHED.match(item)
    if slashed and key(slashed["options"]) not in ("yes/no", "true/false", "and/or"):
        return Wanted(name=title(slashed["name"]), options=_options(slashed["options"].split("/")))
    name = title(
        singular_phrase(item)
        if options_for(key(item)) or re.search(r"dates$|names$|titles$|deadlines$", key(item))
        else item
    )
    # Somebody who writes capitals means them.
    return Wanted(name=(item if item[0].isupper() else name)[:255])


def _hinted(name: str, *, hint: str) -> Wanted:
    kind = TYPE_WORDS.get(key(hint))
    column = title(_LEAD_COLUMN.sub("", name).strip())[:255]
    if kind:
        return Wanted(name=column, type=kind)
    options = options_of(hint)
    return Wanted(name=column, options=options) if len(options) > 1 else Wanted(name=column)


def options_of(text: str) -> tuple[str, ...]:
    """The options that a list names ("High, Medium or Low", "open/closed")."""
    return _options(split_list(re.sub(r"\s+or\s+", ", ", text.replace("/", ", ").replace("|", ", ")).strip("() .")))


def _asked(form: str, *, rest: str) -> Wanted:
    if form == "date":
        return Wanted(name=title(f"date {rest}" if rest.endswith(("ed", "nt", "ght", "id")) else rest), type="date")
    if form in ("boolean", "number"):
        return Wanted(name=title(rest) if form == "boolean" else f"Number of {title(rest)}", type=form)
    return Wanted(name=form)


def _options(items: list[str]) -> tuple[str, ...]:
    seen: dict[str, str] = {}
    for item in items:
        name = squeeze(item).strip(" .")
        if name:
            seen.setdefault(key(name), name[:1].upper() + name[1:])
    return tuple(seen.values())[:100]
