"""Elements that the model wrote: a marker and its JSON, and its operations while the JSON arrives."""
from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from shared import strictjson

Json = dict[str, Any]
Position = tuple[int, int]  # index of a piece, and offset in it

MAX_DEPTH = 32
MAX_BYTES = 4 * 1024 * 1024
OPERATIONS = '"operations"'
MAX_WATCHED_DEPTH = 3  # the object has depth 1, its list of operations 2, an operation 3
MAX_OPERATION_DEPTH = 30
MAX_TEXT_LENGTH = 1_000
_OUTSIDE_STRINGS = re.compile(r'["{}\[\]]')
_INSIDE_STRINGS = re.compile(r'["\\]')


@dataclass(frozen=True)
class Element:
    """A complete element. `unclosed`: the text ended before its JSON did.

    The JSON is parsed on first access and not while the text streams, because megabytes take long.
    """

    marker: str
    raw: str
    unclosed: bool = False

    @property
    def value(self) -> Any:
        """The parsed JSON, or None if it has a fault."""
        return self._parsed[0]

    @property
    def fault(self) -> str | None:
        """The fault of the JSON, or None."""
        return self._parsed[1]

    @cached_property
    def _parsed(self) -> tuple[Any, str | None]:
        if self.unclosed:
            return None, "This is not valid JSON: the text ends before its last bracket is closed."
        if len(self.raw.encode("utf-8", "surrogatepass")) > MAX_BYTES:
            return None, "It is larger than 4 MB."
        try:
            return strictjson.loads(self.raw, max_depth=MAX_DEPTH), None
        except strictjson.StrictJsonError as error:
            return None, error.detail


class OperationWatch:
    """Collects the operations of a proposal while its JSON arrives; each piece of it is joined once.

    `texts` are the keys of texts outside the operations to collect as well. `is_certain` is false while the element may
    be part of a code block, as an example; `is_void` is set if it is. `has_update`: there may be something new.
    """

    def __init__(self, payload_type: str, *, texts: frozenset[str] = frozenset(), is_certain: bool = True) -> None:
        self.payload_type = payload_type
        self.is_certain = is_certain
        self.is_void = False
        self.count = 0  # operations returned so far
        self._text_keys = texts
        self._pieces: list[str] = []
        self._text = ""  # the current piece, which follows the others
        self._ready: list[str] = []
        self._found_texts: list[tuple[str, str]] = []
        self._key = ""  # the last key of the object, including quotes, while its value may follow
        self._key_end: Position = (0, 0)
        self._start: Position | None = None  # of the open text or operation
        self._in_operations = False  # whether the list of operations is open
        self.has_update = True
        self._is_invalid = False

    def on_character(self, character: str, *, depth: int, pieces: list[str], text: str, at: int) -> None:
        """Process a quote at depth 1, or a bracket after which the depth is at most MAX_WATCHED_DEPTH.

        It ends at `at` in `text`, which follows `pieces`.
        """
        self._pieces, self._text = pieces, text
        if character == '"':
            self._quote(at)
        elif character in "{[":
            here = (len(pieces), at - 1)
            if depth == MAX_WATCHED_DEPTH and self._in_operations and character == "{":
                self._start = here
            elif depth == 2:
                named = self._key == OPERATIONS and "," not in self._between(self._key_end, here)
                self._in_operations = named and character == "["
        elif depth == 2 and self._start is not None:
            self._ready.append(self._between(self._start, (len(pieces), at)))
            self._start = None
            self.has_update = True
        elif depth == 1:
            self._in_operations = False
            self._key = ""

    def take_operations(self) -> tuple[Json, ...] | None:
        """Return the operations that are complete since the last call, or None if there is nothing new.

        The start of the object is new as well. After an operation that is not valid JSON there are no more.
        """
        if not self.has_update or not self.is_certain or self.is_void or self._is_invalid:
            return None
        self.has_update = False
        operations: list[Json] = []
        for raw in self._ready:
            try:
                operations.append(strictjson.loads(raw, max_depth=MAX_OPERATION_DEPTH))
            except strictjson.StrictJsonError:
                self._is_invalid = True
                break
        self._ready = []
        self.count += len(operations)
        return tuple(operations)

    def take_texts(self) -> dict[str, str]:
        """Return the texts that are complete since the last call."""
        found, self._found_texts = self._found_texts, []
        read: dict[str, str] = {}
        for key, raw in found:
            try:
                name, value = strictjson.loads(key), strictjson.loads(raw)
            except strictjson.StrictJsonError:
                continue
            read[name] = value[:MAX_TEXT_LENGTH]
        return read

    def _quote(self, at: int) -> None:
        """Process the quote at the start or end of a text: a key, or a value if a key precedes it without a comma."""
        if self._start is None:
            start = (len(self._pieces), at - 1)
            if self._key and "," in self._between(self._key_end, start):
                self._key = ""
            self._start = start
            return
        end = (len(self._pieces), at)
        whole = self._between(self._start, end)
        self._start = None
        if not self._key:
            self._key, self._key_end = whole, end
            return
        if self._key.strip('"') in self._text_keys:
            self._found_texts.append((self._key, whole))
            self.has_update = True
        self._key = ""

    def _between(self, start: Position, end: Position) -> str:
        """Return the text between two positions, of which the end is in the current piece."""
        first, offset = start
        if first == len(self._pieces):
            return self._text[offset : end[1]]
        return "".join([self._pieces[first][offset:], *self._pieces[first + 1 :], self._text[: end[1]]])


class JsonScanner:
    """Finds the end of a JSON value that arrives in pieces, by counting brackets outside strings.

    The value starts with a bracket. Each character is read once. The watch processes quotes and brackets of the first
    levels.
    """

    def __init__(self, watch: OperationWatch | None = None) -> None:
        self._pieces: list[str] = []
        self._depth = 0
        self._in_string = False
        self._escaped = False
        self.watch = watch

    def feed(self, text: str) -> int:
        """Add text, and return the position in it at which the value ends, or -1."""
        at = 1 if self._escaped and text else 0
        self._escaped = self._escaped and not text
        while True:
            if self._in_string:
                found = _INSIDE_STRINGS.search(text, at)
                if found is None:
                    break
                at = found.end()
                if found.group() == '"':
                    self._in_string = False
                    if self._depth == 1 and self.watch is not None:
                        self.watch.on_character('"', depth=1, pieces=self._pieces, text=text, at=at)
                elif at < len(text):
                    at += 1
                else:
                    self._escaped = True
                    break
                continue
            found = _OUTSIDE_STRINGS.search(text, at)
            if found is None:
                break
            at = found.end()
            character = found.group()
            if character == '"':
                self._in_string = True
                if self._depth == 1 and self.watch is not None:
                    self.watch.on_character('"', depth=1, pieces=self._pieces, text=text, at=at)
                continue
            self._depth += 1 if character in "{[" else -1
            if self._depth <= MAX_WATCHED_DEPTH and self.watch is not None:
                self.watch.on_character(character, depth=self._depth, pieces=self._pieces, text=text, at=at)
            if self._depth == 0:
                self._pieces.append(text[:at])
                return at
        self._pieces.append(text)
        return -1

    @property
    def raw(self) -> str:
        """The text of the value so far."""
        return "".join(self._pieces)
