"""Tools: one for every page, and those of the tabs of a stream."""
from collections import Counter
from collections.abc import AsyncIterator
from typing import Any

from chat.agent.tools import ToolConfig, ToolContext, ToolProgress, ToolResult, register_tool
from examples.research import pubmed
from examples.research.streams import articles_for, get_execution, get_stream, lines

Json = dict[str, Any]


def parameters(**properties: Json) -> Json:
    """Return a schema in which all parameters are required."""
    return {"type": "object", "properties": properties, "required": [*properties], "additionalProperties": False}


def find_articles(params: Json, *, user: Any, context: ToolContext) -> str:
    """Return collected articles with these words in their title."""
    return lines(articles_for(user).filter(title__icontains=params["words"]))


async def search_pubmed(params: Json, *, user: Any, context: ToolContext) -> AsyncIterator[ToolProgress | ToolResult]:
    """Search PubMed without storing anything. Its errors have texts for the model."""
    query = params["query"]
    yield ToolProgress(stage="search", message="Searching PubMed")
    found = await pubmed.search(query, limit=10)
    titles = "\n".join(f"PMID {each['pmid']}: {each['title']} ({each['published']})" for each in found.articles)
    data = {"query": query, "count": found.count, "articles": found.articles}
    yield ToolResult(
        text=f"{found.count} articles. The most relevant:\n{titles}" if titles else "PubMed has no such article.",
        payload={"type": "pubmed_articles", "data": data} if titles else None,
    )


def frequent_words(params: Json, *, user: Any, context: ToolContext) -> str:
    """Return the words that most titles of the stream's articles have."""
    stream = get_stream(user, context.object_id)
    titles = articles_for(user).filter(report__execution__stream=stream).values_list("title", flat=True)
    # Short words are mostly articles and prepositions.
    words = Counter(word for title in titles for word in set(title.casefold().split()) if len(word) > 4)
    return ", ".join(f"{word} ({count})" for word, count in words.most_common(30)) or "No articles yet."


def get_report(params: Json, *, user: Any, context: ToolContext) -> str:
    """Return the articles of one execution."""
    return lines(get_execution(user, context.object_id, params["execution_id"]).report.articles.all())


register_tool(
    ToolConfig(
        name="find_articles",
        description="Finds articles in the reports of all of the user's research streams, by words in the title.",
        input_schema=parameters(words={"type": "string", "minLength": 1, "maxLength": 200}),
        executor=find_articles,
        label="Search collected articles",
        examples={"Which articles are about {words}?": {"words": "{words}"}},
        is_global=True,
    )
)
register_tool(
    ToolConfig(
        name="search_pubmed",
        description="Searches PubMed with a query in its own syntax, without storing anything.",
        input_schema=parameters(query={"type": "string", "minLength": 1, "maxLength": 500}),
        executor=search_pubmed,
        label="Search PubMed",
        examples={"Search PubMed for {query}": {"query": "{query}"}},
        payload_type="pubmed_articles",
    )
)
register_tool(
    ToolConfig(
        name="frequent_words",
        description="Counts words in the titles of the stream's articles, as candidates for keywords.",
        input_schema=parameters(),
        executor=frequent_words,
        label="Count words",
        examples={"Which words are frequent?": {}},
    )
)
register_tool(
    ToolConfig(
        name="get_report",
        description="Gives the articles in the report of an execution.",
        input_schema=parameters(execution_id={"type": "integer", "minimum": 1}),
        executor=get_report,
        label="Read report",
    )
)
