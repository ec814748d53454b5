"""Places in a row of things: "the first three", "number 2 and 4", "the last one", "all but the second"."""

from __future__ import annotations

import re
from collections.abc import Iterable

from chat.demo.language.numbers import COUNT, count

_FLAGS = re.IGNORECASE
_ORDINALS = {
    word: place
    for place, word in enumerate("first second third fourth fifth sixth seventh eighth ninth tenth".split(), start=1)
}
_END = r"(?:first|last|top|bottom)"
_ORDINAL = rf"(?:{'|'.join(_ORDINALS)}|last|second[- ]to[- ]last|second[- ]last|\d{{1,4}}(?:st|nd|rd|th))"
_NUMBERED = r"(?:(?:number|no\.?|nr\.?|proposal|change)\s*\d{1,4}|#\s*\d{1,4})"
_NOUN = (
    r"(?:\s+(?:proposed\s+|new\s+|sample\s+|suggested\s+)?(?:ones?|rows?|entry|entries|records?|lines?|items?|changes?"
    r"|samples?|of (?:them|these|those|it|the rows)))"
)
_ONE = rf"(?:the\s+)?(?:{_ORDINAL}|{_NUMBERED})"
_JOIN = r"\s*(?:,\s*(?:and\s+)?|\s(?:and|&)\s+)"
SEVERAL = rf"(?:the\s+)?(?:very\s+)?{_END}\s+{COUNT}{_NOUN}?"
SINGLE = rf"{_ONE}(?:{_JOIN}(?:{_ONE}|\d{{1,4}}\b))*{_NOUN}?"
# In the middle of a sentence a noun tells a place from a day ("the first of May").
SINGLE_OF_ROWS = rf"(?:the\s+)?{_NUMBERED}{_NOUN}?|{_ONE}(?:{_JOIN}(?:{_ONE}|\d{{1,4}}\b))*{_NOUN}"
_SEVERAL = re.compile(rf"^(?:the\s+)?(?:very\s+)?(?P<end>{_END})\s+(?P<count>{COUNT}){_NOUN}?$", _FLAGS)
_SINGLE = re.compile(rf"^{SINGLE}$", _FLAGS)
_EACH = re.compile(rf"second[- ](?:to[- ])?last|\d+|{'|'.join(_ORDINALS)}|last", _FLAGS)
_BUT = re.compile(
    r"^(?:all|everything|every one|each)(?: of them)?\s+(?:but|except|apart from|besides)(?: for)?\s+(?P<rest>.+)$",
    _FLAGS,
)
_SO_MANY = re.compile(rf"^(?:the\s+)?(?P<count>{COUNT}){_NOUN}?$", _FLAGS)


def places(phrase: str, *, of: int, counted: bool = False) -> list[int] | None:
    """Places from 0 of `of` things, None if the phrase names none. With `counted`, "three of them" are the first three.

    A place that is not there is left out: of two things "the third" is none.
    """
    text = phrase.strip(" ,.;!?")
    but = _BUT.match(text)
    if but:
        out = places(but["rest"], of=of)
        return None if out is None else [at for at in range(of) if at not in out]
    several = _SEVERAL.match(text)
    if several:
        many = min(count(several["count"]) or 0, of)
        return list(range(many)) if several["end"].casefold() in ("first", "top") else list(range(of - many, of))
    if _SINGLE.match(text):
        return sorted(set(_there(map(str.casefold, _EACH.findall(text)), of=of)))
    so_many = _SO_MANY.match(text) if counted else None
    return list(range(min(count(so_many["count"]) or 0, of))) if so_many else None


def _there(said: Iterable[str], *, of: int) -> Iterable[int]:
    for word in said:
        if word.isdigit():
            at = int(word) - 1
        elif word in _ORDINALS:
            at = _ORDINALS[word] - 1
        else:
            at = of - (1 if word == "last" else 2)
        if 0 <= at < of:
            yield at
