"""Measure the work of the reader without a clock, by the characters that each of its calls may read."""
from __future__ import annotations

import sys
from collections.abc import Callable
from pathlib import Path
from types import CodeType, FrameType
from typing import Any

import chat.reader
from shared import strictjson

READER_PATHS = tuple(str(Path(str(package.__file__)).parent) for package in (chat.reader, strictjson))


class WorkCounter:
    """Counts the characters of the texts available at each call of Python and C functions.

    These are the local variables of the caller and the attributes of its object. Texts in lists count once they are
    joined. `paths` are the start of the paths of the callers' source files.
    """

    def __init__(self, *, paths: tuple[str, ...] = READER_PATHS) -> None:
        self.characters = 0
        self._paths = paths
        self._known: dict[CodeType, bool] = {}

    def count(self, work: Callable[[], object]) -> int:
        """Do the work, and return the number of characters available over all its calls."""
        before = sys.getprofile()
        sys.setprofile(self._note)
        try:
            work()
        finally:
            sys.setprofile(before)
        return self.characters

    def _note(self, frame: FrameType, event: str, arg: Any) -> None:
        if event in ("call", "c_call") and self._is_watched(frame.f_code):
            local = frame.f_locals
            attributes = getattr(local.get("self"), "__dict__", {})
            self.characters += 1 + _length(local.values()) + _length(attributes.values())

    def _is_watched(self, code: CodeType) -> bool:
        if code not in self._known:
            self._known[code] = code.co_filename.startswith(self._paths)
        return self._known[code]


def _length(values: Any) -> int:
    return sum(len(value) for value in values if type(value) is str)
