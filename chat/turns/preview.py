"""The whole prompt as a turn would begin with it, before a change is saved: put together as turns are."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils import timezone

from chat.catalogue import Catalogue
from chat.configuring import overridden
from chat.exceptions import NotFound
from chat.overrides import current_catalogue, default_catalogue
from chat.page_config import PageConfig, PageContext
from chat.prompt import TURN_SECTIONS, Section, build_turn_blocks, estimate_tokens, new_token
from chat.services.configuration import Edit, coming_overrides
from chat.turns.beside_prompt import beside_prompt
from chat.turns.page_prompt import sections_of
from chat.turns.snapshot import Page, example_at, page_at, reach_of

CONTEXT_SECTION = 4
NOTHING = Section(0, "", "")


@dataclass(frozen=True)
class Place:
    """Where to look from: a page with its tab and subtab, and for whom. `real`: this person's own data, of the object
    `object_id`; otherwise the page's built-in example."""

    user: Any
    page: str
    tab: str = ""
    subtab: str = ""
    object_id: str = ""
    real: bool = False

    def shows(self, page: PageConfig) -> bool:
        """Whether this person's own data is looked at there, and not the page's example."""
        return self.real and (bool(self.object_id) or not page.object_key)


@dataclass(frozen=True)
class PreviewSection:
    """One section. `default` is what the code says there, `stored` what is in force: "" where they say nothing."""

    number: int
    title: str
    text: str
    tokens: int
    default: str
    stored: str

    @property
    def changed(self) -> bool:
        """Whether administrators' changes show in it."""
        return self.text != self.default

    @property
    def unsaved(self) -> bool:
        """Whether something shows in it that is not in force yet."""
        return self.text != self.stored


@dataclass(frozen=True)
class Preview:
    """The sections in their order, the declared tools by name with their tokens, and which changes cannot be used.

    `beside` is what can be configured there that is no part of the prompt.
    """

    sections: tuple[PreviewSection, ...]
    beside: tuple[PreviewSection, ...]
    tools: tuple[tuple[str, int], ...]
    faults: tuple[str, ...]

    @property
    def tokens(self) -> int:
        """About how many all of it takes."""
        return sum(section.tokens for section in self.sections) + self.tool_tokens

    @property
    def tool_tokens(self) -> int:
        """About how many the declared tools take."""
        return sum(tokens for _, tokens in self.tools)


def preview_prompt(place: Place, *, unsaved: Sequence[Edit] = ()) -> Preview:
    """The prompt at this place with these edits made, which are not stored.

    Raises NotFound when the page is switched off there, or what it is about cannot be looked at.
    """
    default, stored = default_catalogue(), current_catalogue()
    coming = coming_catalogue(unsaved)
    page = page_of(place, catalogue=coming)
    pages = [_as_by(of, page=page, place=place) for of in (coming, stored, default)]
    # What is current hangs on nothing that can be changed here.
    context = Section(CONTEXT_SECTION, TURN_SECTIONS[0], _context_text(page))
    return Preview(
        sections=_compared([[*sections_of(one), context] if one else [context] for one in pages]),
        beside=_compared([beside_prompt(one) if one else [] for one in pages]),
        tools=tuple((tool.name, estimate_tokens(tool.as_api())) for tool in page.reach.tools),
        faults=coming.faults,
    )


def coming_catalogue(unsaved: Sequence[Edit]) -> Catalogue:
    """The catalogue as it would be with these edits made; writes nothing."""
    stored = current_catalogue()
    if not unsaved:
        return stored
    return overridden(default_catalogue(), coming_overrides(unsaved), version=stored.version)


def page_of(place: Place, *, catalogue: Catalogue) -> Page:
    """The page as it shows from this place. Raises NotFound when it is switched off, or cannot be looked at."""
    context = PageContext(user=place.user, page=place.page, object_id=place.object_id if place.real else "", view={})
    config = catalogue.pages.get(place.page)
    if config is None or not place.shows(config):
        return example_at(context, tab=place.tab, subtab=place.subtab, catalogue=catalogue)
    try:
        return page_at(context, tab=place.tab, subtab=place.subtab, catalogue=catalogue)
    except Exception as error:
        # Each app's pages refuse in their own way; what they say is for people.
        raise NotFound(f"This cannot be looked at as {place.user.get_username()}: {error}") from error


def _compared(of: list[list[Section]]) -> tuple[PreviewSection, ...]:
    """The sections as they are now, beside those in force and the code's."""
    numbered = [{section.number: section for section in sections} for sections in of]
    numbers = sorted({number for sections in numbered for number in sections})
    return tuple(_previewed([sections.get(number, NOTHING) for sections in numbered]) for number in numbers)


def _previewed(of: list[Section]) -> PreviewSection:
    section, stored, default = of
    named = next(one for one in of if one is not NOTHING)
    return PreviewSection(
        number=named.number,
        title=named.title,
        text=section.text,
        tokens=estimate_tokens(section.text) if section.text else 0,
        default=default.text,
        stored=stored.text,
    )


def _as_by(catalogue: Catalogue, *, page: Page, place: Place) -> Page | None:
    """The page by this catalogue; None where it is switched off there."""
    if place.page not in catalogue.pages:
        return None
    reach = reach_of(page.context, tab=place.tab, subtab=place.subtab, catalogue=catalogue)
    return replace(page, catalogue=catalogue, reach=reach)


def _context_text(page: Page) -> str:
    context, *_ = build_turn_blocks(
        context=page.block, manifest=(), token=new_token(), today=timezone.localdate(), words=""
    )
    return str(context["text"])
