"""Tool search_papers: search the papers of the open report, with progress and a payload of the results."""
from __future__ import annotations

from collections.abc import AsyncIterator
from typing import Any

from asgiref.sync import sync_to_async

from chat.agent.tools import ToolConfig, ToolContext, ToolProgress, ToolResult, register_tool
from tests.reports.papers import find_papers, get_report


async def execute(
    params: dict[str, Any], *, user: Any, context: ToolContext
) -> AsyncIterator[ToolProgress | ToolResult]:
    """Yield progress, then the text for the model with the payload."""
    words = params["words"]
    yield ToolProgress(stage="search", message="Searching titles and authors", progress=0.1)
    report = await sync_to_async(get_report)(user, context.object_id)
    papers = await sync_to_async(find_papers)(report, words=words)
    yield ToolProgress(stage="found", message=f"{len(papers)} papers found", progress=1.0)
    titles = "; ".join(f"{paper['id']} {paper['title']} ({paper['year']})" for paper in papers)
    yield ToolResult(
        text=titles or "No paper has these words.",
        payload={"type": "paper_list", "data": {"words": words, "papers": papers}} if papers else None,
    )


register_tool(
    ToolConfig(
        name="search_papers",
        description="Finds papers of the open report by words in their titles and authors.",
        input_schema={
            "type": "object",
            "properties": {"words": {"type": "string", "minLength": 1, "maxLength": 200}},
            "required": ["words"],
            "additionalProperties": False,
        },
        executor=execute,
        label="Search papers",
        category="reports",
        payload_type="paper_list",
        examples={"Which papers are about {words}?": {"words": "{words}"}},
    )
)
