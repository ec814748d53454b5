"""Server actions of the page of a stream."""
from typing import Any

from chat.actions import ActionContext, ActionResult, ServerAction, register_server_action
from chat.exceptions import NotFound
from examples.research import streams
from examples.research.streams import articles_for

ONE_ARTICLE = {
    "type": "object",
    "properties": {"article_id": {"type": "integer", "minimum": 1}},
    "required": ["article_id"],
    "additionalProperties": False,
}


async def run_stream(data: dict[str, Any], *, user: Any, context: ActionContext) -> ActionResult:
    """Run the stream. Async, because a sync action would hold a transaction while PubMed is searched."""
    execution = await streams.run_stream(user, context.object_id)
    new = await execution.report.articles.acount()
    return ActionResult(message=f"The stream has run: {new} new articles.", data={"execution_id": execution.pk})


def star_article(data: dict[str, Any], *, user: Any, context: ActionContext) -> ActionResult:
    """Star an article of the stream."""
    articles = articles_for(user).filter(report__execution__stream=streams.get_stream(user, context.object_id))
    if not articles.filter(pk=data["article_id"]).update(starred=True):
        raise NotFound("There is no such article in this stream.")
    return ActionResult(message="The article is starred.", data=data)


register_server_action(
    ServerAction(action="run_stream", description="Runs all sources of the stream now.", executor=run_stream)
)
register_server_action(
    ServerAction(
        action="star_article",
        description="Stars an article of a report.",
        parameters=ONE_ARTICLE,
        executor=star_article,
    )
)
