"""Tool `get_help`: the full text of a help topic."""

from __future__ import annotations

from difflib import get_close_matches
from typing import Any

from chat.agent.tools import ToolConfig, ToolContext, register_tool
from chat.catalogue import CODE
from chat.exceptions import ToolFailure
from chat.help import get_topic, topics_for


def execute(params: dict[str, Any], *, user: Any, context: ToolContext) -> str:
    """Return the topic as Markdown."""
    topics = (context.catalogue or CODE).help_topics
    topic = get_topic(params["topic"], may=user.has_perm, topics=topics)
    if topic is None:
        names = [entry.name for entry in topics_for(user.has_perm, topics=topics)]
        nearest = next(iter(get_close_matches(params["topic"], names, n=1, cutoff=0.4)), None)
        meant = f" Did you mean {nearest}?" if nearest else ""
        raise ToolFailure(f"There is no help topic {params['topic']!r}.{meant}")
    return f"# {topic.title}\n\n{topic.summary}\n\n{topic.body}"


register_tool(
    ToolConfig(
        name="get_help",
        description="Read a help topic about the application in full. The topics are listed under Help.",
        input_schema={
            "type": "object",
            "properties": {"topic": {"type": "string", "description": "Its name in the list, such as changes/undo."}},
            "required": ["topic"],
            "additionalProperties": False,
        },
        executor=execute,
        label="Reading the help",
        category="chat",
        is_global=True,
    )
)
