"""The page for creating a table: empty, from a template, from a file or pasted rows, or by describing it."""
from __future__ import annotations

from django.conf import settings
from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from shared.user_messages.rendering import message_text
from tables.exceptions import TablesError
from tables.operations import Origin
from tables.page_errors import http_errors
from tables.views.chat_tray import list_chat
from tables.views.table_templates import BLANK, TEMPLATES, TableTemplate, create_from_template

TEMPLATE = Origin("template")
MB = 1024 * 1024


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def new_table(request: HttpRequest) -> HttpResponse:
    """Show the ways to create a table. A POST creates one from `template` ("blank" is one) and opens it."""
    if request.method == "POST":
        return _create(request)
    context = {
        "templates": [_shown(template) for template in TEMPLATES],
        "import_most": settings.IMPORT_MAX_MB,
        "most_pasted": settings.DATA_UPLOAD_MAX_MEMORY_SIZE // MB,
        "notices": list(messages.get_messages(request)),
        **list_chat(),
    }
    return render(request, "tables/new_table.html", context)


def _create(request: HttpRequest) -> HttpResponse:
    try:
        key = request.POST.get("template", "")
        with http_errors():
            table = create_from_template(
                user=request.user,
                key=key,
                name=request.POST.get("name", ""),
                with_examples=request.POST.get("examples", "") == "on",
                # The empty table is a template only in code.
                origin=Origin("form") if key == BLANK.key else TEMPLATE,
                today=timezone.localdate(),
            )
    except TablesError as error:
        messages.error(request, message_text(error.message))
        return redirect("new_table")
    return redirect("table_view", table_id=table.pk)


def _shown(template: TableTemplate) -> dict[str, str]:
    columns = ", ".join(_(column.name) for column in template.columns)
    return {
        "key": template.key, "icon": template.icon, "name": _(template.name),
        "description": _(template.description), "columns": columns,
    }  # fmt: skip
