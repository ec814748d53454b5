"""What stands in the holes of a sentence, told in German: names, numbers, days, conditions, what is set to what."""

from __future__ import annotations

import re
from collections.abc import Callable

from chat.demo.german.words import TYPES, german_list, german_name

_MONTHS = dict(zip(
    "January February March April May June July August September October November December".split(),
    "Januar Februar März April Mai Juni Juli August September Oktober November Dezember".split(), strict=True,
))  # fmt: skip
_DAY = re.compile(rf"\b({'|'.join(_MONTHS)}) (\d{{1,2}}), (\d{{4}})\b")
_FIGURE = re.compile(r"(?<![\d.,])(?:\d{1,3}(?:,\d{3})+(?:\.\d{1,2})?|\d+\.\d{1,2})(?![\d.,]?\d)")
_SWAPPED = str.maketrans(",.", ".,")
_CLAUSES = (
    (r"(.+) is not empty", "{} ist nicht leer"), (r"(.+) is empty", "{} ist leer"), (r"(.+) is today", "{} ist heute"),
    (r"(.+) is this week", "{} liegt in dieser Woche"), (r"(.+) is this month", "{} liegt in diesem Monat"),
    (r"(.+) is yes", "{} ist Ja"), (r"(.+) is no", "{} ist Nein"), (r"(.+) is not before (.+)", "{} liegt nicht vor dem {}"),
    (r"(.+) is not after (.+)", "{} liegt nicht nach dem {}"), (r"(.+) is before (.+)", "{} liegt vor dem {}"),
    (r"(.+) is after (.+)", "{} liegt nach dem {}"), (r"(.+) is below (.+)", "{} liegt unter {}"), (r"(.+) is at most (.+)", "{} ist höchstens {}"),
    (r"(.+) is over (.+)", "{} liegt über {}"), (r"(.+) is at least (.+)", "{} ist mindestens {}"),
    (r"(.+) does not contain (.+)", "{} enthält nicht {}"), (r"(.+) contains (.+)", "{} enthält {}"), (r"(.+) starts with (.+)", "{} beginnt mit {}"),
    (r"(.+) is from (.+) to (.+)", "{} reicht von {} bis {}"), (r"(.+) is in the last (\S+) days", "{} liegt in den letzten {} Tagen"),
    (r"(.+) is in the next (\S+) days", "{} liegt in den nächsten {} Tagen"), (r"(.+) is not (.+)", "{} ist nicht {}"), (r"(.+) is (.+)", "{} ist {}"),
)  # fmt: skip
_VALUES = {"empty": "leer", "yes": "Ja", "no": "Nein"}


def figures(text: str) -> str:
    """Days and numbers as Germans write them: "June 1, 2026" → "1. Juni 2026", "1,234.5" → "1.234,5"."""
    text = _DAY.sub(lambda found: f"{found[2]}. {_MONTHS[found[1]]} {found[3]}", text)
    return _FIGURE.sub(lambda found: found[0].translate(_SWAPPED), text)


def _names(listed: str) -> str:
    return german_list(re.split(r", | and ", listed))


def _typed(listed: str) -> str:
    return german_list([f"{german_name(name)} ({TYPES.get(kind, kind)})" for name, kind in re.findall(r"(?:, | and )?(.+?) \((\w+)\)", listed)])


def _condition(said: str) -> str:
    """ "Status is Offer and Salary is over 5": each clause for itself; what is none goes on with the value before."""
    clauses: list[str] = []
    for part in re.split(r"( and | or )", said.replace("(", "").replace(")", "")):
        if part in (" and ", " or "):
            clauses.append({" and ": " und ", " or ": " oder "}[part])
        else:
            clauses.append(_clause(part))
    return "".join(clauses)


def _clause(said: str) -> str:
    for english, german in _CLAUSES:
        if found := re.fullmatch(english, said):
            return german.format(*(figures(part) for part in found.groups()))
    return figures(said)


def _among(said: str) -> str:
    """ " of the selected rows where Status is Offer" → " in den ausgewählten Zeilen, wo gilt: Status ist Offer"."""
    rest = said.removeprefix(" of the selected rows")
    selected = " in den ausgewählten Zeilen" if rest != said else ""
    return f"{selected}, wo gilt: {_condition(rest.removeprefix(' where '))}" if rest else selected


def _rows(said: str) -> str:
    """Which rows, after a verb: "die Zeilen, für die gilt: …"."""
    if said.startswith("where "):
        return f"die Zeilen, für die gilt: {_condition(said.removeprefix('where '))}"
    if said.startswith("that are shown, where "):
        return f"die gezeigten Zeilen, für die gilt: {_condition(said.removeprefix('that are shown, where '))}"
    return {"of the whole table": "alle Zeilen", "that are selected": "die ausgewählten Zeilen"}.get(said, said)


def _in_rows(said: str) -> str:
    """Where, of rows: "in den Zeilen, für die gilt: …"."""
    told = _rows(said)
    return f"in allen{told.removeprefix('alle')}" if told.startswith("alle") else f"in den{told.removeprefix('die')}"


def _value(said: str) -> str:
    return _VALUES.get(said) or figures(said)


def _sets(said: str) -> str:
    """ "Status to Offer and Notes to empty" → "Status auf Offer und Notes auf leer"."""
    parts = [re.fullmatch(r"(.+?) to (.+)", part) for part in re.split(r", (?=[^,]+ to )| and (?=.+ to )", said)]
    return german_list([f"{part[1]} auf {_value(part[2])}" for part in parts if part]) if all(parts) else said


def _cells(said: str) -> str:
    return re.sub(r" (yes|no)(?=,| und |$)", lambda found: f" {_VALUES[found[1]]}", figures(said).replace(" and ", " und "))


def _counted(said: str) -> str:
    number, _, _noun = said.partition(" ")
    return "1 Zeile" if number == "1" else f"{figures(number)} Zeilen"


def _many(said: str) -> str:
    number, _, _noun = said.partition(" ")
    return "1 Spalte" if number == "1" else f"{figures(number)} Spalten"


def _size(said: str) -> str:
    return figures(said).replace("characters or more", "Zeichen oder mehr").replace("characters", "Zeichen").replace("character", "Zeichen")


# By the name of a hole: what may stand there, and how it is told again. Columns that are there keep their names.
HOLES: dict[str, tuple[str, Callable[[str], str]]] = {
    "x": (r".+?", str), "y": (r".+?", str), "col": (r".+?", str), "col2": (r".+?", str), "n": (r"[\d.,]+", figures), "m": (r"[\d.,]+", figures),
    "names": (r".+?", _names), "typed": (r".+ \(\w+\)", _typed), "type": ("|".join(TYPES), lambda said: TYPES[said]), "cond": (r".+", _condition),
    "among": (r"(?: of the selected rows)?(?: where .+)?", _among), "rows": (r"(?:where|of|that) .+", _rows), "in_rows": (r"(?:where|of|that) .+", _in_rows), "sets": (r".+? to .+", _sets), "cells": (r".+", _cells), "value": (r".+?", _value),
    "value2": (r".+?", _value), "listed": (r".+", lambda said: figures(said).replace(" and ", " und ")), "counted": (r"[\d,]+ rows?", _counted),
    "many": (r"[\d,]+ columns?", _many), "size": (r"[\d,]+ characters?(?: or more)?", _size),
}  # fmt: skip
