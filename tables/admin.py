"""Tables and their changes in the admin, read-only. Actions use the same services as all other changes."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.db import models
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse

from shared.admin import BoundedPaginator, ReadOnlyMixin
from tables.exceptions import Forbidden, TablesError
from tables.models import Change, Column, Member, Table
from tables.operations.proposals.choice import SOURCES
from tables.services import can_administer_tables, restore_for_owner, transfer_table, trash_for_owner

MAX_LATEST_CHANGES = 20


class PartOfTable(ReadOnlyMixin, admin.TabularInline):
    """A list on the page of a table, for all users of that page."""

    template = "admin/tables/table/inline.html"
    extra = 0

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return request.user.has_perm("tables.view_table") or request.user.has_perm("tables.change_table")


class ColumnInline(PartOfTable):
    model = Column
    fields = ("position", "id", "name", "type", "required", "default", "options")
    readonly_fields = fields


class MemberInline(PartOfTable):
    model = Member
    fk_name = "table"
    fields = ("user", "role", "added_by", "added_at")
    readonly_fields = fields


@admin.register(Table)
class TableAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """The columns, members and owner of a table, never its rows.

    Users with the permission to change tables can move them to the trash, restore them, and change their owner.
    """

    change_form_template = "admin/tables/table/page.html"
    list_display = ("id", "name", "owner", "version", "updated_at", "deleted_at")
    list_filter = (("deleted_at", admin.EmptyFieldListFilter), ("updated_at", admin.DateFieldListFilter))
    list_select_related = ("owner",)
    paginator = BoundedPaginator
    show_full_result_count = False
    search_fields = ("name", "owner__username")
    search_help_text = "Search by name or owner"
    ordering = ("-pk",)
    fields = ("name", "description", "owner", "version", "created_at", "updated_at", "deleted_at")
    readonly_fields = fields
    inlines = (ColumnInline, MemberInline)

    def get_urls(self) -> list[URLPattern]:
        """Add the URLs of the three actions."""
        actions = [
            path(f"<int:table_id>/{name}/", self.admin_site.admin_view(view), name=f"tables_table_{name}")
            for name, view in (("trash", self.trash), ("restore", self.restore), ("transfer", self.transfer))
        ]
        return [*actions, *super().get_urls()]

    def trash(self, request: HttpRequest, table_id: int) -> HttpResponse:
        """Move the table to the trash."""
        return self._run(
            request,
            table_id=table_id,
            action=lambda: trash_for_owner(steward=request.user, table_id=table_id),
            message="Moved the table to trash",
        )

    def restore(self, request: HttpRequest, table_id: int) -> HttpResponse:
        """Restore the table from the trash."""
        return self._run(
            request,
            table_id=table_id,
            action=lambda: restore_for_owner(steward=request.user, table_id=table_id),
            message="Restored the table from trash",
        )

    def transfer(self, request: HttpRequest, table_id: int) -> HttpResponse:
        """Transfer the table to another user."""
        to = request.POST.get("to", "").strip()
        return self._run(
            request,
            table_id=table_id,
            action=lambda: transfer_table(steward=request.user, table_id=table_id, to=to),
            message=f"Transferred the table to {to[:150]}",
        )

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        response = super().change_view(request, object_id, *args, **kwargs)
        context = getattr(response, "context_data", None) or {}
        if (table := context.get("original")) is not None:
            changes = Change.objects.filter(table=table).select_related("actor").order_by("-version")
            context.update(
                {
                    "title": "Table",
                    "latest": changes[:MAX_LATEST_CHANGES],
                    "can_administer_tables": can_administer_tables(request.user),
                }
            )
        return response

    def _run(self, request: HttpRequest, *, table_id: int, action: Callable[[], Any], message: str) -> HttpResponse:
        """Run an action of a POST, log it, and redirect to the table."""
        if request.method != "POST":
            raise Http404
        if not can_administer_tables(request.user):
            raise PermissionDenied
        try:
            action()
        except Forbidden:
            raise PermissionDenied from None
        except TablesError as error:
            messages.error(request, error.detail)
        else:
            self.log_change(request, Table.objects.get(pk=table_id), message)
            messages.success(request, f"{message}.")
        if not self.has_view_permission(request):
            return HttpResponseRedirect(reverse("admin:index"))
        return HttpResponseRedirect(reverse("admin:tables_table_change", args=[table_id]))


class SourceFilter(admin.SimpleListFilter):
    """Filter by source. The choices are the sources of the code, so that listing them needs no query."""

    title = "source"
    parameter_name = "source"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(source, source) for source in SOURCES]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        return queryset.filter(source=self.value()) if self.value() in SOURCES else queryset


@admin.register(Change)
class ChangeAdmin(ReadOnlyMixin, admin.ModelAdmin):
    """The user, source and summary of each change, without its cells."""

    list_display = ("id", "table", "version", "summary", "source", "actor", "created_at", "undo_of")
    list_filter = (SourceFilter, ("created_at", admin.DateFieldListFilter))
    list_select_related = ("table", "actor", "undo_of")
    paginator = BoundedPaginator
    show_full_result_count = False
    search_fields = ("summary", "table__name", "actor__username")
    search_help_text = "Search by summary, table or user"
    ordering = ("-created_at",)
    fields = ("table", "version", "summary", "source", "actor", "created_at", "undo_of", "is_redo", "counts",
              "proposal_id", "turn_id")  # fmt: skip
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Change]:
        return super().get_queryset(request).select_related("table", "actor", "undo_of")
