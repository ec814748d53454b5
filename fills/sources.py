"""Which sources of an answer count: only those whose address the model has been given, never one that it made up."""
from __future__ import annotations

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit, urlunsplit

from fills.prompt import MAX_QUOTE, MAX_SOURCES, MAX_TITLE, MAX_URL
from shared import strictjson

Json = dict[str, Any]
ADDRESS = re.compile(r"https?://[^\s\"'<>\\{}|^`]+", re.IGNORECASE)
AFTER_ADDRESS = ".,;:!?)]"
SEARCH_RESULT, FETCH_RESULT = "web_search_tool_result", "web_fetch_tool_result"


class KnownSources:
    """The addresses that may be sources, each with the title and the quote that the provider has for it."""

    def __init__(self, sources: Iterable[Json] = ()) -> None:
        self._by_address: dict[str, Json] = {}
        for source in sources:
            self.add(source)

    @classmethod
    def in_cells(cls, cells: Mapping[str, Any]) -> KnownSources:
        """Return the addresses in the cells of a row."""
        found = ADDRESS.findall(strictjson.dumps(dict(cells)))
        return cls(_source(url=text) for each in found for text in {each, each.rstrip(AFTER_ADDRESS)})

    def add(self, source: Json) -> None:
        """Add a source, or its quote to one with the same address."""
        address = normal_address(source["url"])
        if not address:
            return
        known = self._by_address.setdefault(address, source)
        known["quote"] = known["quote"] or source["quote"]

    def add_returned(self, blocks: Sequence[Json]) -> None:
        """Add what the provider's search and fetch tools have returned in these blocks, and the citations of texts."""
        for block in blocks:
            for source in _returned(block):
                self.add(source)

    def verified(self, given: Sequence[Json]) -> tuple[tuple[Json, ...], bool]:
        """Return those of the model's sources that are known, then cited ones, and whether one was left out.

        Addresses and quotes are the provider's where it has some.
        """
        found: dict[str, Json] = {}
        left_out = False
        for source in given:
            address = normal_address(source["url"])
            known = self._by_address.get(address)
            if known is None:
                left_out = left_out or bool(source["url"])
                continue
            title, quote = known["title"] or source["title"], known["quote"] or source["quote"]
            found.setdefault(address, {"url": known["url"], "title": title, "quote": quote})
        cited = {address: dict(known) for address, known in self._by_address.items() if known["quote"]}
        return tuple([*found.values(), *(cited[each] for each in cited if each not in found)][:MAX_SOURCES]), left_out


def normal_address(text: str) -> str:
    """Return an address in the form in which addresses are compared, "" for what is no web address."""
    try:
        parts = urlsplit(text.strip())
        host = parts.hostname
    except ValueError:
        return ""
    if parts.scheme not in {"http", "https"} or not host or len(text) > MAX_URL:
        return ""
    return urlunsplit((parts.scheme, parts.netloc.lower(), parts.path or "/", parts.query, ""))


def _source(*, url: Any, title: Any = "", quote: Any = "") -> Json:
    texts = {"url": (url, MAX_URL + 1), "title": (title, MAX_TITLE), "quote": (quote, MAX_QUOTE)}
    return {
        name: strictjson.replace_unstorable_text(text if isinstance(text, str) else "").strip()[:most]
        for name, (text, most) in texts.items()
    }


def _returned(block: Json) -> list[Json]:
    """Return the sources in one block. Errors of the tools have another form and no sources."""
    content = block.get("content")
    if block["type"] == SEARCH_RESULT and isinstance(content, list):
        items = [each for each in content if isinstance(each, dict)]
        return [_source(url=each.get("url"), title=each.get("title")) for each in items]
    if block["type"] == FETCH_RESULT and isinstance(content, dict) and content.get("type") == "web_fetch_result":
        document = content.get("content")
        title = document.get("title") if isinstance(document, dict) else ""
        return [_source(url=content.get("url"), title=title)]
    if block["type"] == "text":
        items = [each for each in block.get("citations") or () if isinstance(each, dict)]
        return [
            _source(url=each.get("url"), title=each.get("title"), quote=each.get("cited_text"))
            for each in items
            if each.get("type") == "web_search_result_location"
        ]
    return []
