"""An element the model wrote: a marker and its JSON, arriving or whole."""
from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import strictjson
from chat.reader.json_span import JsonSpan

MAX_DEPTH = 32
MAX_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class Element:
    """One committed element. `cut`: the text ended before its JSON did.

    The JSON is parsed when somebody first asks, not while the text streams: megabytes take their time.
    """

    marker: str
    raw: str
    cut: bool = False

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
        if self.cut:
            return None, "Its JSON does not end."
        if len(self.raw.encode("utf-8", "surrogatepass")) > MAX_BYTES:
            return None, "It is larger than 4 MB."
        try:
            return strictjson.read(self.raw, max_depth=MAX_DEPTH), None
        except strictjson.NotStrictJson as error:
            return None, error.detail


@dataclass
class OpenElement:
    """An element whose JSON is arriving. `opening` is the text before its JSON: the marker, and the fence around it if
    there is one."""

    marker: str
    span: JsonSpan
    opening: str

    def element(self, *, cut: bool = False) -> Element:
        """The element as it stands."""
        return Element(marker=self.marker, raw=self.span.raw, cut=cut)

    @property
    def length(self) -> int:
        """How many characters of the text it has taken up to now."""
        return len(self.opening) + len(self.span.raw)
