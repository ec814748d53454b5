"""The provider's own tools to search the web and to open pages, as a request declares them.

The provider runs them. This project itself opens no page. Pages can be opened only by addresses that a search has
returned or that are in the row: the provider refuses all others, so that neither a page nor the model can make up an
address that carries data of the row.
"""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

Json = dict[str, Any]
SEARCH, FETCH = "web_search", "web_fetch"
# The newest versions that the SDK knows; a test compares them.
SEARCH_TYPE, FETCH_TYPE = "web_search_20260318", "web_fetch_20260318"
MAX_PAGE_TOKENS = 10_000


@dataclass(frozen=True)
class WebTools:
    """How much of the web a fill may use: searches and opened pages in each call, and domains.

    At most one of `allowed` (only these domains) and `blocked` has entries.
    """

    searches: int
    pages: int = 0
    allowed: Sequence[str] = ()
    blocked: Sequence[str] = ()

    def declarations(self) -> list[Json]:
        """Return the tools for a request."""
        domains: Json = {}
        if self.allowed:
            domains["allowed_domains"] = list(self.allowed)
        elif self.blocked:
            domains["blocked_domains"] = list(self.blocked)
        # Without programs of the model that call the tools: their results would not all be returned.
        common: Json = {"allowed_callers": ["direct"], **domains}
        tools = [{"type": SEARCH_TYPE, "name": SEARCH, "max_uses": self.searches, **common}]
        if self.pages:
            from_searches = {"type": "only", "tools": [{"type": "tool_reference", "name": SEARCH}]}
            sources = {"user_input": {"type": "all"}, "client_tool_results": {"type": "none"}}
            tools.append(
                {
                    "type": FETCH_TYPE,
                    "name": FETCH,
                    "max_uses": self.pages,
                    "max_content_tokens": MAX_PAGE_TOKENS,
                    "citations": {"enabled": True},
                    "url_sources": {**sources, "server_tool_results": from_searches},
                    **common,
                }
            )
        return tools
