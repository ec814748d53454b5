"""The page of the user's invoices, with the tray."""
from __future__ import annotations

from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import render

from tests.engine_without_tables.invoices.models import Invoice


@login_required
def invoices(request: HttpRequest) -> HttpResponse:
    """Render the invoices."""
    context = {
        "invoices": Invoice.objects.filter(owner=request.user),
        "chat_page": "invoices",
        "chat_object_key": "",
        "chat_subject": "Your invoices",
        "chat_hello": "Ask about your invoices",
        "chat_hello_text": "Or say which ones are paid.",
        "chat_placeholder": "Ask about invoices",
    }
    return render(request, "invoices/invoices.html", context)
