"""Tool open_invoices: return the user's invoices that are not paid."""
from __future__ import annotations

from typing import Any

from chat.agent.tools import ToolConfig, ToolContext, register_tool
from tests.engine_without_tables.invoices.models import Invoice


def execute(params: dict[str, Any], *, user: Any, context: ToolContext) -> str:
    """Return a line for each invoice."""
    return "\n".join(f"{each.pk} {each.customer}" for each in Invoice.objects.filter(owner=user, paid=False))


register_tool(
    ToolConfig(
        name="open_invoices",
        description="Returns the invoices that are not paid, each with its id.",
        input_schema={"type": "object", "properties": {}, "additionalProperties": False},
        executor=execute,
        label="List open invoices",
        category="invoices",
    )
)
