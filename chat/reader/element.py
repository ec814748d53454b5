"""An element the model wrote: a marker and its JSON, arriving or whole."""
from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import strictjson
from chat.reader.json_span import JsonSpan

MAX_DEPTH = 32
MAX_BYTES = 4 * 1024 * 1024


@dataclass(frozen=True)
class Element:
    """One committed element. `value` is its JSON; `fault` says what is wrong with it, None when it could be read.
    `cut`: the text ended before its JSON did."""

    marker: str
    raw: str
    value: Any = None
    fault: str | None = None
    cut: bool = False


@dataclass
class OpenElement:
    """An element whose JSON is arriving. `held` is the text from a fence around it on, "" where there is none;
    `fence` and `around` are the backticks after the marker and around it (0: none)."""

    marker: str
    span: JsonSpan
    fence: int = 0
    around: int = 0
    held: str = ""

    def element(self) -> Element:
        """The element, now that its JSON is whole."""
        value, fault = _parsed(self.span.raw)
        return Element(marker=self.marker, raw=self.span.raw, value=value, fault=fault)

    def cut_off(self) -> Element:
        """The element as it stands when the text ends before its JSON."""
        return Element(marker=self.marker, raw=self.span.raw, fault="Its JSON does not end.", cut=True)


def _parsed(raw: str) -> tuple[Any, str | None]:
    if len(raw.encode("utf-8", "surrogatepass")) > MAX_BYTES:
        return None, "It is larger than 4 MB."
    try:
        return strictjson.read(raw, max_depth=MAX_DEPTH), None
    except strictjson.NotStrictJson as error:
        return None, error.detail
