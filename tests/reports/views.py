"""The page of a report, with its papers and the chat."""
from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import get_object_or_404, render

from tests.reports.papers import reports_for

TABS = ("library", "reading")


@login_required
def reports(request: HttpRequest, report_id: int) -> HttpResponse:
    """Render a report. `tab` (library, reading) and `subtab` (newest) are query parameters."""
    report = get_object_or_404(reports_for(request.user), pk=report_id)
    context = {
        "report": report,
        "papers": report.papers.all(),
        "tabs": TABS,
        "tab": request.GET.get("tab", "library"),
        "subtab": request.GET.get("subtab", ""),
        "chat_page": "reports",
        "chat_object_id": str(report.pk),
        "chat_subject": report.title,
        "chat_hello": "Ask about these papers",
        "chat_hello_text": "Or let me find what to read first.",
        "chat_placeholder": "Ask about papers",
    }
    return render(request, "reports/reports.html", context)
