"""The rules of the models, the PubMed client, the pages, and turns with a scripted model."""
import json
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.core.management import call_command
from django.test import AsyncClient, Client

from examples.research import pubmed
from examples.research.models import Stream
from examples.research.streams import run_stream
from tests.scripted_model import ScriptedModel, say, use

OPERATIONS = [
    {"action": "add", "kind": "source", "name": "Naps", "query": "naps[ti]"},
    {"action": "delete", "kind": "keyword", "name": "rats"},
    {"action": "add", "kind": "keyword", "name": "consolidation"},
]


@pytest.fixture
def stream(db: None) -> Stream:
    """Ada's stream with a source and two keywords."""
    stream = Stream.objects.create(owner=User.objects.create_user("ada"), name="Sleep")
    stream.sources.create(name="All", query="naps")
    stream.keywords.create(name="rats")
    stream.keywords.create(name="consolidation")
    return stream


@pytest.fixture
def ada(client: Client, stream: Stream) -> Client:
    client.force_login(stream.owner)
    return client


def setup_of(stream: Stream) -> list[Any]:
    return [list(stream.sources.values()), list(stream.keywords.order_by("id").values())]


@async_to_sync
async def turn(stream: Stream, *, subtab: str) -> dict[str, Any]:
    """Send a message on the tab “setup” and return the answer."""
    client = AsyncClient()
    await client.aforce_login(stream.owner)
    context = {"current_page": "stream", "stream_id": stream.pk, "active_tab": "setup", "active_subtab": subtab}
    body = {"message": "Improve this", "context": context}
    response = await client.post("/api/chat/stream/", body, content_type="application/json")
    lines = b"".join([piece async for piece in response]).decode().split("\n")
    return json.loads([line for line in lines if line.startswith("data: ")][-1][6:])["payload"]


def test_migrations_are_complete(db: None, settings: Any) -> None:
    settings.MIGRATION_MODULES = {}  # in place of the option --no-migrations of the run

    call_command("makemigrations", check=True, dry_run=True, verbosity=0)


@pytest.mark.parametrize(
    ("query", "reason"),
    [("429", "too many requests"), ("refused", "refused"), ("broken", "unknown format"), ("silent", "in time")],
)
def test_failed_search_says_why(pubmed_server: None, settings: Any, query: str, reason: str) -> None:
    settings.PUBMED_SECONDS = 0.2 if query == "silent" else 60

    with pytest.raises(pubmed.PubMedError, match=reason):
        async_to_sync(pubmed.search)(query)


def test_search_without_results_is_no_failure(pubmed_server: None) -> None:
    assert async_to_sync(pubmed.search)("nothing") == pubmed.Found(count=0, articles=[])


@pytest.mark.django_db(transaction=True)
def test_report_has_new_articles_with_keywords_first(pubmed_server: None, stream: Stream) -> None:
    first, second = (async_to_sync(run_stream)(stream.owner, stream.pk) for _ in range(2))

    assert first.found == 1204
    assert list(first.report.articles.values_list("pmid", "matches")) == [("16251952", 1), ("12819785", 0)]
    assert list(second.report.articles.all()) == []


@pytest.mark.django_db(transaction=True)
def test_pages_are_for_the_owner(pubmed_server: None, stream: Stream, ada: Client) -> None:
    page = f"/streams/{stream.pk}/"
    ada.post(f"{page}sources/", {"name": "Naps", "query": "naps"})
    report = ada.post(f"{page}run/").headers["Location"]
    eve = Client()
    eve.force_login(User.objects.create_user("eve"))

    for path, text in (("/streams/", "Sleep"), (page, "Naps"), (f"{page}?tab=executions", "2408 found")):
        assert text in ada.get(path).content.decode()
    assert "Mednick S" in ada.get(report).content.decode()
    assert "Sleep" not in eve.get("/streams/").content.decode()
    assert [eve.get(path).status_code for path in (page, report)] == [404, 404]
    assert [eve.post(f"{page}{name}/").status_code for name in ("run", "sources")] == [404, 404]
    body = {"context": {"current_page": "stream", "stream_id": stream.pk, "active_tab": "executions"}, "data": {}}
    answers = [each.post("/api/chat/actions/run_stream/", body, content_type="application/json") for each in (ada, eve)]
    assert [answer.status_code for answer in answers] == [200, 404]
    assert answers[0].json()["message"] == "The stream has run: 0 new articles."


@pytest.mark.django_db(transaction=True)
def test_proposal_is_applied_and_undone(pubmed_server: None, settings: Any, stream: Stream, ada: Client) -> None:
    before = setup_of(stream)
    proposal = f"This is better.\n\nSETUP_PROPOSAL: {json.dumps({'operations': OPERATIONS})}"
    model = ScriptedModel(use(("search_pubmed", {"query": "naps"})), say(f"Found.\n\n{proposal}"), say(proposal))
    with model.serve() as settings.ANTHROPIC_BASE_URL:
        searched = turn(stream, subtab="sources")
        proposed = turn(stream, subtab="keywords")

    assert searched["custom_payload"]["data"]["count"] == 1204
    assert "nap is as good as a night" in searched["tool_history"][0]["output"]
    payload = f"/api/chat/payloads/{proposed['custom_payload']['id']}/"
    applied = ada.post(f"{payload}apply/", {"operations": "all"}, content_type="application/json").json()
    assert [each["index"] for each in applied["outcome"]["applied"]] == [0, 1]
    assert applied["outcome"]["skipped"][0]["message"] == "The stream has it already."
    assert list(stream.keywords.values_list("name", flat=True)) == ["consolidation"]
    assert ada.post(f"{payload}undo/", {}, content_type="application/json").status_code == 200
    assert setup_of(stream) == before
    assert model.problems == []
