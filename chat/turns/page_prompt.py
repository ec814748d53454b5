"""What the model is told of a page: the sections of the system prompt as they stand for one person, there, now."""
from __future__ import annotations

from chat.help import contents as help_contents
from chat.prompt import Section, system_sections
from chat.turns.snapshot import Page


def sections_of(page: Page) -> list[Section]:
    """Sections 1–3 and 6–8, those with content."""
    config = page.reach.config
    # Without the object that a page is about there is nothing to say about it.
    about = config.stream_instructions if page.context.object_id or not config.object_key else None
    return system_sections(
        page.reach,
        texts=page.catalogue.texts,
        stream_instructions=about(page.context) if about else "",
        help_text=help_contents(
            page.user.has_perm, topics=page.catalogue.help_topics, narratives=page.catalogue.help_narratives
        ),
    )
