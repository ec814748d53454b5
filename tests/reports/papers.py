"""Queries and changes of papers on behalf of a user. Reports of other users do not exist for them."""
from __future__ import annotations

from typing import Any

from django.db.models import Q, QuerySet

from chat.exceptions import ActionFailure, NotFound
from tests.reports.models import Paper, Report

Json = dict[str, Any]


def reports_for(user: Any) -> QuerySet[Report]:
    """Return the reports that the user may view."""
    return Report.objects.filter(owner=user)


def get_report(user: Any, report_id: Any) -> Report:
    """Return one report. Raises NotFound."""
    number = int(report_id) if str(report_id).isdecimal() and str(report_id).isascii() else 0
    report = reports_for(user).filter(pk=number).first()
    if report is None:
        raise NotFound("There is no such report.")
    return report


def papers_for(user: Any) -> QuerySet[Paper]:
    """Return the papers of the reports that the user may view."""
    return Paper.objects.filter(report__owner=user)


def find_papers(report: Report, *, words: str = "", limit: int = 20) -> list[Json]:
    """Return `{"id","title","authors","year","flagged"}` of papers with `words` in title or authors, newest first."""
    found = report.papers.filter(Q(title__icontains=words) | Q(authors__icontains=words))
    return list(found.values("id", "title", "authors", "year", "flagged")[:limit])


def flag(report: Report, *, paper_id: int) -> Paper:
    """Flag a paper for close reading. Raises NotFound, and ActionFailure if it is flagged already."""
    paper = report.papers.filter(pk=paper_id).first()
    if paper is None:
        raise NotFound("There is no such paper in this report.")
    if paper.flagged:
        raise ActionFailure(f"“{paper.title}” is flagged already.")
    paper.flagged = True
    paper.save(update_fields=["flagged"])
    return paper
