"""Links in answers: lookups, access, and the text that remains without them."""
from __future__ import annotations

import json
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from chat.links import MAX_ADDRESSES, Link, LinkKind, addresses_in, link_kinds, links_of_texts, without_links

# tests/js/chat/links.test.mjs uses the same cases where answers are rendered.
CASES = json.loads((Path(__file__).parents[1] / "data" / "links.json").read_text(encoding="utf-8"))
NAMES = st.text(alphabet="ab é*_|#", min_size=1, max_size=12)
IDS = st.text(alphabet="abcXYZ019_-", min_size=1, max_size=64)


@pytest.fixture(scope="module", autouse=True)
def papers() -> Iterator[None]:
    """Register a link type: each user may see the papers that begin with their name."""

    def resolve(user: str, ids: Collection[str]) -> dict[str, Link]:
        return {each: Link(href=f"/papers/{each}/") for each in ids if each.startswith(user)}

    with link_kinds.registered(LinkKind(name="paper", description="a paper.", resolve=resolve)):
        yield


@pytest.mark.parametrize("case", CASES, ids=lambda case: str(case["case"]))
def test_links_are_read_as_the_page_renders_them(case: dict[str, Any]) -> None:
    assert without_links(case["text"]) == case["plain"]
    assert set(case["addresses"]) <= set(addresses_in(case["text"]))


def test_link_has_a_url_only_for_users_with_access() -> None:
    texts = ["[A](paper:ada-1) and [B](paper:bob-1) and [C](unknown:ada-1)", "No link", "[A](paper:ada-1)"]

    assert links_of_texts(texts, user="ada") == [
        {"paper:ada-1": {"href": "/papers/ada-1/", "data": {}}},
        {},
        {"paper:ada-1": {"href": "/papers/ada-1/", "data": {}}},
    ]


def test_latest_answers_have_priority_when_there_are_too_many_links() -> None:
    many = " ".join(f"[x](paper:a{number})" for number in range(MAX_ADDRESSES))
    first, last = links_of_texts([many, "[x](paper:a-last)"], user="a")

    assert list(last) == ["paper:a-last"]
    assert len(first) == MAX_ADDRESSES - 1


@given(st.lists(st.tuples(NAMES, IDS), max_size=6))
def test_each_link_is_found_and_leaves_its_name(links: list[tuple[str, str]]) -> None:
    text = ", ".join(f"[{name}](paper:{identifier})" for name, identifier in links)

    assert addresses_in(text) == list(dict.fromkeys(f"paper:{identifier}" for _, identifier in links))
    assert without_links(text) == ", ".join(name for name, _ in links)


@given(st.text(alphabet="[]()\\`:/<> \npaper1_-é"))
def test_links_have_only_urls_found_by_their_type(text: str) -> None:
    (links,) = links_of_texts([text], user="1")

    assert all(address.startswith("paper:1") for address in links)
    assert all(link["href"] == f"/papers/{address.removeprefix('paper:')}/" for address, link in links.items())
