"""The URLs that the OpenAPI document describes, and their names."""
from __future__ import annotations

import re
from collections.abc import Iterator
from functools import lru_cache

from django.urls import URLPattern, URLResolver, get_resolver

PARAMETER = re.compile(r"<(?:\w+:)?(?P<name>\w+)>")
# Described URLs that are not below /api/.
SERVER = ("healthz", "readyz", "metrics")


@lru_cache(maxsize=1)
def names_by_path() -> dict[str, str]:
    """Return the names of the URLs by path, such as `/api/tables/{table_id}/`."""
    return {
        PARAMETER.sub(r"{\g<name>}", route): pattern.name
        for route, pattern in _patterns(get_resolver(), prefix="/")
        if pattern.name and (route.startswith("/api/") or pattern.name in SERVER)
    }


def _patterns(resolver: URLResolver, *, prefix: str) -> Iterator[tuple[str, URLPattern]]:
    for entry in resolver.url_patterns:
        route = prefix + str(entry.pattern)
        if isinstance(entry, URLResolver):
            yield from _patterns(entry, prefix=route)
        else:
            yield route, entry
