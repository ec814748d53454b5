"""Tool newest_papers: return the newest papers of the open report."""
from __future__ import annotations

from typing import Any

from chat.agent.tools import ToolConfig, ToolContext, register_tool
from tests.reports.papers import find_papers, get_report


def execute(params: dict[str, Any], *, user: Any, context: ToolContext) -> str:
    """Return a line for each paper."""
    papers = find_papers(get_report(user, context.object_id), limit=params.get("limit", 5))
    return "\n".join(f"{paper['id']} {paper['title']} ({paper['year']})" for paper in papers)


register_tool(
    ToolConfig(
        name="newest_papers",
        description="Gives the newest papers of the open report.",
        input_schema={
            "type": "object",
            "properties": {"limit": {"type": "integer", "minimum": 1, "maximum": 20}},
            "additionalProperties": False,
        },
        executor=execute,
        label="List the newest papers",
        category="reports",
        examples={"Show the newest papers": {}, "Show the newest {limit} papers": {"limit": "{limit}"}},
    )
)
