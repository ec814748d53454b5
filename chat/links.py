"""Links in answers to objects of applications: notation, kinds, and targets for a user.

The model writes an ordinary Markdown link whose address is `kind:id`, such as `[Acme](row:12)`. Applications register
the kinds. An address is resolved only if its kind finds the id for this reader; the others are drawn as plain text.
`static/markdown.js` and `static/chat/object_link.js` read the same notation in the browser.
"""
from __future__ import annotations

import logging
import re
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from chat.registry import Registry

log = logging.getLogger(__name__)

Json = dict[str, Any]

# Maximum number of distinct addresses that are looked up for one response; the newest answers take precedence.
MAX_ADDRESSES = 1_000
KIND = r"[a-z][a-z0-9_]{0,30}"
ADDRESS = re.compile(rf"(?<![\w.:/-])(?P<kind>{KIND}):(?P<id>[A-Za-z0-9_-]{{1,64}})(?![\w:/-])", re.ASCII)
# Inline code is matched first, so that a link in it is not changed.
CODE_OR_LINK = re.compile(
    rf"(?P<code>(?<!`)(?P<ticks>`+)(?!`).*?(?<!`)(?P=ticks)(?!`))"
    rf"|(?<!\\)\[(?P<name>(?:\\.|[^\[\]\\\n]){{0,500}})\]\({KIND}:[A-Za-z0-9_-]{{1,64}}\)",
    re.DOTALL,
)


@dataclass(frozen=True)
class Link:
    """The target of a link: `href`, a path of this site, and `data` for a page's script that shows it."""

    href: str
    data: Json = field(default_factory=dict)


@dataclass(frozen=True)
class LinkKind:
    """One kind of link. `description` explains the id to the model.

    `resolve(user, ids)` is sync and may read the database. It returns a Link for each id that this user may see; ids it
    leaves out are drawn as plain text. Ids are up to 64 letters, digits, `_` and `-`, exactly as the model wrote them.
    """

    name: str
    description: str
    resolve: Callable[[Any, Collection[str]], Mapping[str, Link]]
    is_global: bool = False


link_kinds: Registry[LinkKind] = Registry("link kind")


def register_link_kind(entry: LinkKind) -> LinkKind:
    """Register a kind of link."""
    return link_kinds.register(entry)


def addresses_in(text: str) -> list[str]:
    """Return every `kind:id` of a registered kind in the text, each once; not all of them need to be links."""
    found = ADDRESS.finditer(text) if ":" in text else ()
    return list(dict.fromkeys(match[0] for match in found if match["kind"] in link_kinds))


def without_links(text: str) -> str:
    """Return the text with each link replaced by its name."""
    return CODE_OR_LINK.sub(lambda found: found["code"] if found["name"] is None else found["name"], text)


def links_of_texts(texts: Sequence[str], *, user: Any) -> list[Json]:
    """Return for each text `{address: {"href", "data"}}` of the addresses that this user may view.

    Each kind is resolved once for all texts. If there are too many addresses, those of the last texts take precedence.
    """
    by_text = [addresses_in(text) for text in texts]
    wanted = dict.fromkeys(address for addresses in reversed(by_text) for address in addresses)
    if not wanted:
        return [{} for _ in texts]
    found = dict(_resolved(list(wanted)[:MAX_ADDRESSES], user=user))
    return [{address: found[address] for address in addresses if address in found} for addresses in by_text]


def _resolved(addresses: Iterable[str], *, user: Any) -> Iterator[tuple[str, Json]]:
    ids: dict[str, list[str]] = {}
    for address in addresses:
        name, _, identifier = address.partition(":")
        ids.setdefault(name, []).append(identifier)
    for kind in link_kinds.named(ids):
        for identifier, link in kind.resolve(user, ids[kind.name]).items():
            yield f"{kind.name}:{identifier}", {"href": link.href, "data": link.data}
