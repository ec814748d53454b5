"""Server action of the page of a stream."""
from typing import Any

from chat.actions import ActionContext, ActionResult, ServerAction, register_server_action
from examples.research import streams


async def run_stream(data: dict[str, Any], *, user: Any, context: ActionContext) -> ActionResult:
    """Run the stream. Async, because a sync action would hold a transaction while PubMed is searched."""
    execution = await streams.run_stream(user, context.object_id)
    new = await execution.report.articles.acount()
    return ActionResult(message=f"The stream has run: {new} new articles.", data={"execution_id": execution.pk})


register_server_action(
    ServerAction(action="run_stream", description="Runs all sources of the stream now.", executor=run_stream)
)
