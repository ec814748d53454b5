"""JSON in and out of REST: read strictly, written compactly; anything else is 415."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import IO, Any

from rest_framework.negotiation import DefaultContentNegotiation
from rest_framework.parsers import BaseParser
from rest_framework.renderers import BaseRenderer, JSONRenderer
from rest_framework.request import Request

from chatproject.body_limits import json_limits
from shared import strictjson


class StrictJsonParser(BaseParser):
    """Parse a body strictly, within the limits of its URL. `chatproject.errors` maps StrictJsonError to 400."""

    media_type = "application/json"

    def parse(
        self, stream: IO[Any], media_type: str | None = None, parser_context: Mapping[str, Any] | None = None
    ) -> Any:
        limits = json_limits((parser_context or {})["request"].path)
        return strictjson.loads(stream.read(), max_values=limits.values)


class CompactJsonRenderer(JSONRenderer):
    """JSON without white space, every character as it is."""

    compact = True
    ensure_ascii = False
    strict = True

    def render(self, data: Any, accepted_media_type: str | None = None, renderer_context: Any = None) -> Any:
        rendered = super().render(data, accepted_media_type, renderer_context)
        _break_cycles(renderer_context or {})
        return rendered


def _break_cycles(renderer_context: dict[str, Any]) -> None:
    """Clear what a request that has been answered leaves in DRF's views and contexts.

    Requests, views and responses refer to each other and to themselves. The parsed body of a large write would stay in
    memory until the next full garbage collection, beside those of the writes that come before it.
    """
    if (view := renderer_context.get("view")) is not None:
        vars(view).clear()
    if (request := renderer_context.get("request")) is not None:
        # The Django request is enough for the parser, where the body is read only now.
        request.parser_context["request"] = request._request
    renderer_context.clear()


class AlwaysJson(DefaultContentNegotiation):
    """Answers JSON whatever the client would rather have: there is nothing else, and a refusal would be JSON too."""

    def select_renderer(
        self, request: Request, renderers: Iterable[BaseRenderer], format_suffix: str | None = None
    ) -> tuple[BaseRenderer, str]:
        first = next(iter(renderers))
        return first, str(first.media_type)
