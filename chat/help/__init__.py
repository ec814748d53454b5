"""Help topics and narratives, read from Markdown files when they are registered.

The prompt of a page contains the narratives of its categories and a list of their topics; the tool get_help returns a
topic in full. A page names its categories in `PageConfig.help`; global topics and narratives are on every page.
"""
from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass, replace
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
    is_global: bool = False


@dataclass(frozen=True)
class HelpNarrative:
    """The text about a category in the prompt: how its topics are connected. `name` is the category."""

    name: str
    text: str
    permission: str = ""
    is_global: bool = False

    @property
    def category(self) -> str:
        """Return the category."""
        return self.name


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


def register_folder(folder: Path, *, is_global: bool = False) -> None:
    """Register every `<category>/<topic>.md` in a folder, in order of name, and each `<category>/_about.md`.

    `is_global`: on every page, not only on those that name the category.
    """
    for path in sorted(folder.glob("*/*.md")):
        text, category = path.read_text(encoding="utf-8"), path.parent.name
        if path.stem == NARRATIVE_STEM:
            help_narratives.register(replace(read_narrative(text, category=category), is_global=is_global))
        else:
            help_topics.register(replace(read_topic(text, name=f"{category}/{path.stem}"), is_global=is_global))


def topics_for(
    may: Callable[[str], bool], *, categories: Collection[str], topics: Registry[HelpTopic] = help_topics
) -> list[HelpTopic]:
    """Return the topics of these categories, and global ones, that the user may read.

    `may(permission)` says whether the user has a permission.
    """
    return [topic for topic in topics if _is_offered(topic, categories) and _readable(topic, may)]


def help_for_prompt(
    may: Callable[[str], bool] = lambda permission: True,
    *,
    categories: Collection[str],
    topics: Registry[HelpTopic] = help_topics,
    narratives: Registry[HelpNarrative] = help_narratives,
) -> str:
    """Return the narratives of these categories and the list of topics for the prompt; "" if there are none."""
    parts = [entry.text for entry in narratives if _is_offered(entry, categories) and _readable(entry, may)]
    lines = [f"- {topic.name}: {topic.summary}" for topic in topics_for(may, categories=categories, topics=topics)]
    if lines:
        parts.append("\n".join([INTRODUCTION, *lines]))
    return "\n\n".join(parts)


def _is_offered(entry: HelpTopic | HelpNarrative, categories: Collection[str]) -> bool:
    return entry.is_global or entry.category in categories


def _readable(entry: HelpTopic | HelpNarrative, may: Callable[[str], bool]) -> bool:
    return not entry.permission or may(entry.permission)
