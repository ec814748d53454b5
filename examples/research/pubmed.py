"""A client of PubMed's E-utilities: https://www.ncbi.nlm.nih.gov/books/NBK25499/."""
from dataclasses import dataclass
from typing import Any

import httpx2
from django.conf import settings

from chat.exceptions import ActionFailure

Json = dict[str, Any]


class PubMedError(ActionFailure):
    """A search failed; the text is for users and for the model."""


@dataclass(frozen=True)
class Found:
    """How many articles PubMed has for a query, and the most relevant of them, as keyword arguments of Article."""

    count: int
    articles: list[Json]


async def search(query: str, *, limit: int = 20) -> Found:
    """Search PubMed. Raises PubMedError."""
    # The timeout is for each step of a request: connecting, sending, and each read.
    async with httpx2.AsyncClient(base_url=settings.PUBMED_URL, timeout=settings.PUBMED_SECONDS) as client:
        result = await _get(client, "esearch.fcgi", "esearchresult", term=query, retmax=str(limit), sort="relevance")
        if "ERROR" in result:
            raise PubMedError(f"PubMed refused the query: {result['ERROR']}")
        ids = result.get("idlist", [])
        summaries = await _get(client, "esummary.fcgi", "result", id=",".join(ids)) if ids else {}
    try:
        # PubMed answers with an `error` in place of the summary for articles that were withdrawn.
        articles = [_article(summaries[each]) for each in ids if "error" not in summaries[each]]
        return Found(count=int(result["count"]), articles=articles)
    except (KeyError, TypeError, ValueError) as error:
        raise PubMedError("PubMed's response has an unknown format.") from error


async def _get(client: httpx2.AsyncClient, name: str, member: str, **params: str) -> Json:
    """Return a member of a utility's JSON response."""
    params |= {"db": "pubmed", "retmode": "json"}
    if settings.PUBMED_API_KEY:
        params["api_key"] = settings.PUBMED_API_KEY
    try:
        response = await client.get(name, params=params)
        response.raise_for_status()
        return dict(response.json()[member])
    except httpx2.TimeoutException as error:
        raise PubMedError("PubMed did not answer in time. Try again later.") from error
    except httpx2.HTTPStatusError as error:
        if error.response.status_code == httpx2.codes.TOO_MANY_REQUESTS:
            raise PubMedError("PubMed receives too many requests from here. Try again in a few seconds.") from error
        raise PubMedError(f"PubMed answered with status {error.response.status_code}.") from error
    except httpx2.TransportError as error:
        raise PubMedError("PubMed cannot be reached.") from error
    except (KeyError, TypeError, ValueError) as error:
        raise PubMedError("PubMed's response has an unknown format.") from error


def _article(summary: Json) -> Json:
    return {
        "pmid": summary["uid"],
        "title": summary["title"],
        "authors": ", ".join(author["name"] for author in summary.get("authors", [])),
        "journal": summary.get("source", ""),
        "published": summary.get("pubdate", ""),
    }
