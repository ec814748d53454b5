"""Reasons and errors of fills in the language of the page that requests them."""
from __future__ import annotations

from typing import Any

from rest_framework.request import Request

from shared.user_messages.rendering import localize_detail
from shared.user_messages.request_language import is_api_client, reader_language

Json = dict[str, Any]


def localized(items: list[Json], *, request: Request) -> list[Json]:
    """Return fills or results with their `reason`, `error` or `fault` as the user reads it; English for API clients."""
    if is_api_client(request):
        return items
    with reader_language(request):
        return [
            {**item, **{name: localize_detail(item[name]) for name in ("reason", "error", "fault") if item.get(name)}}
            for item in items
        ]
