"""The chat engine serves the page of another application over HTTP: research papers, with a scripted
model."""
from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import httpx2
import pytest

from tests.browser.app_process import RunningApp
from tests.chat.turns.turn_runs import broken_rules, text_of
from tests.flows.program_with_reports import ReportClient
from tests.reports.running import LET_TUNE, reports_app
from tests.scripted_model import ScriptedModel, use
from tests.scripted_model import say as reply
from tests.snapshots import UPDATE_HINT, snapshot

pytestmark = pytest.mark.slow

Json = dict[str, Any]
SNAPSHOTS = Path(__file__).parent / "snapshots"
PREVIEW, TRY = "/admin/chat/override/preview/", "/admin/chat/override/try/"
LIST = {"entries": [{"paper_id": 1, "title": "Sleep and memory", "reason": "The beginning"}]}
BUTTONS = [
    {"label": "Flag it", "action": "flag_paper", "handler": "server", "data": {"paper_id": 2}},
    {"label": "Flag something", "action": "flag_paper", "handler": "server", "data": {"paper": "naps"}},
    {"label": "Withdraw it", "action": "withdraw_paper", "handler": "server", "data": {"paper_id": 2}},
    {"label": "Show it", "action": "open_paper", "data": {"paper_id": 2}},
]


@pytest.fixture(scope="module")
def model() -> ScriptedModel:
    return ScriptedModel()


@pytest.fixture(scope="module")
def app(model: ScriptedModel, migrated_database: Path | None) -> Iterator[RunningApp]:
    with reports_app(model) as running:
        yield running
    assert model.problems == []


@pytest.fixture(scope="module")
def reports(app: RunningApp, model: ScriptedModel) -> Iterator[ReportClient]:
    token = app.manage("api_token", "ada", "--scope", "write").strip()
    headers = {"Authorization": f"Bearer {token}"}
    with httpx2.Client(base_url=app.address, headers=headers, timeout=120) as client:
        yield ReportClient(client, model=model)


@pytest.fixture(scope="module")
def admin(app: RunningApp) -> Iterator[httpx2.Client]:
    """A client of the admin for a user who may configure the assistant and has no report."""
    link = app.link_for_new_user("tuner")
    app.manage("shell", "--no-imports", "-c", LET_TUNE)
    with httpx2.Client(base_url=app.address, follow_redirects=True, timeout=120) as client:
        client.get(link)
        client.get(PREVIEW)
        client.headers["X-CSRFToken"] = client.cookies["csrftoken"]
        yield client


@pytest.mark.parametrize(("tab", "subtab"), [("", ""), ("library", ""), ("library", "newest"), ("reading", "")])
def test_system_prompt_of_each_tab_equals_its_snapshot(reports: ReportClient, tab: str, subtab: str) -> None:
    reports.turn(reply("Yes."), tab=tab, subtab=subtab)

    text = "\n\n".join(block["text"] for block in reports.model.requests[-1]["system"]) + "\n"
    file = SNAPSHOTS / f"{'-'.join(filter(None, ('reports', tab, subtab)))}.txt"
    assert text == snapshot(text, file=file), UPDATE_HINT


def names(entries: list[Json], key: str = "name") -> list[str]:
    return [entry[key] for entry in entries]


@pytest.mark.parametrize(
    ("tab", "subtab", "tools", "payloads"),
    [
        ("", "", [], []),
        ("library", "", ["search_papers"], ["paper_list"]),
        ("library", "newest", ["search_papers", "newest_papers"], ["paper_list"]),
        ("reading", "", [], ["reading_list", "flag_papers"]),
        ("elsewhere", "newest", [], []),
    ],
)
def test_each_tab_and_subtab_has_its_own_tools_and_payloads(
    reports: ReportClient, tab: str, subtab: str, tools: list[str], payloads: list[str]
) -> None:
    reports.turn(reply("Hello."), tab=tab, subtab=subtab)

    declared = names(reports.model.requests[-1]["tools"])
    assert [name for name in declared if name not in {"get_payload", "get_help"}] == tools
    assert names(reports.page_info(tab=tab, subtab=subtab)["payload_types"]) == payloads


def test_prompt_has_the_declarations_of_the_application(reports: ReportClient) -> None:
    reports.turn(reply("Hello."), tab="reading")

    request = reports.model.requests[-1]
    system = "\n".join(block["text"] for block in request["system"])
    for words in (
        "You are the assistant on the page of a report",
        "The tab “reading” is open",
        "Papers are cited as",
        'READING_LIST: {"entries"',
        "open_paper: Shows a paper on the page. Parameters: paper_id. May run.",
        "flag_paper: Flags a paper for close reading.",
        "- papers/flags: Which papers are flagged",
    ):
        assert words in system, words
    assert "withdraw_paper" not in system
    context = request["messages"][-1]["content"][0]["text"]
    assert '{"page":"reports","today":' in context
    assert '"report":"Sleep, collected by ada"' in context
    assert '"open_paper":3' in context


def test_tool_reports_progress_and_its_payload_is_shown(reports: ReportClient) -> None:
    events = reports.turn(use(("search_papers", {"words": "sleep"})), reply("One of them is a classic."), tab="library")

    steps = [event["message"] for event in events if event["type"] == "tool_progress"]
    assert steps == ["Searching titles and authors", "1 papers found"]
    payload = events[-1]["payload"]["custom_payload"]
    assert (payload["type"], payload["status"], payload["summary"]) == ("paper_list", "shown", "Papers on “sleep”: 1")
    assert names(payload["data"]["papers"], "title") == ["Sleep and memory"]
    assert text_of(events) == events[-1]["payload"]["message"] == "[[tool:0]]One of them is a classic."


def test_tools_of_one_answer_run_concurrently_and_are_reported_in_order(reports: ReportClient) -> None:
    calls = use(("search_papers", {"words": "naps"}), ("newest_papers", {}), ("search_papers", {"words": "dreams"}))
    events = reports.turn(calls, reply("Done."), tab="library", subtab="newest")

    kinds = [event["type"] for event in events if event["type"].startswith("tool_")]
    assert kinds[:3] == ["tool_start"] * 3
    assert [entry["output"][0] for entry in events[-1]["payload"]["tool_history"]] == ["2", "2", "3"]
    assert events[-1]["payload"]["custom_payload"]["data"]["words"] == "dreams"


def test_payload_in_the_text_is_read_only_on_its_tab(reports: ReportClient) -> None:
    text = f"Start here.\n\nREADING_LIST: {json.dumps(LIST)}"

    shown = reports.turn(reply(text, sizes=(7,)), tab="reading")[-1]["payload"]
    elsewhere = reports.turn(reply(text, sizes=(7,)), tab="library")[-1]["payload"]

    assert (shown["message"], shown["custom_payload"]["data"]) == ("Start here.", LIST)
    assert (elsewhere["message"], elsewhere.get("custom_payload")) == ("Start here.", None)


def test_answer_links_to_accessible_papers(reports: ReportClient) -> None:
    shown = reports.turn(reply("[Sleep and memory](paper:1), not [this](paper:999) or [that](row:1)."))[-1]["payload"]

    assert shown["links"] == {"paper:1": {"href": "/reports/1/#1", "data": {"paper_id": 1}}}


def test_only_permitted_actions_are_suggested_and_offered(reports: ReportClient) -> None:
    events = reports.turn(reply(f"Shall I?\n\nSUGGESTED_ACTIONS: {json.dumps(BUTTONS)}"))

    assert names(events[-1]["payload"]["suggested_actions"], "label") == ["Flag it", "Show it"]
    offers = reports.page_info()
    assert names(offers["server_actions"], "action") == ["flag_paper"]
    assert names(offers["client_actions"], "action") == ["close_chat", "open_paper"]
    assert offers["starters"]
    assert {"name": "search_papers", "label": "Search papers", "icon": ""} in reports.page_info(tab="library")["tools"]


def test_action_has_its_effect_once_and_is_reported_to_the_assistant(reports: ReportClient) -> None:
    first = reports.turn(reply("Shall I flag it?"))[-1]["payload"]
    key = str(uuid4())
    conversation = {"conversation_id": first["conversation_id"]}

    answers = [reports.run_action("flag_paper", {"paper_id": 2}, key=key, **conversation) for _ in range(2)]
    reported = {"action": {"action": "flag_paper", "data": {"paper_id": 2}}, "interaction_type": "action_executed"}
    reports.turn(reply("It is flagged."), message="", **reported, **conversation)

    assert [answer.status_code for answer in answers] == [200, 200]
    assert answers[0].json() == answers[1].json()
    assert answers[0].json()["message"] == "“Why naps help” is flagged for close reading."
    assert answers[0].json()["data"] == {"paper_id": 2}
    responses = reports.model.requests[-1]["messages"][-1]["content"]
    fact = "The action flag_paper was run: “Why naps help” is flagged for close reading."
    assert responses[1]["text"].count(fact) == 1
    assert responses[-1]["text"].startswith("[Chosen action: ")
    assert reports.flagged() == ["Why naps help"]
    again = reports.run_action("flag_paper", {"paper_id": 2})
    assert (again.status_code, again.json()["error"]) == (422, "action_failed")


@pytest.mark.parametrize(
    ("action", "data", "fields", "status", "paths"),
    [
        ("flag_paper", {}, {}, 400, "data"),
        ("flag_paper", {"paper_id": "one"}, {}, 400, "data.paper_id"),
        ("flag_paper", {"paper_id": 1, "why": "x"}, {}, 400, "data"),
        ("flag_paper", [1], {}, 400, "data"),
        ("flag_paper", {"paper_id": "one"}, {"why": "x", "conversation_id": "x"}, 400,
         "why conversation_id data.paper_id"),
        ("flag_paper", {"paper_id": 1}, {"context": {"current_page": "report"}}, 400, "context.current_page"),
        ("flag_paper", {"paper_id": 1}, {"context": {"current_page": "reports"}}, 400, "context.report_id"),
        ("flag_paper", {"paper_id": 1}, {"conversation_id": str(uuid4())}, 404, ""),
        ("flag_paper", {"paper_id": 9}, {}, 404, ""),
        ("flag_papers", {"paper_id": 1}, {}, 404, ""),
        ("withdraw_paper", {"paper_id": 1}, {}, 403, ""),
    ],
)  # fmt: skip
def test_invalid_action_is_refused_with_all_paths(
    reports: ReportClient, action: str, data: Any, fields: Json, status: int, paths: str
) -> None:
    answer = reports.run_action(action, data, **fields)

    assert answer.status_code == status, answer.text
    assert {fault["path"] for fault in answer.json().get("errors", [])} == set(paths.split())
    assert "Sleep and memory" not in reports.flagged()


def test_nearest_action_is_suggested(reports: ReportClient) -> None:
    assert "flag_paper?" in reports.run_action("flag_papers", {"paper_id": 1}).json()["detail"]


def test_report_of_another_user_does_not_exist(reports: ReportClient) -> None:
    def responses(report: int) -> tuple[Any, ...]:
        context = {"current_page": "reports", "report_id": report}
        answers = [
            reports.run_action("flag_paper", {"paper_id": 4}, report=report),
            reports.client.get("/api/chat/pages/reports/", params={"table": report}),
            reports.client.post("/api/chat/stream/", json={"message": "Hello", "context": context}),
        ]
        return tuple((answer.status_code, answer.json()["detail"]) for answer in answers)

    assert responses(2) == responses(99)
    assert {status for status, _ in responses(2)} == {404}


def test_page_context_is_checked_by_its_schema(reports: ReportClient) -> None:
    context = {"current_page": "reports", "report_id": 1, "paper_id": "three"}

    answer = reports.client.post("/api/chat/stream/", json={"message": "Hello", "context": context})

    assert answer.status_code == 400
    assert answer.json()["errors"][0]["path"] == "context.paper_id"


def propose_flags(reports: ReportClient, *papers: int) -> Json:
    """Return a proposal to flag these papers."""
    data = {"papers": [{"paper_id": number, "reason": "A classic"} for number in papers]}
    events = reports.turn(reply(f"Shall I?\n\nFLAG_PAPERS: {json.dumps(data)}"), tab="reading")
    return events[-1]["payload"]["custom_payload"]


def test_part_of_a_proposal_is_applied_and_undone(reports: ReportClient) -> None:
    payload = propose_flags(reports, 1, 3)
    assert (payload["status"], payload["summary"]) == ("pending", "Flag for close reading: 2")
    assert payload["counts"] == {"flag": 2}

    applied = reports.answer(payload, "apply", operations=[1], content_hash=payload["content_hash"]).json()
    assert applied["status"] == "partially_applied"
    assert names(applied["outcome"]["applied"], "label") == ["Dreams of rats: A classic"]
    assert "Dreams of rats" in reports.flagged()

    assert reports.answer(payload, "undo").json()["status"] == "undone"
    assert "Dreams of rats" not in reports.flagged()


def test_paper_that_was_flagged_meanwhile_is_a_conflict(reports: ReportClient) -> None:
    first, second = propose_flags(reports, 1), propose_flags(reports, 1, 3)
    reports.answer(first, "apply", operations="all")

    states = names(reports.answer(second, "preview", operations="all").json()["operations"], "state")
    refused = reports.answer(second, "apply", operations="all")
    flagged = reports.flagged()
    reports.answer(first, "undo")

    assert states == ["conflict", "ok"]
    assert (refused.status_code, refused.json()["error"]) == (409, "proposal_conflict")
    assert "Dreams of rats" not in flagged


def test_model_corrects_a_paper_that_does_not_exist(reports: ReportClient) -> None:
    wrong, right = ({"papers": [{"paper_id": number, "reason": "A classic"}]} for number in (9, 3))
    replies = (reply(f"Shall I?\n\nFLAG_PAPERS: {json.dumps(data)}") for data in (wrong, right))

    payload = reports.turn(*replies, tab="reading")[-1]["payload"]["custom_payload"]

    assert payload["data"] == right
    correction = json.dumps(reports.model.requests[-1]["messages"][-1])
    assert "papers[0].paper_id: this report has no paper 9." in correction


def test_payload_types_of_all_pages_are_listed_with_their_presentation(reports: ReportClient) -> None:
    listed = {entry["name"]: entry for entry in reports.client.get("/api/chat/payload-types/").json()["payload_types"]}

    assert {"schema_proposal", "data_proposal", "paper_list", "reading_list"} <= set(listed)
    assert listed["paper_list"]["frontend_config"] == {
        "panel_width": "560px",
        "title": "Papers found",
        "icon": "book-open",
    }
    assert (listed["paper_list"]["source"], listed["reading_list"]["source"]) == ("tool", "llm")


def test_prompt_preview_uses_the_example_report(admin: httpx2.Client) -> None:
    page = admin.post(PREVIEW, data={"where": "reports/library"}).text

    identity = "You are the assistant on the page of a report"
    for words in (identity, "An example: how people learn", "Spacing and memory", "search_papers"):
        assert words in page
    assert "Sleep, collected by" not in page


def test_trial_message_uses_tools_on_the_example_report(
    app: RunningApp, admin: httpx2.Client, model: ScriptedModel
) -> None:
    model.add(use(("search_papers", {"words": "spacing"}), ("newest_papers", {})), reply("One."))
    fields = {"where": "reports/library/newest", "message": "Spacing?", "client_turn_id": str(uuid4())}
    answer = admin.post(TRY, data=fields, headers={"Accept": "text/event-stream"})
    events = [json.loads(line[6:]) for line in answer.text.split("\n") if line.startswith("data: ")]

    assert broken_rules(events) == []
    final = events[-1]["payload"]
    assert [entry["output"].split(";")[0].split("\n")[0] for entry in final["tool_history"]] == [
        "1000000000002 Spacing and memory (2006)",
        "1000000000001 Testing and learning (2008)",
    ]
    assert names(final["custom_payload"]["data"]["papers"], "title") == ["Spacing and memory"]
    count = "from tests.reports.models import Paper, Report; print(Report.objects.count(), Paper.objects.count())"
    assert app.manage("shell", "--no-imports", "-c", count).split()[-2:] == ["2", "6"]
