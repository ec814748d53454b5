"""Tool `get_help`: the full text of a help topic."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from chat.agent.tools import ToolConfig, ToolContext, register_tool
from chat.catalogue import CODE
from chat.exceptions import ToolFailure
from chat.help import topics_for


def execute(params: dict[str, Any], *, user: Any, context: ToolContext) -> str:
    """Return a topic of the page as Markdown."""
    catalogue = context.catalogue or CODE
    page = catalogue.pages.get(context.page)
    categories = page.help if page is not None else ()
    offered = topics_for(user.has_perm, categories=categories, topics=catalogue.help_topics)
    topics = {entry.name: entry for entry in offered}
    topic = topics.get(params["topic"])
    if not topics:
        raise ToolFailure("This page has no help topics. Answer without them.")
    if topic is None:
        nearest = next(iter(get_close_matches(params["topic"], topics, n=1, cutoff=0.4)), None)
        meant = f" Did you mean {nearest}?" if nearest else f" Topics: {', '.join(topics)}."
        raise ToolFailure(f"There is no help topic {params['topic']!r}.{meant}")
    return f"# {topic.title}\n\n{topic.summary}\n\n{topic.body}"


register_tool(
    ToolConfig(
        name="get_help",
        description="Read a topic listed under Help.",
        input_schema={
            "type": "object",
            "properties": {"topic": {"type": "string"}},
            "required": ["topic"],
            "additionalProperties": False,
        },
        executor=execute,
        label="Read help",
        icon="book-open",
        category="chat",
        is_global=True,
    )
)
