"""Help topics: listed in the prompt, read in full by tool, in one form."""
from __future__ import annotations

from typing import Any

import pytest

from chat.agent.tools import ToolContext, tools
from chat.exceptions import RegistryError, ToolFailure
from chat.help import contents, help_topics, read_topic

GOOD = "# Title\n\nOne line.\n\nThe body,\nof lines.\n\nAnd more."


def get_help(topic: str) -> Any:
    tool = tools.get("get_help")
    assert tool is not None
    return tool.executor({"topic": topic}, user=None, context=ToolContext(page="table_view"))


def test_every_topic_is_listed_with_its_summary() -> None:
    listed = contents()
    assert all(f"- {topic.name}: {topic.summary}" in listed for topic in help_topics)
    assert "changes/undo" in help_topics.names()


def test_a_topic_is_read_in_full() -> None:
    topic = help_topics.get("changes/undo")
    assert topic is not None
    assert get_help("changes/undo").endswith(topic.body)


def test_an_unknown_topic_is_answered_with_the_nearest() -> None:
    with pytest.raises(ToolFailure, match="changes/undo"):
        get_help("undo")


def test_a_file_is_title_summary_and_body() -> None:
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
def test_any_other_form_is_a_developers_mistake(text: str) -> None:
    with pytest.raises(RegistryError, match="tables/example"):
        read_topic(text, name="tables/example")
