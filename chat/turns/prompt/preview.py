"""Preview the whole prompt with unsaved changes, built as for a turn."""
from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from django.utils import timezone

from chat.catalogue import Catalogue
from chat.configuration import overridden
from chat.exceptions import NotFound
from chat.page_config import PageConfig, PageContext
from chat.prompt import TURN_SECTIONS, Section, build_turn_blocks, estimate_tokens, new_token
from chat.selectors.configuration.catalogue import current_catalogue, default_catalogue
from chat.services.configuration.changes import Edit, overrides_after
from chat.turns.page import Page, build_example_page, build_page, resolve_page_entries
from chat.turns.prompt.sections import page_settings_summary, prompt_sections

CONTEXT_SECTION = 4
EMPTY_SECTION = Section(0, "", "")


@dataclass(frozen=True)
class PreviewTarget:
    """The subject of a preview: a page with tab and subtab, and the user to build it for.

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

    `settings` has the settings that are not part of the prompt.
    """

    sections: tuple[PreviewSection, ...]
    settings: tuple[PreviewSection, ...]
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


def preview_prompt(target: PreviewTarget, *, unsaved: Sequence[Edit] = ()) -> Preview:
    """Return the prompt with these unsaved edits.

    Raises NotFound when the page is switched off, or the user cannot view the object.
    """
    default, stored = default_catalogue(), current_catalogue()
    unsaved_version = unsaved_catalogue(unsaved)
    page = preview_page(target, catalogue=unsaved_version)
    versions = (unsaved_version, stored, default)
    pages = [_under_catalogue(version, page=page, target=target) for version in versions]
    # The context does not depend on anything that can be edited.
    context = Section(CONTEXT_SECTION, TURN_SECTIONS[0], _context_text(page))
    return Preview(
        sections=_compared([[*prompt_sections(version), context] if version else [context] for version in pages]),
        settings=_compared([page_settings_summary(version) if version else [] for version in pages]),
        tools=tuple((tool.name, estimate_tokens(tool.as_api())) for tool in page.entries.tools),
        faults=unsaved_version.faults,
    )


def unsaved_catalogue(unsaved: Sequence[Edit]) -> Catalogue:
    """Return the catalogue with these edits, without storing them."""
    stored = current_catalogue()
    if not unsaved:
        return stored
    return overridden(default_catalogue(), overrides_after(unsaved), version=stored.version)


def preview_page(target: PreviewTarget, *, catalogue: Catalogue) -> Page:
    """Return the page. Raises NotFound when it is switched off, or the user cannot view the object."""
    object_id = target.object_id if target.real else ""
    context = PageContext(user=target.user, page=target.page, object_id=object_id, view={})
    config = catalogue.pages.get(target.page)
    if config is None or not target.shows(config):
        return build_example_page(context, tab=target.tab, subtab=target.subtab, catalogue=catalogue)
    try:
        return build_page(context, tab=target.tab, subtab=target.subtab, catalogue=catalogue)
    except Exception as error:
        # Pages of other apps have their own exceptions, with texts for users.
        raise NotFound(f"Cannot preview as {target.user.get_username()}: {error}") from error


def _compared(versions: list[list[Section]]) -> tuple[PreviewSection, ...]:
    """Return the sections with the current texts and those of the code."""
    numbered = [{section.number: section for section in sections} for sections in versions]
    numbers = sorted({number for sections in numbered for number in sections})
    return tuple(_previewed([sections.get(number, EMPTY_SECTION) for sections in numbered]) for number in numbers)


def _previewed(versions: list[Section]) -> PreviewSection:
    section, stored, default = versions
    named = next(version for version in versions if version is not EMPTY_SECTION)
    return PreviewSection(
        number=named.number,
        title=named.title,
        text=section.text,
        tokens=estimate_tokens(section.text) if section.text else 0,
        default=default.text,
        stored=stored.text,
    )


def _under_catalogue(catalogue: Catalogue, *, page: Page, target: PreviewTarget) -> Page | None:
    """Return the page under this catalogue, or None if it is switched off."""
    if target.page not in catalogue.pages:
        return None
    page_entries = resolve_page_entries(page.context, tab=target.tab, subtab=target.subtab, catalogue=catalogue)
    return replace(page, catalogue=catalogue, entries=page_entries)


def _context_text(page: Page) -> str:
    context, *_ = build_turn_blocks(
        context=page.block, manifest=(), token=new_token(), today=timezone.localdate(), user_text=""
    )
    return str(context["text"])
