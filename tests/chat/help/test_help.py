"""Help topics: listed in the prompt, read by a tool, parsed from files."""
from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from chat.agent.tools import ToolContext, tools
from chat.exceptions import RegistryError, ToolFailure
from chat.help import help_for_prompt, help_narratives, help_topics, read_narrative, read_topic
from chat.page_config import PageConfig, pages

GOOD = "# Title\n\nOne line.\n\nThe body,\nof lines.\n\nAnd more."


class Reader:
    """A user with these permissions."""

    def __init__(self, *permissions: str) -> None:
        self.permissions = permissions

    def has_perm(self, name: str) -> bool:
        return name in self.permissions


def get_help(topic: str, *, reader: Reader | None = None, page: str = "table_view") -> Any:
    tool = tools.get("get_help")
    assert tool is not None
    return tool.executor({"topic": topic}, user=reader or Reader(), context=ToolContext(page=page))


def test_topics_of_a_category_are_listed_with_their_summaries() -> None:
    listed = help_for_prompt(categories=["changes"])
    assert [line for line in listed.splitlines() if line.startswith("- ")] == [
        f"- {topic.name}: {topic.summary}" for topic in help_topics if topic.category == "changes"
    ]
    assert "- changes/undo: " in listed


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


STAFF = read_topic(f"Only for: auth.view_user\n\n{GOOD}", name="tables/secret")
ABOUT = read_narrative("Only for: auth.view_user\n\nHow people come here.", category="people")


def prompt_for(reader: Reader, *categories: str) -> str:
    return help_for_prompt(reader.has_perm, categories=categories)


def test_restricted_topic_is_hidden_from_other_users() -> None:
    knows = Reader("auth.view_user")
    with help_topics.registered(STAFF):
        assert "tables/secret" not in prompt_for(Reader(), "tables")
        assert "tables/secret" in prompt_for(knows, "tables")
        with pytest.raises(ToolFailure, match="There is no help topic 'tables/secret'"):
            get_help("tables/secret")
        assert get_help("tables/secret", reader=knows).startswith("# Title")


def test_narrative_is_in_the_prompt_of_permitted_users() -> None:
    with help_narratives.registered(ABOUT):
        assert "How people come here." in prompt_for(Reader("auth.view_user"), "people")
        assert "How people come here." not in prompt_for(Reader(), "people")


def test_page_has_only_topics_of_its_categories_and_global_ones() -> None:
    shared = replace(read_topic(GOOD, name="people/shared"), is_global=True)
    about = replace(read_narrative("About people.", category="people"), is_global=True)
    page = PageConfig(page="minimal")
    with help_topics.registered(shared), help_narratives.registered(about), pages.registered(page):
        listed = prompt_for(Reader())
        assert listed.startswith("About people.\n\n")
        assert [line for line in listed.splitlines() if line.startswith("- ")] == ["- people/shared: One line."]
        assert get_help("people/shared", page="minimal").startswith("# Title")
        with pytest.raises(ToolFailure, match=r"There is no help topic 'changes/undo'\. Topics: people/shared\.$"):
            get_help("changes/undo", page="minimal")
    with pages.registered(page), pytest.raises(ToolFailure, match="no help topics"):
        get_help("changes/undo", page="minimal")


def test_empty_narrative_raises_an_error() -> None:
    with pytest.raises(RegistryError, match="people"):
        read_narrative("Only for: auth.view_user\n\n", category="people")
