"""Rows of JSON: a list of objects, or objects one after the other, parsed incrementally."""
from __future__ import annotations

import json
import math
import re
from collections.abc import Collection, Iterator, Sequence
from typing import Any

from shared.user_messages import Message, declare
from shared.user_messages.request_messages import NOT_JSON
from tables.column_types.option_lists import list_text
from tables.importing.file_formats.encodings import decode_chunks
from tables.importing.file_formats.source import Pieces, RawRow, Unreadable

NOT_A_RECORD = declare("not_a_record", "Record {number:,} is not an object of names and values.")
RECORD_NAME_TOO_LONG = declare(
    "record_name_too_long", "A name in record {number:,} has more than {count:,} characters."
)
TOO_MANY_RECORD_NAMES = declare(
    "too_many_record_names", "The records have more than {count:,} different names."
)
NOT_A_LIST_OF_RECORDS = declare("not_a_list_of_records", "A JSON file must contain a list of objects.")
COMMA_MISSING = declare("comma_missing", "A comma is missing between two records.")
AFTER_THE_RECORDS = declare("after_the_records", "There is extra content after the list of records.")
RECORDS_TOO_DEEP = declare("records_too_deep", "The records are nested too deeply.")
RECORD_TOO_LONG = declare("record_too_long", "A record is too long or incomplete.")
REPEATED_NAME = declare("repeated_name", "a name occurs twice in one object")
NOT_A_JSON_VALUE = declare("not_a_json_value", "{word} is not a number")

MAX_RECORD_LENGTH = 4_000_000
MAX_KEYS = 2_000
MAX_KEY_LENGTH = 1_000
SPACE = re.compile(r"[ \t\r\n]*")
ROWS = "rows"
PERSON = {"id", "name"}
Pairs = list[tuple[str, Any]]


class Records:
    """The objects of a JSON text as rows of cells.

    `keys` are the names read so far, in the order of first appearance: the columns of the rows.
    """

    def __init__(self, pieces: Pieces, *, encoding: str) -> None:
        self.keys: dict[str, int] = {}
        self._texts = decode_chunks(pieces, encoding=encoding)
        self._decoder = json.JSONDecoder(object_pairs_hook=_pairs, parse_constant=_refuse_constant)
        self._text, self._at = "", 0

    def rows(self) -> Iterator[RawRow]:
        """Yield each object's number, from 1, and its cells in the order of `keys`. Raises Unreadable."""
        number = 0
        for value in self._values():
            for record in value[ROWS] if number == 0 and _is_wrapper(value) else [value]:
                number += 1
                if not isinstance(record, dict):
                    raise Unreadable(NOT_A_RECORD(number=number), code="not_records")
                yield number, self._cells(record, number=number)

    def _cells(self, record: dict[str, Any], *, number: int) -> list[Any]:
        if not record.keys() <= self.keys.keys():
            for key in record:
                if len(key) > MAX_KEY_LENGTH:
                    message = RECORD_NAME_TOO_LONG(number=number, count=MAX_KEY_LENGTH)
                    raise Unreadable(message, code="name_too_long")
                self.keys.setdefault(key, len(self.keys))
            if len(self.keys) > MAX_KEYS:
                raise Unreadable(TOO_MANY_RECORD_NAMES(count=MAX_KEYS), code="too_many_columns")
        cells: list[Any] = [None] * len(self.keys)
        try:
            for key, value in record.items():
                cells[self.keys[key]] = _cell_value(value)
        except RecursionError:
            raise Unreadable(RECORDS_TOO_DEEP(), code="too_deep") from None
        return cells

    def _values(self) -> Iterator[Any]:
        """Yield the values of the list, or the values one after the other."""
        first = self._next()
        if first not in ("[", "{"):
            raise Unreadable(NOT_A_LIST_OF_RECORDS(), code="not_records")
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
                # A comma must be followed by a value: a bracket there is refused as one.
                self._next()
            elif sign != "]":
                raise Unreadable(COMMA_MISSING(), code="not_json")
        self._at += 1
        if self._next():
            raise Unreadable(AFTER_THE_RECORDS(), code="not_json")

    def _value(self) -> Any:
        while True:
            try:
                value, self._at = self._decoder.raw_decode(self._text, self._at)
                return value
            except RecursionError:
                raise Unreadable(RECORDS_TOO_DEEP(), code="too_deep") from None
            except ValueError as fault:
                if len(self._text) - self._at > MAX_RECORD_LENGTH:
                    raise Unreadable(RECORD_TOO_LONG(), code="not_json") from None
                if isinstance(fault, _Refused) or not self._more():
                    raise Unreadable(NOT_JSON(reason=_reason(fault)), code="not_json") from None

    def _next(self) -> str:
        """Return the next character after white space without consuming it; "" at the end."""
        while True:
            found = SPACE.match(self._text, self._at)
            self._at = found.end() if found else self._at
            if self._at < len(self._text):
                return self._text[self._at]
            if not self._more():
                return ""

    def _more(self) -> bool:
        """Read the next chunk of the text; return False at its end."""
        text = next(self._texts, None)
        if text is None:
            return False
        self._text, self._at = self._text[self._at :] + text, 0
        return True


class _Refused(ValueError):
    """JSON that Python accepts and this project does not."""

    def __init__(self, message: Message) -> None:
        super().__init__(message)
        self.message = message


def _reason(fault: ValueError) -> Message | str:
    """Return why a text is not JSON; the messages of Python's decoder are English only."""
    if isinstance(fault, _Refused):
        return fault.message
    return fault.msg if isinstance(fault, json.JSONDecodeError) else str(fault)


def _pairs(pairs: Pairs) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise _Refused(REPEATED_NAME())
    return found


def _refuse_constant(word: str) -> None:
    raise _Refused(NOT_A_JSON_VALUE(word=word))


def _is_wrapper(value: Any) -> bool:
    """Return whether the value is an object that contains the rows, as in responses of this project's API."""
    rows = value.get(ROWS) if isinstance(value, dict) else None
    return isinstance(rows, list) and bool(rows) and all(isinstance(each, dict) for each in rows)


class PersonText(str):
    """An object with only an id and a name as JSON, as exports have people; `name` is its text for other types."""

    name: str

    @classmethod
    def of(cls, value: dict[str, Any]) -> PersonText:
        """Return the text of an object."""
        text = cls(_json(value))
        text.name = value["name"]
        return text


def without_ids(cells: Sequence[Any], *, people: Collection[int] = ()) -> list[Any]:
    """Return cells with the names of people, except in the columns with ids of people."""
    return [
        cell.name if isinstance(cell, PersonText) and index not in people else cell for index, cell in enumerate(cells)
    ]


def _cell_value(value: Any) -> Any:
    """Return a value as one cell: lists of texts as one text, other nested values as JSON, large numbers as text."""
    if isinstance(value, list) and value and all(isinstance(each, str) and each.strip() for each in value):
        return list_text(value)
    if isinstance(value, dict) and value.keys() == PERSON and isinstance(value["name"], str):
        return PersonText.of(value)
    if isinstance(value, dict | list):
        return _json(value)
    return str(value) if isinstance(value, float) and not math.isfinite(value) else value


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
