"""A turn with the scripted model, and its proposal."""
from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from asgiref.sync import async_to_sync
from django.contrib.auth.models import User
from django.test import AsyncClient, Client

from tests.reports.models import Report
from tests.scripted_model import ScriptedModel

SCRIPT = Path(__file__).parents[1] / "script.yaml"


@pytest.fixture
def report(transactional_db: None) -> Report:
    """Ada's report with two papers, which the script names by their ids."""
    report = Report.objects.create(owner=User.objects.create_user("ada"), title="Sleep")
    report.papers.create(id=1, title="Sleep and memory", authors="Stickgold, R.", year=2005)
    report.papers.create(id=2, title="Why naps help", authors="Mednick, S.", year=2013)
    return report


@async_to_sync
async def turn(report: Report, message: str, *, tab: str) -> dict[str, Any]:
    """Send a message as the owner of the report, and return the answer."""
    client = AsyncClient()
    await client.aforce_login(report.owner)
    context = {"current_page": "reports", "report_id": report.pk, "active_tab": tab}
    body = {"message": message, "context": context}
    response = await client.post("/api/chat/stream/", body, content_type="application/json")
    lines = b"".join([piece async for piece in response]).decode().split("\n")
    return json.loads([line for line in lines if line.startswith("data: ")][-1][6:])["payload"]


def test_a_tool_finds_papers(report: Report, settings: Any) -> None:
    with ScriptedModel.from_file(SCRIPT).serve() as settings.ANTHROPIC_BASE_URL:
        answer = turn(report, "Which papers are about naps?", tab="library")

    assert answer["tool_history"][0]["output"] == "2 Why naps help (2013)"
    assert [paper["id"] for paper in answer["custom_payload"]["data"]["papers"]] == [2]


def test_a_proposal_is_applied_in_part_and_undone(report: Report, settings: Any, client: Client) -> None:
    client.force_login(report.owner)
    with ScriptedModel.from_file(SCRIPT).serve() as settings.ANTHROPIC_BASE_URL:
        answer = turn(report, "Flag both", tab="reading")
    payload = f"/api/chat/payloads/{answer['custom_payload']['id']}"

    client.post(f"{payload}/apply/", {"operations": [0]}, content_type="application/json")
    assert [paper.pk for paper in report.papers.filter(flagged=True)] == [2]
    client.post(f"{payload}/undo/", {}, content_type="application/json")
    assert not report.papers.filter(flagged=True).exists()
