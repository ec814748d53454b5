"""Help topics and narratives, read from Markdown files when they are registered.

The prompt contains the narratives and a list of topics; the tool get_help returns a topic in full.
"""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from chat.exceptions import RegistryError
from chat.registry import Registry

FOLDER = Path(__file__).parent
NARRATIVE_STEM = "_about"
PERMISSION_PREFIX = "Only for: "
INTRODUCTION = (
    "Topics to read in full with get_help(topic). Read one before you explain how the application works; do not "
    "explain from memory."
)


@dataclass(frozen=True)
class HelpTopic:
    """One topic. `name` is `<category>/<topic>`, `summary` one line, and `body` Markdown.

    `permission` is the Django permission that is needed to read it, "" if none is.
    """

    name: str
    category: str
    title: str
    summary: str
    body: str
    permission: str = ""


@dataclass(frozen=True)
class HelpNarrative:
    """The text about a category in the prompt: how its topics are connected. `name` is the category."""

    name: str
    text: str
    permission: str = ""


help_topics: Registry[HelpTopic] = Registry("help topic")
help_narratives: Registry[HelpNarrative] = Registry("help narrative")


def read_topic(text: str, *, name: str) -> HelpTopic:
    """Parse the file of a topic: `# Title`, one line of summary, and the body, separated by empty lines.

    A first line `Only for: <permission>` restricts the topic. Raises RegistryError for any other format.
    """
    permission, text = _split_permission(text)
    parts = text.split("\n\n", 2)
    if len(parts) != 3 or not parts[0].startswith("# ") or "\n" in parts[0] + parts[1]:
        raise RegistryError(f"Help topic {name!r} must be `# Title`, one line of summary, and a body.")
    return HelpTopic(
        name=name,
        category=name.split("/", maxsplit=1)[0],
        title=parts[0][2:].strip(),
        summary=parts[1],
        body=parts[2],
        permission=permission,
    )


def read_narrative(text: str, *, category: str) -> HelpNarrative:
    """Parse the file of a narrative: Markdown without a title. Raises RegistryError when it is empty."""
    permission, text = _split_permission(text)
    if not text:
        raise RegistryError(f"The narrative of help category {category!r} is empty.")
    return HelpNarrative(name=category, text=text, permission=permission)


def _split_permission(text: str) -> tuple[str, str]:
    """Return the permission in the first line, or "", and the rest of the text."""
    text = text.strip()
    if not text.startswith(PERMISSION_PREFIX):
        return "", text
    first, _, rest = text.partition("\n")
    return first.removeprefix(PERMISSION_PREFIX).strip(), rest.strip()


def register_folder(folder: Path) -> None:
    """Register every `<category>/<topic>.md` in a folder, in order of name, and each `<category>/_about.md`."""
    for path in sorted(folder.glob("*/*.md")):
        text, category = path.read_text(encoding="utf-8"), path.parent.name
        if path.stem == NARRATIVE_STEM:
            help_narratives.register(read_narrative(text, category=category))
        else:
            help_topics.register(read_topic(text, name=f"{category}/{path.stem}"))


def get_topic(name: str, *, may: Callable[[str], bool], topics: Registry[HelpTopic] = help_topics) -> HelpTopic | None:
    """Return the topic, or None if it does not exist or the user may not read it.

    `may(permission)` says whether the user has a permission.
    """
    topic = topics.get(name)
    return topic if topic is not None and _readable(topic, may) else None


def topics_for(may: Callable[[str], bool], *, topics: Registry[HelpTopic] = help_topics) -> list[HelpTopic]:
    """Return the topics that the user may read."""
    return [topic for topic in topics if _readable(topic, may)]


def help_for_prompt(
    may: Callable[[str], bool] = lambda permission: True,
    *,
    topics: Registry[HelpTopic] = help_topics,
    narratives: Registry[HelpNarrative] = help_narratives,
) -> str:
    """Return the narratives and the list of topics for the prompt; "" if the user may read none."""
    parts = [narrative.text for narrative in narratives if _readable(narrative, may)]
    lines = [f"- {topic.name}: {topic.summary}" for topic in topics_for(may, topics=topics)]
    if lines:
        parts.append("\n".join([INTRODUCTION, *lines]))
    return "\n\n".join(parts)


def _readable(entry: HelpTopic | HelpNarrative, may: Callable[[str], bool]) -> bool:
    return not entry.permission or may(entry.permission)


register_folder(FOLDER)
