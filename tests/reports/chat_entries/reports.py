"""The page of a report: the assistant's role, its context, and the entries of each tab."""
from __future__ import annotations

from typing import Any

from chat.actions import ClientAction
from chat.page_config import (
    ContextBlock,
    PageConfig,
    PageContext,
    Starter,
    SubTabConfig,
    TabConfig,
    register_page,
)
from tests.reports.chat_entries.actions import ONE_PAPER
from tests.reports.example import PAPERS, TITLE, temporary_report
from tests.reports.papers import find_papers, get_report, reports_for

IDENTITY = """\
You are the assistant on the page of a report: a collection of research papers on one question. Help the user to find
what matters in it and to decide what to read. Never invent a paper; all papers come from the current context or from
tools.\
"""
CONTEXT_TEXT = "The user is viewing the papers of a report."


def build_context(context: PageContext) -> ContextBlock:
    """Return the report and its papers. Raises NotFound for reports of other users."""
    report = get_report(context.user, context.object_id)
    data = {"report": report.title, "papers": find_papers(report), "open_paper": context.view.get("paper_id")}
    return ContextBlock(text=CONTEXT_TEXT, data=data)


def example(context: PageContext) -> ContextBlock:
    """Return the same for the made-up report."""
    return ContextBlock(text=CONTEXT_TEXT, data={"report": TITLE, "papers": list(PAPERS), "open_paper": None})


def stream_instructions(context: PageContext) -> str:
    """Return instructions that apply to all reports."""
    return "Papers are cited as “First author (year)”. Flagged papers are those the user will read closely."


def visible_reports(user: Any) -> Any:
    """Return the ids of the user's reports, as text."""
    return [str(number) for number in reports_for(user).values_list("pk", flat=True)]


register_page(
    PageConfig(
        page="reports",
        identity=IDENTITY,
        context_builder=build_context,
        context_schema={"type": "object", "properties": {"paper_id": {"type": ["integer", "null"]}}},
        object_key="report_id",
        stream_instructions=stream_instructions,
        example=example,
        temporary_example=temporary_report,
        client_actions=(
            ClientAction(
                action="open_paper",
                description="Shows a paper on the page.",
                parameters=("paper_id",),
                schema=ONE_PAPER,
                may_run=True,
            ),
        ),
        server_actions=("flag_paper", "withdraw_paper"),
        links=("paper",),
        help=("papers",),
        tabs={
            "library": TabConfig(
                tools=("search_papers",),
                instructions="The tab “library” is open: all papers of the report.",
                subtabs={
                    "newest": SubTabConfig(
                        tools=("newest_papers",), instructions="The user is viewing the newest papers."
                    ),
                },
            ),
            "reading": TabConfig(
                payloads=("reading_list", "flag_papers"),
                instructions="The tab “reading” is open: what to read, and in which order.",
            ),
        },
        starters=(
            Starter(
                "What should I read first?",
                demo={"text": "Start with the flagged papers.", "suggestions": ["Which papers are about sleep?"]},
            ),
            "Which papers are about sleep?",
        ),
        visible_objects=visible_reports,
    )
)
