"""Bodies of responses with a member that is JSON text already."""
from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True)
class EncodedBody:
    """The body of a response: the member `name`, whose JSON is `text`, then at least one of the `others`."""

    name: str
    text: str
    others: Mapping[str, Any]
