"""German wishes about columns and their options, as the English ones they stand for."""

from __future__ import annotations

import re

from chat.demo.german.conditions import column_said, option_said
from chat.demo.german.sentences import said_with
from chat.demo.german.words import PHRASES
from chat.demo.language.words import key, unquote
from chat.demo.page import Page

_FLAGS = re.IGNORECASE | re.DOTALL
_TYPES = (
    ("yes/no", r"ja[ /-]*(?:oder[ -])?nein|kontrollkästchen|kästchen|häkchen|wahrheitswert"),
    ("number", r"zahl(?:en)?|nummer|betrag"), ("date", r"datum|datums|tag"), ("select", r"auswahl(?:liste|feld)?|dropdown|auswahlfeld"),
    ("text", r"text|freitext"),
)  # fmt: skip
_TYPE = "|".join(f"(?:{german})" for _, german in _TYPES)
_KIND = rf"(?P<type>{_TYPE})(?:s?-?\s?(?:spalte|feld))?"
_WITH = r"(?:\s*(?:,|:)?\s*(?:mit|aus)\s+(?:den\s+(?:optionen|werten)\s+)?(?P<options>.+))?"
_DATES = re.compile(r"datum$|\btag\b|termin|frist|fällig|geburtstag|^(?:beginn|ende|start)$|\bam$", re.IGNORECASE)
_AMOUNTS = re.compile(r"preis|kosten|betrag|anzahl|menge|gehalt|alter|summe|wert$|prozent|stunden|minuten|größe|gewicht|umsatz|budget", re.IGNORECASE)
_PLACE = re.compile(r"\s*,?\s*\b(?:direkt\s+)?(?P<way>nach|hinter|vor|neben|rechts von|links von)\s+(?P<column>[^,:]+?)(?=\s+mit\b|\s*[,:(]|$)", _FLAGS)
_EDGE = re.compile(r"\s*,?\s*\b(?:an (?:den|die)|am|als)\s+(?P<edge>anfang|ende|erste(?: stelle| spalte)?|letzte(?: stelle| spalte)?)(?=\s|$)", _FLAGS)
# "… mit Hoch, Niedrig und eine Spalte Link": one more column, not one more option.
_ALSO = re.compile(rf"\s*,?\s+(?:und|sowie)\s+(?:noch\s+)?(?P<column>eine\s+(?:neue\s+|weitere\s+)?(?:(?:{_TYPE})s?-?\s?)?spalte\s+\S.*)$", _FLAGS)
_BEFORE = ("vor", "links von")


def about_columns(text: str, *, page: Page) -> str:
    """The English wish, "" where this is none about columns. On a page without columns, as of a proposal that waits,
    any name may be meant."""
    readers = (_option, _add, _rename, _required, _retype, _move, _remove)
    return next((english for reader in readers if (english := reader(text, page=page))), "")


def _known(*said: str, page: Page) -> bool:
    return not page.columns or all(column_said(each, page=page) is not None for each in said)


def named(said: str, *, page: Page) -> str:
    """The name of a column that is there, or the name as it was said: of a proposal that waits it is not known here."""
    column = column_said(said, page=page)
    if column is not None:
        return column.name
    text = re.sub(r"^(?:die |der |das |den |dem |eine |aus )?(?:spalte |feld )?", "", said.strip(" ,."), flags=_FLAGS)
    return unquote(text)


def _type(said: str) -> str:
    return next(english for english, german in _TYPES if re.fullmatch(german, said, _FLAGS))


def _options(said: str) -> str:
    return ", ".join(part.strip() for part in re.split(r",\s*|\s+(?:und|oder)\s+", said) if part.strip())


def _add(text: str, *, page: Page) -> str:
    body = said_with("add", text) or re.sub(r"^(?:ich brauche|wir brauchen)\s+", "", text, flags=_FLAGS)
    also = _ALSO.search(body)
    each = [_added(part, page=page) for part in (body[: also.start()], also["column"])] if also else []
    return f"{each[0]} and {each[1].removeprefix('Add ')}" if each and all(each) else _added(body, page=page)


def _added(body: str, *, page: Page) -> str:
    found = re.match(
        rf"^(?:noch\s+)?(?:eine?|zwei|drei|die|neue)?\s*(?:neue[n]?\s+|weitere[n]?\s+|(?P<must>pflicht-?))*(?:(?P<type>{_TYPE})s?-?\s?)?spalten?\s*"
        r"(?:namens|mit (?:dem )?namen|für|:)?\s*(?P<rest>.+)$", body, _FLAGS,
    )  # fmt: skip
    if found is None or re.match(r"(?:aus|löschen|entfernen)\b|.+\ssoll(?:te)?\s.+\sheißen$", found["rest"], _FLAGS):
        return ""
    rest = found["rest"]
    place, edge = _PLACE.search(rest), _EDGE.search(rest)
    where = f" {'before' if place['way'].casefold() in _BEFORE else 'after'} {named(place['column'], page=page)}" if place else ""
    if edge:
        where += f" at the {'start' if re.match('anfang|erste', edge['edge'], _FLAGS) else 'end'}"
    rest = _EDGE.sub("", _PLACE.sub("", rest))
    must = bool(found["must"]) or bool(re.search(r"\s+(?:als\s+)?(?:pflicht(?:spalte|feld)?)$", rest, _FLAGS))
    rest = re.sub(r"\s+(?:als\s+)?(?:pflicht(?:spalte|feld)?)$", "", rest, flags=_FLAGS)
    names, _, options = (part.strip() for part in re.sub(r"\s*,?\s+mit\s+(?:den\s+(?:optionen|werten)\s+)?", "\0", rest, count=1).partition("\0"))
    kind = f"{_type(found['type'])} " if found["type"] else _kind_of(names)
    wanted = [PHRASES.get(key(each), unquote(each)) for each in re.split(r",\s*|\s+und\s+", names) if each.strip()]
    listed = f" with {_options(options)}" if options else ""
    required = "required " if must else ""
    many = len(wanted) > 1
    called = "columns for" if many else "column called"
    kind = "" if many or listed else kind
    return f"Add {'' if many else 'a '}{required}{kind}{called} {' and '.join(wanted)}{where}{listed}"


def _kind_of(name: str) -> str:
    if key(name) in PHRASES or " und " in name:
        return ""
    return "date " if _DATES.search(name) else "number " if _AMOUNTS.search(name) else ""


def _rename(text: str, *, page: Page) -> str:
    if called := re.match(r"^nenne?n?(?:\s+sie)?\s+(?:sie|es|das|die tabelle)\s+(?P<new>.+)$", text, _FLAGS):
        return f"call it {unquote(called['new'])}" if not page.columns else f"Rename the table to {unquote(called['new'])}"
    body = said_with("rename", text)
    found = re.match(r"^(?P<old>.+?)\s+(?:in|zu|→|->)\s+(?P<new>.+)$", body, _FLAGS)
    found = found or re.match(r"^(?P<old>(?:die\s+)?(?:spalte\s+)?\S+)\s+(?P<new>\S+(?: \S+)?)$", body, _FLAGS)
    found = found or re.match(r"^(?P<old>.+?)\s+soll(?:te)?\s+(?P<new>.+?)\s+heißen$", text, _FLAGS)
    if found is None:
        return ""
    new = unquote(found["new"])
    option = re.match(r"^(?:die\s+)?option\s+(?P<name>.+?)(?:\s+(?:von|in)\s+(?P<column>.+))?$", found["old"], _FLAGS)
    if option:
        return f"Rename the option {unquote(option['name'])} to {new}"
    if re.fullmatch(r"(?:die|diese)?\s*tabelle|sie", found["old"], _FLAGS):
        return f"Rename the table to {new}"
    return f"Rename {named(found['old'], page=page)} to {new}"


def _required(text: str, *, page: Page) -> str:
    body = said_with("make", text) or text
    must = re.match(r"^(?P<column>.+?)\s+(?:zur\s+pflicht(?:spalte)?|zum\s+pflichtfeld|verpflichtend|erforderlich|(?:soll(?:te)?|muss)\s+(?:pflicht|ausgefüllt|erforderlich)(?:\s+(?:sein|werden))?|ist\s+pflicht)$", body, _FLAGS)
    free = re.match(r"^(?P<column>.+?)\s+(?:optional|freiwillig|nicht\s+(?:mehr\s+)?(?:zur\s+)?pflicht(?:spalte)?|(?:darf|kann)\s+leer\s+(?:sein|bleiben)|(?:ist|soll)\s+(?:optional|nicht\s+pflicht)(?:\s+sein)?)$", body, _FLAGS)
    found = free or must
    if found is None or not _known(found["column"], page=page):
        return ""
    return f"Make {named(found['column'], page=page)} {'optional' if free else 'required'}"


def _retype(text: str, *, page: Page) -> str:
    body = said_with("make", text)
    found = re.match(rf"^(?P<column>.+?)\s+(?:zu(?:r|m)?|in)\s+(?:eine[rnm]?\s+)?{_KIND}{_WITH}$", body, _FLAGS)
    found = found or re.match(rf"^(?P<column>.+?)\s+soll(?:te)?\s+(?:eine?\s+)?{_KIND}\s+(?:sein|werden)()$", text, _FLAGS)
    found = found or re.match(rf"^(?P<column>.+?)\s+soll(?:te)?\s+(?:eine?\s+)?{_KIND}{_WITH}\s+(?:sein|werden)$", text, _FLAGS)
    if found is None or not _known(found["column"], page=page):
        return ""
    options = found.groupdict().get("options")
    return f"Make {named(found['column'], page=page)} a {_type(found['type'])}" + (f" with {_options(options)}" if options else "")


def _move(text: str, *, page: Page) -> str:
    body = said_with("move", text)
    beside = re.match(r"^(?P<column>.+?)\s+(?P<way>nach|hinter|vor|neben|rechts von|links von)\s+(?P<other>.+)$", body, _FLAGS)
    if beside and _known(beside["column"], beside["other"], page=page):
        way = "before" if beside["way"].casefold() in _BEFORE else "after"
        return f"Move {named(beside['column'], page=page)} {way} {named(beside['other'], page=page)}"
    edge = re.match(r"^(?P<column>.+?)\s+(?:ganz\s+)?(?:an\s+(?:den|das|die)|ans|nach)\s+(?P<edge>anfang|ende|vorne?|hinten|erste stelle|letzte stelle)(?:\s+der tabelle)?$", body, _FLAGS)
    if edge is None or not _known(edge["column"], page=page):
        return ""
    start = re.match(r"anfang|vorn|erste", edge["edge"], _FLAGS) is not None
    return f"Move {named(edge['column'], page=page)} to the {'start' if start else 'end'}"


def _remove(text: str, *, page: Page) -> str:
    body = re.sub(r"\s+aus (?:der|dieser) tabelle$", "", said_with("delete", text) or said_with("leave", text), flags=_FLAGS)
    says = re.match(r"^(?:die\s+)?spalten?\s+(?P<names>.+)$", body, _FLAGS)
    listed = [each for each in re.split(r",\s*|\s+und\s+", says["names"] if says else body) if each.strip()]
    if not body or (not says and not all(column_said(each, page=page) for each in listed)):
        return ""
    names = [named(each, page=page) for each in listed]
    return f"Remove the {names[0]} column" if len(names) == 1 else f"Remove the columns {' and '.join(names)}"


def _option(text: str, *, page: Page) -> str:
    added = re.match(r"^(?:(?P<said>(?:die\s+|eine\s+)?(?:neue\s+)?option(?:en)?)\s+)?(?P<new>.+?)\s+(?:zu|bei|in)\s+(?:den optionen (?:von|für)\s+)?(?P<column>.+)$", said_with("add", text), _FLAGS)
    column = column_said(added["column"], page=page) if added else None
    if added and column and column.type == "select" and not re.search(r"\b(?:spalten?|zeilen?|eintr)", added["new"], _FLAGS):
        return f"Add {_options(added['new'])} to {column.name}"
    removed = re.match(r"^(?:die\s+)?option\s+(?P<old>.+?)(?:\s+(?:aus|von|in)\s+(?P<column>.+))?$", said_with("delete", text), _FLAGS)
    if removed is None:
        return ""
    meant = option_said(removed["old"], page=page)
    column = column_said(removed["column"], page=page) if removed["column"] else meant[0] if meant else None
    return f"Remove the option {meant[1] if meant else unquote(removed['old'])} from {column.name}" if column else ""
