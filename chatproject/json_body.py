"""JSON in and out of REST: read strictly, written compactly; anything else is 415."""
from __future__ import annotations

from collections.abc import Mapping
from typing import IO, Any

from rest_framework.parsers import BaseParser
from rest_framework.renderers import JSONRenderer

import strictjson


class StrictJsonParser(BaseParser):
    """Parses a body with strictjson; its NotStrictJson becomes a 400 in `chatproject.errors`."""

    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        return strictjson.read(stream.read())


class CompactJsonRenderer(JSONRenderer):
    """Always JSON, whatever the client would rather have."""

    compact = True
    ensure_ascii = False
    strict = True
