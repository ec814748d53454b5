"""Parser, renderer and content negotiation of REST: strict JSON in, compact JSON out, anything else is 415."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import IO, Any

from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request

from chatproject.limits.body_size import json_limits
from shared import strictjson
from shared.rest.encoded_body import EncodedBody


class StrictJsonParser(BaseParser):
    """Parses a body strictly, within the limits of its path. `chatproject.errors` maps StrictJsonError to 400."""

    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        limits = json_limits((parser_context or {})["request"].path)
        return strictjson.loads(stream.read(), max_values=limits.values)


class CompactJsonRenderer(JSONRenderer):
    """Renders JSON without white space; non-ASCII characters are not escaped."""

    compact = True
    ensure_ascii = False
    strict = True

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> Any:
        encoded = data if isinstance(data, EncodedBody) else None
        rendered = super().render(encoded.others if encoded else data, accepted_media_type, renderer_context)
        _break_cycles(renderer_context or {})
        if encoded is None:
            return rendered
        return f"{{{strictjson.dumps(encoded.name)}:{_escaped(encoded.text)},".encode() + rendered[1:]


def _escaped(text: str) -> str:
    """Return JSON text with escapes for those line separators that DRF escapes too."""
    return text if text.isascii() else text.replace("\u2028", "\\u2028").replace("\u2029", "\\u2029")


def _break_cycles(renderer_context: dict[str, Any]) -> None:
    """Remove reference cycles of a finished request.

    DRF's requests, views and responses refer to each other, so the parsed bodies of large writes would remain in memory
    until the next full garbage collection.
    """
    if (view := renderer_context.get("view")) is not None:
        vars(view).clear()
    if (request := renderer_context.get("request")) is not None:
        # The parser may still run, and needs only the Django request.
        request.parser_context["request"] = request._request
    renderer_context.clear()


class AlwaysJson(DefaultContentNegotiation):
    """Ignores the Accept header: there is only JSON, and a refusal would be JSON too."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        first = next(iter(renderers))
        return first, str(first.media_type)
