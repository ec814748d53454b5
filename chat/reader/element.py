"""An element the model wrote: a marker and its JSON."""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import strictjson

MAX_DEPTH = 32
MAX_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class Element:
    """One committed element. `unclosed`: the text ended before its JSON did.

    The JSON is parsed when somebody first asks, not while the text streams: megabytes take their time.
    """

    marker: str
    raw: str
    unclosed: bool = False

    @property
    def value(self) -> Any:
        """Its JSON; None when it has a fault."""
        return self._parsed[0]

    @property
    def fault(self) -> str | None:
        """What is wrong with its JSON, None when it could be read."""
        return self._parsed[1]

    @cached_property
    def _parsed(self) -> tuple[Any, str | None]:
        if self.unclosed:
            return None, "This is not valid JSON: the text ends before its last bracket is closed."
        if len(self.raw.encode("utf-8", "surrogatepass")) > MAX_BYTES:
            return None, "It is larger than 4 MB."
        try:
            return strictjson.read(self.raw, max_depth=MAX_DEPTH), None
        except strictjson.NotStrictJson as error:
            return None, error.detail
