"""A made-up report for previews and trials by administrators, who must not see reports of users."""
from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.db import transaction

from tests.reports.models import Paper, Report

# Far above the ids that the database assigns, so that no other report or paper has them.
REPORT_ID = 10**12
TITLE = "An example: how people learn"
PAPERS: tuple[dict[str, Any], ...] = (
    {"id": REPORT_ID + 1, "title": "Testing and learning", "authors": "Karpicke, J.", "year": 2008, "flagged": True},
    {"id": REPORT_ID + 2, "title": "Spacing and memory", "authors": "Cepeda, N.", "year": 2006, "flagged": False},
)


@contextmanager
def temporary_report(user: Any) -> Iterator[str]:
    """Create the example as a report of the user, yield its id, and roll back at the end."""
    with transaction.atomic():
        report = Report.objects.create(id=REPORT_ID, owner=user, title=TITLE)
        Paper.objects.bulk_create([Paper(report=report, **paper) for paper in PAPERS])
        try:
            yield str(report.pk)
        finally:
            transaction.set_rollback(True)
