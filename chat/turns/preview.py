"""Preview the whole prompt with unsaved changes, built as for a turn."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils import timezone

from chat.catalogue import Catalogue
from chat.configuration import overridden
from chat.exceptions import NotFound
from chat.overrides import current_catalogue, default_catalogue
from chat.page_config import PageConfig, PageContext
from chat.prompt import TURN_SECTIONS, Section, build_turn_blocks, estimate_tokens, new_token
from chat.services.configuration import Edit, overrides_after
from chat.turns.page_settings_summary import page_settings_summary
from chat.turns.prompt_sections import prompt_sections
from chat.turns.snapshot import Page, example_at, page_at, reach_of

CONTEXT_SECTION = 4
NOTHING = Section(0, "", "")


@dataclass(frozen=True)
class Place:
    """What is previewed: a page with tab and subtab, and for which user.

    `real`: with this user's own data of the object `object_id`, otherwise with the page's built-in example.
    """

    user: Any
    page: str
    tab: str = ""
    subtab: str = ""
    object_id: str = ""
    real: bool = False

    def shows(self, page: PageConfig) -> bool:
        """Whether the user's own data is shown, and not the page's example."""
        return self.real and (bool(self.object_id) or not page.object_key)


@dataclass(frozen=True)
class PreviewSection:
    """A section of the prompt. `default`: the text of the code, `stored`: the current text; both may be ""."""

    number: int
    title: str
    text: str
    tokens: int
    default: str
    stored: str

    @property
    def changed(self) -> bool:
        """Whether administrators' changes affect it."""
        return self.text != self.default

    @property
    def unsaved(self) -> bool:
        """Whether unsaved changes affect it."""
        return self.text != self.stored


@dataclass(frozen=True)
class Preview:
    """The sections in order, the declared tools by name with their tokens, and faults of overrides.

    `beside` has the settings that are not part of the prompt.
    """

    sections: tuple[PreviewSection, ...]
    beside: tuple[PreviewSection, ...]
    tools: tuple[tuple[str, int], ...]
    faults: tuple[str, ...]

    @property
    def tokens(self) -> int:
        """Return the estimated tokens of the prompt with its tools."""
        return sum(section.tokens for section in self.sections) + self.tool_tokens

    @property
    def tool_tokens(self) -> int:
        """Return the estimated tokens of the declared tools."""
        return sum(tokens for _, tokens in self.tools)


def preview_prompt(place: Place, *, unsaved: Sequence[Edit] = ()) -> Preview:
    """Return the prompt with these unsaved edits.

    Raises NotFound when the page is switched off, or the user cannot view the object.
    """
    default, stored = default_catalogue(), current_catalogue()
    coming = coming_catalogue(unsaved)
    page = page_of(place, catalogue=coming)
    pages = [_as_by(of, page=page, place=place) for of in (coming, stored, default)]
    # The context does not depend on anything that can be edited.
    context = Section(CONTEXT_SECTION, TURN_SECTIONS[0], _context_text(page))
    return Preview(
        sections=_compared([[*prompt_sections(one), context] if one else [context] for one in pages]),
        beside=_compared([page_settings_summary(one) if one else [] for one in pages]),
        tools=tuple((tool.name, estimate_tokens(tool.as_api())) for tool in page.reach.tools),
        faults=coming.faults,
    )


def coming_catalogue(unsaved: Sequence[Edit]) -> Catalogue:
    """Return the catalogue with these edits, without storing them."""
    stored = current_catalogue()
    if not unsaved:
        return stored
    return overridden(default_catalogue(), overrides_after(unsaved), version=stored.version)


def page_of(place: Place, *, catalogue: Catalogue) -> Page:
    """Return the page. Raises NotFound when it is switched off, or the user cannot view the object."""
    context = PageContext(user=place.user, page=place.page, object_id=place.object_id if place.real else "", view={})
    config = catalogue.pages.get(place.page)
    if config is None or not place.shows(config):
        return example_at(context, tab=place.tab, subtab=place.subtab, catalogue=catalogue)
    try:
        return page_at(context, tab=place.tab, subtab=place.subtab, catalogue=catalogue)
    except Exception as error:
        # Pages of other apps have their own exceptions, with texts for users.
        raise NotFound(f"Cannot preview as {place.user.get_username()}: {error}") from error


def _compared(of: list[list[Section]]) -> tuple[PreviewSection, ...]:
    """Return the sections with the current texts and those of the code."""
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
    """Return the page under this catalogue, or None if it is switched off."""
    if place.page not in catalogue.pages:
        return None
    reach = reach_of(page.context, tab=place.tab, subtab=place.subtab, catalogue=catalogue)
    return replace(page, catalogue=catalogue, reach=reach)


def _context_text(page: Page) -> str:
    context, *_ = build_turn_blocks(
        context=page.block, manifest=(), token=new_token(), today=timezone.localdate(), user_text=""
    )
    return str(context["text"])
