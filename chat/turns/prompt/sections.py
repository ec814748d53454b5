"""Sections of a page for one user: those of the system prompt, and its settings that are not part of the prompt."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import fields

from chat.catalogue import Engine, PageEntries
from chat.configuration import KINDS
from chat.help import help_for_prompt, topics_for
from chat.page_config import PageConfig
from chat.payload_types import PayloadType
from chat.prompt import Section, system_sections
from chat.turns.page import Page
from shared import strictjson

# The number of the first section of settings, after the sections of the prompt.
FIRST_NUMBER = 9


def prompt_sections(page: Page) -> list[Section]:
    """Return the sections of the system prompt that have content: 1–3 and 6–8."""
    config = page.entries.config
    # Instructions about the object of a page need that object.
    about = config.stream_instructions if page.context.object_id or not config.object_key else None
    return system_sections(
        page.entries,
        texts=page.catalogue.texts,
        stream_instructions=about(page.context) if about else "",
        help_text=help_for_prompt(
            page.user.has_perm,
            categories=config.help,
            topics=page.catalogue.help_topics,
            narratives=page.catalogue.help_narratives,
        ),
    )


def page_settings_summary(page: Page) -> list[Section]:
    """Return the settings of the page that are not part of its prompt, numbered after its sections."""
    categories = page.entries.config.help
    help_topics = topics_for(page.user.has_perm, categories=categories, topics=page.catalogue.help_topics)
    texts = {
        "Model and limits": "\n".join([_limits(page.catalogue.engine), *_model(page.entries.config)]),
        "Interface texts": _interface_texts(page.entries),
        "Tool declarations": "\n\n".join(strictjson.dumps(tool.as_api()) for tool in page.entries.tools),
        "Schemas of structured responses": "\n\n".join(_schema(kind) for kind in page.entries.llm_payload_types),
        "Help topics": "\n\n".join(f"# {topic.title}\n\n{topic.body}" for topic in help_topics),
    }
    numbered = enumerate(texts.items(), start=FIRST_NUMBER)
    return [Section(number, title, text) for number, (title, text) in numbered if text]


def _limits(engine: Engine) -> str:
    values = {field.name: getattr(engine, field.name) for field in fields(engine)}
    return "\n".join(f"{field.label}: {_value(values[field.name])}" for field in KINDS["engine"].fields)


def _model(config: PageConfig) -> Iterator[str]:
    if config.model:
        yield f"Model on this page: {config.model}"
    if config.allow_model_choice:
        yield "Users can choose another model."


def _value(value: object) -> str:
    return f"{value:,}" if isinstance(value, int) else str(value)


def _interface_texts(page_entries: PageEntries) -> str:
    """Return starter prompts, labels of tools and panels of payload types."""
    return "\n".join([*_starters(page_entries), *_labels(page_entries), *_panels(page_entries)])


def _starters(page_entries: PageEntries) -> Iterator[str]:
    return (f"Starter prompt: {starter}" for starter in page_entries.starters)


def _labels(page_entries: PageEntries) -> Iterator[str]:
    return (f"While {tool.name} runs: {tool.label}" for tool in page_entries.tools if tool.label)


def _panels(page_entries: PageEntries) -> Iterator[str]:
    for kind in page_entries.payload_types:
        parts = ", ".join(f"{name} {value}" for name, value in sorted(kind.frontend_config.items()) if value)
        yield f"Panel of {kind.name}: {kind.description} {parts}".rstrip()


def _schema(kind: PayloadType) -> str:
    return f"{kind.parse_marker} {strictjson.dumps(kind.schema)}"
