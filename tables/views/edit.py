"""The page for editing name, description and columns of a table. Each save is one schema proposal."""

from __future__ import annotations

from typing import Any

from django.contrib import messages
from django.contrib.auth.decorators import login_required
from django.http import HttpRequest, HttpResponse
from django.shortcuts import redirect, render
from django.utils.translation import gettext as _
from django.views.decorators.http import require_http_methods

from shared import strictjson
from shared.user_messages.rendering import message_text
from tables import selectors, services
from tables.column_types import COLUMN_TYPES, get_column_type
from tables.column_types.settings import Setting
from tables.exceptions import TablesError
from tables.operations import Choice, Origin
from tables.views.chat_tray import columns_chat
from tables.views.shortcuts import get_table_or_404
from tables.views.value_format import type_text


@login_required
@require_http_methods(["GET", "HEAD", "POST"])
def table_edit(request: HttpRequest, table_id: int) -> HttpResponse:
    """The edit page. Without scripts, the form saves name and description; columns need scripts."""
    table = get_table_or_404(request, table_id=table_id, can="edit")
    shape = selectors.table_shape(table)
    if request.method == "POST":
        if _save_names(request, table_id=table.pk):
            return redirect("table_view", table_id=table.pk)
        return redirect("table_edit", table_id=table.pk)
    context = {
        "table": table,
        "columns": [
            (column, get_column_type(column.type).icon_of(column.used_settings), type_text(column))
            for column in shape.columns
        ],
        "types_json": strictjson.dumps(_declared_types()),
        "columns_json": strictjson.dumps([column.presented() for column in shape.columns]),
        "rows": selectors.count_rows(table, shape=shape),
        **columns_chat(table),
    }
    return render(request, "tables/table_edit.html", context)


def _declared_types() -> list[dict[str, Any]]:
    """Return the names, labels, hints and settings of all types, in the order in which users are offered them."""
    return [
        {
            "name": name,
            "label": _(kind.label),
            "hint": _(kind.hint) if kind.hint else "",
            "settings": [_declared_setting(each) for each in kind.settings],
        }
        for name, kind in COLUMN_TYPES.items()
    ]


def _declared_setting(setting: Setting) -> dict[str, Any]:
    """Return what the editor of columns needs to know of a setting."""
    return {
        "name": setting.name,
        "label": _(setting.label),
        "default": setting.default,
        "formats": list(setting.formats),
        "choices": [[value, _(label)] for value, label in setting.choices.items()],
        "suggested": list(setting.suggested),
        "names": setting.names,
        "minimum": setting.schema.get("minimum"),
        "maximum": setting.schema.get("maximum"),
    }


def _save_names(request: HttpRequest, *, table_id: int) -> bool:
    proposal: dict[str, Any] = {
        "mode": "update",
        "table_name": request.POST.get("name", ""),
        "table_description": request.POST.get("description", ""),
        "operations": [],
    }
    try:
        prepared = services.prepare_schema(user=request.user, table_id=table_id, proposal=proposal)
        services.apply_schema(
            user=request.user, prepared=prepared, choice=Choice(operations="all"), origin=Origin(source="form")
        )
    except TablesError as error:
        messages.error(request, _("Nothing was saved. %(reason)s") % {"reason": message_text(error.message)})
        return False
    return True
