"""Help topics: Markdown files beside this room, read once; the prompt lists them, get_help gives them in full."""
from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from chat.exceptions import RegistryError
from chat.registry import Registry

FOLDER = Path(__file__).parent
INTRODUCTION = (
    "Topics you can read in full with get_help(topic). Read one before you explain how something works in the "
    "application; do not explain from memory."
)


@dataclass(frozen=True)
class HelpTopic:
    """One topic. `name` is `<category>/<topic>`; `summary` is one line, `body` Markdown."""

    name: str
    category: str
    title: str
    summary: str
    body: str


help_topics: Registry[HelpTopic] = Registry("help topic")


def read_topic(text: str, *, name: str) -> HelpTopic:
    """A topic out of its file: `# Title`, one line of summary, the body, with empty lines between.

    Raises RegistryError for any other form.
    """
    parts = text.strip().split("\n\n", 2)
    if len(parts) != 3 or not parts[0].startswith("# ") or "\n" in parts[0] + parts[1]:
        raise RegistryError(f"Help topic {name!r} must be `# Title`, one line of summary, and a body.")
    category = name.split("/", maxsplit=1)[0]
    return HelpTopic(name=name, category=category, title=parts[0][2:].strip(), summary=parts[1], body=parts[2])


def register_folder(folder: Path) -> None:
    """Declares every `<category>/<topic>.md` below a folder, in order of name."""
    for path in sorted(folder.glob("*/*.md")):
        name = f"{path.parent.name}/{path.stem}"
        help_topics.register(read_topic(path.read_text(encoding="utf-8"), name=name))


def contents() -> str:
    """The list of topics as it stands in the prompt; empty when there are none."""
    lines = [f"- {topic.name}: {topic.summary}" for topic in help_topics]
    return "\n".join([INTRODUCTION, *lines]) if lines else ""


register_folder(FOLDER)
