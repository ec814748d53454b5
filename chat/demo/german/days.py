"""Days, spans and numbers as Germans write them, in the English that is read here."""

from __future__ import annotations

import re

_FLAGS = re.IGNORECASE
_MONTHS = dict(zip(
    "januar jänner februar märz april mai juni juli august september oktober november dezember".split(),
    "January January February March April May June July August September October November December".split(), strict=True,
))  # fmt: skip
_NAMES = list(dict.fromkeys(_MONTHS.values()))
_DAYS = dict(zip("montag dienstag mittwoch donnerstag freitag samstag sonnabend sonntag".split(),
                 "Monday Tuesday Wednesday Thursday Friday Saturday Saturday Sunday".split(), strict=True))  # fmt: skip
_UNITS = {"tag": "day", "woche": "week", "monat": "month", "quartal": "quarter", "jahr": "year"}
_COUNTS = dict(zip("ein eine einem einer einen zwei drei vier fünf sechs sieben acht neun zehn elf zwölf zwanzig dreißig".split(),
                   "1 1 1 1 1 2 3 4 5 6 7 8 9 10 11 12 20 30".split(), strict=True))  # fmt: skip
COUNT = rf"\d[\d.]*|{'|'.join(_COUNTS)}"
_UNIT = r"(?P<unit>tage?n?|wochen?|monate?n?|quartale?n?|jahre?n?)"
_WAYS = {"dies": "this", "letzt": "last", "vergangen": "last", "vorig": "last", "nächst": "next", "kommend": "next"}
_WAY = rf"(?P<way>{'|'.join(_WAYS)})(?:e[nmrs]?)"
_MONTH, _DAY = "|".join(_MONTHS), "|".join(_DAYS)
_NAMED = {"heute": "today", "jetzt": "today", "gestern": "yesterday", "morgen": "tomorrow", "vorgestern": "the day before yesterday",
          "übermorgen": "the day after tomorrow"}  # fmt: skip
_THOUSANDS = re.compile(r"\b\d{1,3}(?:\.\d{3})+(?:,\d+)?\b|\b\d+,\d+\b")
_DATE = re.compile(r"\b(\d{1,2})\.\s?(\d{1,2})\.\s?(\d{4})\b")
_LETTERS = str.maketrans({".": "", ",": "."})


def english_numbers(text: str) -> str:
    """ "1.200,50 €" → "1200.50 €", "01.06.2026" → "2026-06-01"; all else stays."""
    text = _DATE.sub(lambda found: f"{found[3]}-{int(found[2]):02}-{int(found[1]):02}", text)
    text = _THOUSANDS.sub(lambda found: found[0].translate(_LETTERS), text)
    return re.sub(r"\b(\d[\d.]*)\s*(?:tausend|tsd\.?)(?=\W|$)", r"\1k", text, flags=_FLAGS)


def english_count(said: str) -> str:
    """ "drei" → "3"."""
    return _COUNTS.get(said.casefold(), said.replace(".", ""))


def english_day(text: str) -> str:
    """A day or a span in English, "" where it is none: "dem 1. Juni" → "June 1", "letzten Monat" → "last month"."""
    low = re.sub(r"\s+", " ", text.strip(" .,?!").casefold())
    low = re.sub(r"^(?:am|im|in|den|dem|der|die|das|zum|vom)\s+(?!letzten|vergangenen|nächsten)(?=\S)", "", low)
    low = re.sub(r"^(?:den|dem|der|die|das)\s+(?=\S)", "", low)
    if low in _NAMED:
        return _NAMED[low]
    if re.fullmatch(r"(?:19|20)\d\d|q[1-4](?: \d{4})?|\d{4}-\d\d(?:-\d\d)?", low):
        return low
    if found := re.fullmatch(r"(\d{1,2})\.\s?(\d{1,2})\.(?:\s?(\d{4}))?", low):
        return _day_of(int(found[1]), month=int(found[2]), year=found[3]) if 1 <= int(found[2]) <= 12 else ""
    if found := re.fullmatch(rf"(\d{{1,2}})\.?\s({_MONTH})(?: (\d{{4}}))?", low):
        return _day_of(int(found[1]), month=_NAMES.index(_MONTHS[found[2]]) + 1, year=found[3])
    if found := re.fullmatch(rf"(?:{_WAY} )?({_MONTH})(?: (\d{{4}}))?", low):
        way = f"{_WAYS[found['way']]} " if found["way"] and found["way"] != "dies" else ""
        return f"{way}{_MONTHS[found[2]]}{' ' + found[3] if found[3] else ''}"
    return _relative(low)


def _day_of(day: int, *, month: int, year: str | None) -> str:
    """With a year as it is written in data: a comma would part two conditions."""
    return f"{year}-{month:02}-{day:02}" if year else f"{_NAMES[month - 1]} {day}"


def _relative(low: str) -> str:
    if found := re.fullmatch(rf"(?:{_WAY} )?(?P<day>{_DAY})", low):
        return f"{_WAYS[found['way']]} {_DAYS[found['day']]}" if found["way"] else _DAYS[found["day"]]
    if found := re.fullmatch(rf"(?:(?:in )?(?:der |den |dem |die |das )?)?{_WAY} {_UNIT}", low):
        return f"{_WAYS[found['way']]} {_unit(found['unit'])}"
    if found := re.fullmatch(rf"vor (?P<count>{COUNT}) {_UNIT}", low):
        return f"{english_count(found['count'])} {_unit(found['unit'])}s ago"
    if found := re.fullmatch(rf"in (?P<count>{COUNT}) {_UNIT}", low):
        return f"in {english_count(found['count'])} {_unit(found['unit'])}s"
    if found := re.fullmatch(r"(ende|anfang|mitte) (?:des |der |von )?(.+)", low):
        inner = english_day(found[2].removesuffix("s") if found[2].endswith("jahres") else found[2])
        edge = {"ende": "end", "anfang": "start", "mitte": "middle"}[found[1]]
        return f"the {edge} of {inner}" if inner else ""
    return ""


def english_span(text: str) -> str:
    """Bounds on a day without its column, "" where there are none: "älter als 30 Tage" → "older than 30 days"."""
    low = re.sub(r"\s+", " ", text.strip(" .,?!").casefold())
    older = re.fullmatch(rf"(?P<way>älter|jünger|neuer|länger her|mehr) als (?P<count>{COUNT}) {_UNIT}(?: her| alt)?", low)
    if older:
        way = "newer" if older["way"] in ("jünger", "neuer") else "older"
        return f"{way} than {english_count(older['count'])} {_unit(older['unit'])}s"
    within = re.fullmatch(rf"(?:in|innerhalb|aus)? ?(?:den|der|dem|die)? ?{_WAY} (?P<count>{COUNT}) {_UNIT}", low)
    if within:
        return f"in the {_WAYS[within['way']]} {english_count(within['count'])} {_unit(within['unit'])}s"
    if low in ("überfällig", "vorbei", "abgelaufen"):
        return "overdue"
    if found := re.fullmatch(rf"vor {COUNT} {_UNIT}", low):
        return _relative(low)
    between = re.fullmatch(r"zwischen (?:dem )?(.+?) und (?:dem )?(.+)", low)
    if between and (first := english_day(between[1])) and (last := english_day(between[2])):
        return f"between {first} and {last}"
    for said, way in (("vor", "before"), ("nach", "after"), ("seit", "since"), ("ab", "since"), ("bis", "until"), ("bis zum", "until")):
        if (found := re.fullmatch(rf"{said} (?:dem |der |den )?(.+)", low)) and (day := english_day(found[1])):
            return f"{way} {day}"
    return english_day(low)


def _unit(said: str) -> str:
    return next(english for german, english in _UNITS.items() if said.startswith(german))
