"""Which type pasted values have, and what each is in that type; what is doubtful stays text."""

from __future__ import annotations

import re
from datetime import date
from typing import Any

from chat.demo.knowledge.kinds import Kind, guess
from chat.demo.language.words import key, squeeze

_NUMBER = re.compile(r"^[-+−]?[$€£]?\s?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?\s?(?:[$€£%])?$")
_TRUTHS = {"yes": True, "no": False, "true": True, "false": False}
_MOST_OPTIONS = 8


def kind_of(name: str, *, values: list[str]) -> Kind:
    """The column for values under a heading. The values decide; the name only where they leave a choice."""
    given = [squeeze(value) for value in values if value.strip()]
    if not given:
        return Kind(name=name)
    for kind in ("boolean", "number", "date"):
        if all(cast(value, kind=kind) is not None for value in given):
            return Kind(name=name, type=kind)
    distinct = list(dict.fromkeys(given))
    repeats = len({key(value) for value in given}) == len(distinct) <= _MOST_OPTIONS and all(
        len(value) <= 30 for value in distinct
    )
    guessed = guess(name)
    often = len(given) >= 6 and len(distinct) * 3 <= len(given) and not key(name).endswith(("name", "names"))
    if repeats and (guessed.type == "select" or often):
        # Options of the list come first, those a name suggests are not forced upon it.
        return Kind(name=name, type="select", options=tuple(distinct))
    return Kind(name=name)


def cast(text: str, *, kind: str) -> Any:
    """The value, or None if the text is empty or not of that kind."""
    text = squeeze(text)
    if not text:
        return None
    if kind == "boolean":
        return _TRUTHS.get(key(text))
    if kind == "number":
        return _number(text)
    if kind == "date":
        return _date(text)
    return text


def _number(text: str) -> int | float | None:
    # Leading zeros are part of a code, not of an amount.
    if not _NUMBER.match(text) or re.match(r"^0\d", text):
        return None
    value = float(re.sub(r"[^\d.\-]", "", text.replace("−", "-")))
    return int(value) if value == int(value) and abs(value) < 2**53 else value


def _date(text: str) -> str | None:
    try:
        return date.fromisoformat(text).isoformat() if re.match(r"^\d{4}-\d\d-\d\d$", text) else None
    except ValueError:
        return None
