"""Queries and changes on behalf of a user. Streams of other users do not exist for them."""
from collections.abc import Sequence
from typing import Any

from asgiref.sync import sync_to_async
from django.db import transaction
from django.db.models import QuerySet

from chat.exceptions import ActionFailure, NotFound
from examples.research import pubmed
from examples.research.models import Article, Execution, Report, Stream

Json = dict[str, Any]


def streams_for(user: Any) -> QuerySet[Stream]:
    """Return the streams that the user may view."""
    return Stream.objects.filter(owner=user)


def get_stream(user: Any, stream_id: Any, *, lock: bool = False) -> Stream:
    """Return one stream, locked until the end of the transaction with `lock`. Raises NotFound."""
    streams = streams_for(user).select_for_update() if lock else streams_for(user)
    # Ids come from the page as text.
    stream = streams.filter(pk=int(stream_id)).first() if str(stream_id).isdecimal() else None
    if stream is None:
        raise NotFound("There is no such stream.")
    return stream


def get_execution(user: Any, stream_id: Any, execution_id: int) -> Execution:
    """Return one execution of a stream. Raises NotFound."""
    execution = get_stream(user, stream_id).executions.filter(pk=execution_id).select_related("report").first()
    if execution is None:
        raise NotFound("There is no such execution of this stream.")
    return execution


def articles_for(user: Any) -> QuerySet[Article]:
    """Return the articles of the streams that the user may view."""
    return Article.objects.filter(report__execution__stream__owner=user)


def lines(articles: QuerySet[Article], *, limit: int = 50) -> str:
    """Return a line of text for each article, for the model."""
    found = [f"{each.pk} {each.title} {each.authors}. {each.journal} {each.published}" for each in articles[:limit]]
    return "\n".join(found) or "No articles."


async def run_stream(user: Any, stream_id: Any) -> Execution:
    """Search all sources and store an execution with its report. Raises ActionFailure."""
    stream = await sync_to_async(get_stream)(user, stream_id)
    sources = [source async for source in stream.sources.all()]
    if not sources:
        raise ActionFailure("This stream has no sources yet. Add one first.")
    # Before the transaction: on SQLite every other writer would wait for PubMed.
    found = [await pubmed.search(source.query) for source in sources]
    return await sync_to_async(save_execution)(stream, found)


@transaction.atomic
def save_execution(stream: Stream, found: Sequence[pubmed.Found]) -> Execution:
    """Store an execution and the articles that are new in the stream."""
    # One execution at a time, so that no article is stored twice.
    Stream.objects.select_for_update().get(pk=stream.pk)
    execution = Execution.objects.create(stream=stream, found=sum(each.count for each in found))
    report = Report.objects.create(execution=execution)
    known = Article.objects.filter(report__execution__stream=stream).values_list("pmid", flat=True)
    # Two sources may find the same article.
    new = {article["pmid"]: article for each in found for article in each.articles}
    for pmid in known:
        new.pop(pmid, None)
    keywords = [keyword.name.casefold() for keyword in stream.keywords.all()]
    Article.objects.bulk_create(
        Article(report=report, matches=sum(word in article["title"].casefold() for word in keywords), **article)
        for article in new.values()
    )
    return execution


def describe(stream: Stream) -> Json:
    """Return the stream as the model reads it."""
    return {
        "id": stream.pk,
        "name": stream.name,
        "purpose": stream.purpose,
        "sources": list(stream.sources.values("name", "query")),
        "keywords": list(stream.keywords.values_list("name", flat=True)),
    }
