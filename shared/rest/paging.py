"""The links from one page of a list to the next."""

from __future__ import annotations

from urllib.parse import urlencode

from rest_framework.request import Request


def next_page_url(request: Request, *, shown: int, count: int) -> str | None:
    """Return the URL of the page after the first `shown` entries, None if these are all `count` of them."""
    return changed_url(request, offset=shown) if shown < count else None


def changed_url(request: Request, **changed: int | str) -> str:
    """Return the path and query of the request with some parameters changed."""
    query = {**{name: request.query_params[name] for name in request.query_params}, **changed}
    return f"{request.path}?{urlencode(query)}"
