"""Server actions of the page of a report."""
from __future__ import annotations

from typing import Any

from chat.actions import ActionContext, ActionResult, ServerAction, register_server_action
from tests.reports.papers import flag, get_report

ONE_PAPER = {
    "type": "object",
    "properties": {"paper_id": {"type": "integer", "minimum": 1}},
    "required": ["paper_id"],
    "additionalProperties": False,
}


def flag_paper(data: dict[str, Any], *, user: Any, context: ActionContext) -> ActionResult:
    """Flag a paper for close reading."""
    paper = flag(get_report(user, context.object_id), paper_id=data["paper_id"])
    return ActionResult(message=f"“{paper.title}” is flagged for close reading.", data={"paper_id": paper.pk})


def withdraw_paper(data: dict[str, Any], *, user: Any, context: ActionContext) -> str:
    """Delete a paper from the report."""
    deleted, _ = get_report(user, context.object_id).papers.filter(pk=data["paper_id"]).delete()
    return "The paper is no longer in this report." if deleted else "It was not in this report."


register_server_action(
    ServerAction(
        action="flag_paper",
        description="Flags a paper for close reading.",
        parameters=ONE_PAPER,
        executor=flag_paper,
    )
)
register_server_action(
    ServerAction(
        action="withdraw_paper",
        description="Takes a paper out of the report.",
        parameters=ONE_PAPER,
        executor=withdraw_paper,
        permission="reports.delete_paper",
    )
)
