"""The sections of the system prompt of a page for one user."""
from __future__ import annotations

from chat.help import help_for_prompt
from chat.prompt import Section, system_sections
from chat.turns.snapshot import Page


def prompt_sections(page: Page) -> list[Section]:
    """Return those of sections 1–3 and 6–8 that have content."""
    config = page.reach.config
    # Instructions about the object of a page need that object.
    about = config.stream_instructions if page.context.object_id or not config.object_key else None
    return system_sections(
        page.reach,
        texts=page.catalogue.texts,
        stream_instructions=about(page.context) if about else "",
        help_text=help_for_prompt(
            page.user.has_perm, topics=page.catalogue.help_topics, narratives=page.catalogue.help_narratives
        ),
    )
