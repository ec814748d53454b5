"""The page of a stream: its context, and what the assistant can do on each tab."""
from typing import Any

from django.db.models import Count

from chat.page_config import ContextBlock, PageConfig, PageContext, Starter, SubTabConfig, TabConfig, register_page
from examples.research.streams import describe, get_execution, get_stream, streams_for

IDENTITY = """\
You are the assistant on the page of a research stream, which collects articles from PubMed. Help the user to define
what it follows, and to find what matters in its reports. Never invent an article; all articles come from the current
context or from tools.\
"""
NAPS = {"operations": [{"action": "add", "kind": "source", "name": "Naps", "query": "naps[ti] AND memory[tiab]"}]}


def build_context(context: PageContext) -> ContextBlock:
    """Return the stream, its latest executions, and the open report. Raises NotFound for streams of other users."""
    stream = get_stream(context.user, context.object_id)
    executions = stream.executions.annotate(new=Count("report__articles")).values("id", "found", "new")[:10]
    data = {"stream": describe(stream), "executions": list(executions)}
    if execution_id := context.view.get("execution_id"):
        articles = get_execution(context.user, context.object_id, execution_id).report.articles
        data["articles"] = list(articles.values("id", "title", "authors", "published", "matches")[:50])
    return ContextBlock(text="The user is viewing a research stream.", data=data)


def visible_streams(user: Any) -> list[str]:
    """Return the ids of the user's streams, as text."""
    return [str(number) for number in streams_for(user).values_list("pk", flat=True)]


register_page(
    PageConfig(
        page="stream",
        identity=IDENTITY,
        context_builder=build_context,
        context_schema={"type": "object", "properties": {"execution_id": {"type": ["integer", "null"]}}},
        object_key="stream_id",
        visible_objects=visible_streams,
        help=("research",),
        # The demo model, which answers without a key, has prepared answers and the `examples` of tools.
        starters=(Starter("Add a source about naps", demo={"payloads": {"SETUP_PROPOSAL": NAPS}}),),
        tabs={
            "setup": TabConfig(
                payloads=("setup_proposal",),
                instructions="The tab “setup” is open: the sources and keywords of the stream.",
                subtabs={
                    "sources": SubTabConfig(
                        tools=("search_pubmed",),
                        instructions="The user is viewing the sources. Try a query before you propose it.",
                    ),
                    "keywords": SubTabConfig(
                        tools=("frequent_words",), instructions="The user is viewing the keywords."
                    ),
                },
            ),
            "executions": TabConfig(
                tools=("get_report",),
                server_actions=("run_stream",),
                instructions="The tab “executions” is open: when the stream has run, and with which reports.",
                subtabs={
                    "report": SubTabConfig(
                        payloads=("article_groups",), instructions="The user is viewing the articles of a report."
                    ),
                },
            ),
        },
    )
)
