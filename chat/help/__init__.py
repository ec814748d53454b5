"""Help: Markdown files, read once. The prompt holds the list of topics and the narratives, get_help a topic in full."""
from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from chat.exceptions import RegistryError
from chat.registry import Registry

FOLDER = Path(__file__).parent
NARRATIVE = "_about"
ONLY_FOR = "Only for: "
INTRODUCTION = (
    "Topics you can read in full with get_help(topic). Read one before you explain how something works in the "
    "application; do not explain from memory."
)


@dataclass(frozen=True)
class HelpTopic:
    """One topic. `name` is `<category>/<topic>`; `summary` is one line, `body` Markdown; `permission` is the Django
    permission of those who may read it, "" for everybody."""

    name: str
    category: str
    title: str
    summary: str
    body: str
    permission: str = ""


@dataclass(frozen=True)
class HelpNarrative:
    """What is told of a category in the prompt itself: how its parts belong together. `name` is the category."""

    name: str
    text: str
    permission: str = ""


help_topics: Registry[HelpTopic] = Registry("help topic")
help_narratives: Registry[HelpNarrative] = Registry("help narrative")


def read_topic(text: str, *, name: str) -> HelpTopic:
    """A topic out of its file: `# Title`, one line of summary, the body, with empty lines between; before them, if not
    everybody may read it, `Only for: <permission>`.

    Raises RegistryError for any other form.
    """
    permission, text = _permission(text)
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
    """A narrative out of its file, Markdown without a title. Raises RegistryError when it is empty."""
    permission, text = _permission(text)
    if not text:
        raise RegistryError(f"The narrative of help category {category!r} is empty.")
    return HelpNarrative(name=category, text=text, permission=permission)


def _permission(text: str) -> tuple[str, str]:
    """Who may read a file, and the rest of it."""
    text = text.strip()
    if not text.startswith(ONLY_FOR):
        return "", text
    first, _, rest = text.partition("\n")
    return first.removeprefix(ONLY_FOR).strip(), rest.strip()


def register_folder(folder: Path) -> None:
    """Declares every `<category>/<topic>.md` below a folder, in order of name, and each `<category>/_about.md`."""
    for path in sorted(folder.glob("*/*.md")):
        text, category = path.read_text(encoding="utf-8"), path.parent.name
        if path.stem == NARRATIVE:
            help_narratives.register(read_narrative(text, category=category))
        else:
            help_topics.register(read_topic(text, name=f"{category}/{path.stem}"))


def get_topic(
    name: str, *, may: Callable[[str], bool], topics: Registry[HelpTopic] = help_topics
) -> HelpTopic | None:
    """The topic, if there is one and this person may read it; `may(permission)` says what they may do."""
    topic = topics.get(name)
    return topic if topic is not None and _readable(topic, may) else None


def topics_for(may: Callable[[str], bool], *, topics: Registry[HelpTopic] = help_topics) -> list[HelpTopic]:
    """The topics that somebody may read."""
    return [topic for topic in topics if _readable(topic, may)]


def contents(
    may: Callable[[str], bool] = lambda permission: True,
    *,
    topics: Registry[HelpTopic] = help_topics,
    narratives: Registry[HelpNarrative] = help_narratives,
) -> str:
    """The narratives and the list of topics as they stand in the prompt of somebody; empty when there are none."""
    told = [narrative.text for narrative in narratives if _readable(narrative, may)]
    lines = [f"- {topic.name}: {topic.summary}" for topic in topics_for(may, topics=topics)]
    return "\n\n".join([*told, *(["\n".join([INTRODUCTION, *lines])] if lines else [])])


def _readable(entry: HelpTopic | HelpNarrative, may: Callable[[str], bool]) -> bool:
    return not entry.permission or may(entry.permission)


register_folder(FOLDER)
