"""Template variables of the chat at the side of the pages of tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.urls import reverse
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

if TYPE_CHECKING:
    from tables.models import Table

Json = dict[str, Any]


def list_chat() -> Json:
    """Return the variables for pages without an open table."""
    return {
        "chat_page": "tables_list",
        "chat_subject": _("Your tables"),
        "chat_icon": "layout-grid",
        "chat_hello": _("What do you want to track?"),
        "chat_hello_text": _(
            "Describe it in your own words. Review the columns and sample rows before anything is created."
        ),
        "chat_placeholder": _("Describe a table, or ask"),
        "chat_import": reverse("import_file"),
        "chat_import_label": _("Import these rows instead"),
        "chat_without_scripts": _without_scripts(),
    }


def columns_chat(table: Table) -> Json:
    """Return the variables for the page on which the columns of a table are edited."""
    return {
        **_of_table(table, page="table_edit"),
        "chat_hello": _("Ask about these columns"),
        "chat_hello_text": _("Or describe a change. Review what happens to existing values before it is saved."),
        "chat_placeholder": _("Ask, or describe a change"),
    }


def table_chat(table: Table, *, matching: int, number: str, may_edit: bool) -> Json:
    """Return the variables for the page of a table; `matching` is the number of rows that are shown, also as a text."""
    seen = ngettext("%(name)s, %(number)s row", "%(name)s, %(number)s rows", matching)
    chat = {
        **_of_table(table, page="table_view"),
        "chat_context": seen % {"name": table.name, "number": number},
        "chat_hello": _("Ask about this table"),
    }
    if not may_edit:
        return chat | {
            "chat_hello_text": _(
                "You can view this table, but not change it. The assistant can count, search and explain."
            ),
            "chat_placeholder": _("Ask about this table"),
        }
    return chat | {
        "chat_hello_text": _(
            "Or describe a change. Review it in the table before it is saved. Changes to a single row are saved at "
            "once. You can undo them."
        ),
        "chat_placeholder": _("Ask, or describe a change"),
        "chat_import": f"{reverse('import_file')}?table={table.pk}",
        "chat_import_label": _("Import these rows instead"),
    }


def _of_table(table: Table, *, page: str) -> Json:
    return {
        "chat_page": page,
        "chat_object_id": str(table.pk),
        "chat_subject": table.name,
        "chat_icon": "table-2",
        "chat_without_scripts": _without_scripts(),
    }


def _without_scripts() -> str:
    return _("The chat needs JavaScript. You can view and edit tables without it.")
