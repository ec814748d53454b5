"""Help topics: listed in the prompt, read by a tool, parsed from files."""
from __future__ import annotations

from typing import Any

import pytest

from chat.agent.tools import ToolContext, tools
from chat.exceptions import RegistryError, ToolFailure
from chat.help import help_for_prompt, help_narratives, help_topics, read_narrative, read_topic

GOOD = "# Title\n\nOne line.\n\nThe body,\nof lines.\n\nAnd more."


class Reader:
    """A user with these permissions."""

    def __init__(self, *permissions: str) -> None:
        self.permissions = permissions

    def has_perm(self, name: str) -> bool:
        return name in self.permissions


def get_help(topic: str, *, reader: Reader | None = None) -> Any:
    tool = tools.get("get_help")
    assert tool is not None
    return tool.executor({"topic": topic}, user=reader or Reader(), context=ToolContext(page="table_view"))


def test_every_topic_is_listed_with_its_summary() -> None:
    listed = help_for_prompt()
    assert all(f"- {topic.name}: {topic.summary}" in listed for topic in help_topics)
    assert "changes/undo" in help_topics.names()


def test_topic_is_read_in_full() -> None:
    topic = help_topics.get("changes/undo")
    assert topic is not None
    assert get_help("changes/undo").endswith(topic.body)


def test_unknown_topic_gets_a_suggestion() -> None:
    with pytest.raises(ToolFailure, match="changes/undo"):
        get_help("undo")


def test_file_has_title_summary_and_body() -> None:
    topic = read_topic(GOOD, name="tables/example")
    assert (topic.category, topic.title, topic.summary) == ("tables", "Title", "One line.")
    assert topic.body == "The body,\nof lines.\n\nAnd more."


@pytest.mark.parametrize(
    "text",
    [
        pytest.param("Title\n\nOne line.\n\nBody.", id="no title"),
        pytest.param("# Title\n\nOne line.", id="no body"),
        pytest.param("# Title\n\nTwo\nlines.\n\nBody.", id="summary of two lines"),
    ],
)
def test_other_formats_raise_an_error(text: str) -> None:
    with pytest.raises(RegistryError, match="tables/example"):
        read_topic(text, name="tables/example")


STAFF = read_topic(f"Only for: auth.view_user\n\n{GOOD}", name="people/secret")
ABOUT = read_narrative("Only for: auth.view_user\n\nHow people come here.", category="people")


def test_restricted_topic_is_hidden_from_other_users() -> None:
    knows = Reader("auth.view_user")
    with help_topics.lent(STAFF):
        assert "people/secret" not in help_for_prompt(Reader().has_perm)
        assert "people/secret" in help_for_prompt(knows.has_perm)
        with pytest.raises(ToolFailure, match=r"There is no help topic 'people/secret'\.$"):
            get_help("people/secret")
        assert get_help("people/secret", reader=knows).startswith("# Title")


def test_narrative_is_in_the_prompt_of_permitted_users() -> None:
    with help_narratives.lent(ABOUT):
        assert "How people come here." in help_for_prompt(Reader("auth.view_user").has_perm)
        assert "How people come here." not in help_for_prompt(Reader().has_perm)
    assert "A proposal is not a change until the user applies it." in help_for_prompt(Reader().has_perm)


def test_empty_narrative_raises_an_error() -> None:
    with pytest.raises(RegistryError, match="people"):
        read_narrative("Only for: auth.view_user\n\n", category="people")
