"""Watches a proposal's JSON arrive: each operation as soon as it is whole, and the short texts beside them."""
from __future__ import annotations

from typing import Any

import strictjson

Json = dict[str, Any]
Place = tuple[int, int]  # which piece, and where in it

OPERATIONS = '"operations"'
DEEPEST = 3  # the object is at depth 1, its list of operations at 2, an operation at 3
DEEPEST_OPERATION = 30
LONGEST_TEXT = 1_000


class OperationWatch:
    """Told of quotes and brackets near the surface of one object, in order; every piece of it is joined once.

    `texts` names the texts beside the operations that are wanted. `certain` is false as long as all of it may turn out
    to be a code block that only shows how a proposal looks; `void` is set when it has. `news` is false when there is
    nothing new to tell.
    """

    def __init__(self, payload_type: str, *, texts: frozenset[str] = frozenset(), certain: bool = True) -> None:
        self.payload_type = payload_type
        self.certain = certain
        self.void = False
        self.count = 0  # operations given out so far
        self._wanted = texts
        self._pieces: list[str] = []
        self._text = ""  # the piece that is being read; the others are before it
        self._ready: list[str] = []
        self._found: list[tuple[str, str]] = []
        self._key = ""  # the last key of the object, quotes included, while its value may follow
        self._key_end: Place = (0, 0)
        self._begin: Place | None = None  # of a text or an operation that has not ended
        self._inside = False  # in the list of operations
        self.news = True
        self._broken = False

    def take(self, character: str, *, depth: int, pieces: list[str], text: str, at: int) -> None:
        """A quote at depth 1, or a bracket after which the depth is at most DEEPEST, ends at `at` of `text`, which
        follows `pieces`."""
        self._pieces, self._text = pieces, text
        if character == '"':
            self._quote(at)
        elif character in "{[":
            here = (len(pieces), at - 1)
            if depth == DEEPEST and self._inside and character == "{":
                self._begin = here
            elif depth == 2:
                named = self._key == OPERATIONS and "," not in self._between(self._key_end, here)
                self._inside = named and character == "["
        elif depth == 2 and self._begin is not None:
            self._ready.append(self._between(self._begin, (len(pieces), at)))
            self._begin = None
            self.news = True
        elif depth == 1:
            self._inside = False
            self._key = ""

    def operations(self) -> tuple[Json, ...] | None:
        """The operations finished since last asked, None when there is nothing new to tell; an object that has only
        begun is news, too. After one that cannot be read there are none: the whole is no JSON."""
        if not self.news or not self.certain or self.void or self._broken:
            return None
        self.news = False
        given: list[Json] = []
        for raw in self._ready:
            try:
                given.append(strictjson.read(raw, max_depth=DEEPEST_OPERATION))
            except strictjson.NotStrictJson:
                self._broken = True
                break
        self._ready = []
        self.count += len(given)
        return tuple(given)

    def texts(self) -> dict[str, str]:
        """The wanted texts finished since last asked."""
        found, self._found = self._found, []
        read: dict[str, str] = {}
        for key, raw in found:
            try:
                name, value = strictjson.read(key), strictjson.read(raw)
            except strictjson.NotStrictJson:
                continue
            read[name] = value[:LONGEST_TEXT]
        return read

    def _quote(self, at: int) -> None:
        """A text of the object begins or ends: a key, unless one stands before it and no comma between."""
        if self._begin is None:
            begin = (len(self._pieces), at - 1)
            if self._key and "," in self._between(self._key_end, begin):
                self._key = ""
            self._begin = begin
            return
        end = (len(self._pieces), at)
        whole = self._between(self._begin, end)
        self._begin = None
        if not self._key:
            self._key, self._key_end = whole, end
            return
        if self._key.strip('"') in self._wanted:
            self._found.append((self._key, whole))
            self.news = True
        self._key = ""

    def _between(self, begin: Place, end: Place) -> str:
        """The text from one place to another that lies in the piece that is being read."""
        first, start = begin
        if first == len(self._pieces):
            return self._text[start : end[1]]
        return "".join([self._pieces[first][start:], *self._pieces[first + 1 :], self._text[: end[1]]])
