"""Finds where a JSON value ends by counting brackets outside strings; each character is looked at once."""
from __future__ import annotations

import re

from chat.reader.operation_watch import DEEPEST, OperationWatch

_OUTSIDE = re.compile(r'["{}\[\]]')
_INSIDE = re.compile(r'["\\]')


class JsonSpan:
    """One value that begins with a bracket and arrives in pieces. A watch is told of what stands near its surface."""

    def __init__(self, watch: OperationWatch | None = None) -> None:
        self._pieces: list[str] = []
        self._depth = 0
        self._in_string = False
        self._escaped = False
        self.watch = watch

    def feed(self, text: str) -> int:
        """Takes text; the answer is where in it the value has ended, or -1 when it goes on."""
        at = 1 if self._escaped and text else 0
        self._escaped = self._escaped and not text
        while True:
            if self._in_string:
                found = _INSIDE.search(text, at)
                if found is None:
                    break
                at = found.end()
                if found.group() == '"':
                    self._in_string = False
                    if self._depth == 1 and self.watch is not None:
                        self.watch.take('"', depth=1, pieces=self._pieces, text=text, at=at)
                elif at < len(text):
                    at += 1
                else:
                    self._escaped = True
                    break
                continue
            found = _OUTSIDE.search(text, at)
            if found is None:
                break
            at = found.end()
            character = found.group()
            if character == '"':
                self._in_string = True
                if self._depth == 1 and self.watch is not None:
                    self.watch.take('"', depth=1, pieces=self._pieces, text=text, at=at)
                continue
            self._depth += 1 if character in "{[" else -1
            if self._depth <= DEEPEST and self.watch is not None:
                self.watch.take(character, depth=self._depth, pieces=self._pieces, text=text, at=at)
            if self._depth == 0:
                self._pieces.append(text[:at])
                return at
        self._pieces.append(text)
        return -1

    @property
    def raw(self) -> str:
        """What has come so far."""
        return "".join(self._pieces)
