"""Rows of JSON: a list of objects, or objects one after the other, read without ever holding all of them."""
from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from typing import Any

from tables.importing.encodings import texts_of
from tables.importing.source import Pieces, RawRow, Unreadable

MOST_RECORD = 4_000_000
MOST_KEYS = 2_000
LONGEST_KEY = 1_000
SPACE = re.compile(r"[ \t\r\n]*")
ROWS = "rows"
TOO_DEEP = "The records are nested too deeply."
Pairs = list[tuple[str, Any]]


class Records:
    """The objects of a JSON text, one after the other, as rows of cells.

    `keys` are the names that have been met so far, in the order of their first appearance: the columns of the rows.
    """

    def __init__(self, pieces: Pieces, *, encoding: str) -> None:
        self.keys: dict[str, int] = {}
        self._texts = texts_of(pieces, encoding=encoding)
        self._decoder = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_refuse_constant)
        self._text, self._at = "", 0

    def rows(self) -> Iterator[RawRow]:
        """Each object's number, from 1, and its cells in the order of `keys`. Raises Unreadable."""
        number = 0
        for value in self._values():
            for record in value[ROWS] if number == 0 and _wraps(value) else [value]:
                number += 1
                if not isinstance(record, dict):
                    raise Unreadable(f"Record {number:,} is not an object of names and values.", code="not_records")
                yield number, self._cells(record, number=number)

    def _cells(self, record: dict[str, Any], *, number: int) -> list[Any]:
        if not record.keys() <= self.keys.keys():
            for key in record:
                if len(key) > LONGEST_KEY:
                    detail = f"A name in record {number:,} has more than {LONGEST_KEY:,} characters."
                    raise Unreadable(detail, code="name_too_long")
                self.keys.setdefault(key, len(self.keys))
            if len(self.keys) > MOST_KEYS:
                raise Unreadable(f"The records have more than {MOST_KEYS:,} different names.", code="too_many_columns")
        cells: list[Any] = [None] * len(self.keys)
        try:
            for key, value in record.items():
                cells[self.keys[key]] = _plain(value)
        except RecursionError:
            raise Unreadable(TOO_DEEP, code="too_deep") from None
        return cells

    def _values(self) -> Iterator[Any]:
        """The values of the list, or those that stand one after the other."""
        first = self._next()
        if first not in ("[", "{"):
            raise Unreadable("JSON to import is a list of objects.", code="not_records")
        if first == "{":
            while self._next():
                yield self._value()
            return
        self._at += 1
        sign = self._next()
        while sign != "]":
            yield self._value()
            sign = self._next()
            if sign == ",":
                self._at += 1
                # What follows a comma is a value: a bracket there is refused as one.
                self._next()
            elif sign != "]":
                raise Unreadable("Between two records there is a comma missing.", code="not_json")
        self._at += 1
        if self._next():
            raise Unreadable("After the list of records there is something else.", code="not_json")

    def _value(self) -> Any:
        while True:
            try:
                value, self._at = self._decoder.raw_decode(self._text, self._at)
                return value
            except RecursionError:
                raise Unreadable(TOO_DEEP, code="too_deep") from None
            except ValueError as fault:
                if len(self._text) - self._at > MOST_RECORD:
                    raise Unreadable("A record is too long, or does not end.", code="not_json") from None
                if isinstance(fault, _Refused) or not self._more():
                    detail = fault.msg if isinstance(fault, json.JSONDecodeError) else str(fault)
                    raise Unreadable(f"This is not valid JSON: {detail}.", code="not_json") from None

    def _next(self) -> str:
        """The next character that is no white space, not yet taken; "" at the end."""
        while True:
            found = SPACE.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def _more(self) -> bool:
        """Takes in the next part of the text; False at its end."""
        text = next(self._texts, None)
        if text is None:
            return False
        self._text, self._at = self._text[self._at :] + text, 0
        return True


class _Refused(ValueError):
    pass


def _pairs(pairs: Pairs) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Refused("a name stands twice in one object")
    return found


def _refuse_constant(word: str) -> None:
    raise _Refused(f"{word} is no number")


def _wraps(value: Any) -> bool:
    """Whether it is one object that holds the rows, as this project's own API gives them."""
    rows = value.get(ROWS) if isinstance(value, dict) else None
    return isinstance(rows, list) and bool(rows) and all(isinstance(each, dict) for each in rows)


def _plain(value: Any) -> Any:
    """A value as one cell holds it: what has parts as its JSON, what is too large for a number as text."""
    if isinstance(value, dict | list):
        return json.dumps(value, ensure_ascii=False)
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value
