"""Tables and their history in the admin: to look at; what may be done there goes the way of every other change."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from django.contrib import admin, messages
from django.core.exceptions import PermissionDenied
from django.core.paginator import Paginator
from django.db import models
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseRedirect
from django.urls import URLPattern, path, reverse
from django.utils.functional import cached_property

from tables.exceptions import Forbidden, TablesError
from tables.models import Change, Column, Member, Table
from tables.operations.proposals.choice import SOURCES
from tables.services import can_administer_tables, restore_for_owner, transfer_table, trash_for_owner

if TYPE_CHECKING:
    AnyPaginator = Paginator[Any]
else:
    # Generic for the type checker alone.
    AnyPaginator = Paginator

# As far as lists are counted and can be leafed through; filters and search lead to the rest.
MOST_COUNTED = 10_000
LATEST = 20


class BoundedPaginator(AnyPaginator):
    """Counts no further than anybody leafs."""

    @cached_property
    def count(self) -> int:
        found: Any = self.object_list
        return int(found[:MOST_COUNTED].count())


class ReadOnly:
    """No adding, changing or deleting."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ColumnInline(ReadOnly, admin.TabularInline):
    template = "admin/tables/table/inline.html"
    model = Column
    fields = ("position", "id", "name", "type", "required", "default", "options")
    readonly_fields = fields
    extra = 0


class MemberInline(ReadOnly, admin.TabularInline):
    template = "admin/tables/table/inline.html"
    model = Member
    fk_name = "table"
    fields = ("user", "role", "added_by", "added_at")
    readonly_fields = fields
    extra = 0


@admin.register(Table)
class TableAdmin(ReadOnly, admin.ModelAdmin):
    """What a table is made of and whose it is, never its rows. Who may change tables moves them to the trash, out of
    it, and to another owner."""

    change_form_template = "admin/tables/table/page.html"
    list_display = ("id", "name", "owner", "version", "updated_at", "deleted_at")
    list_filter = (("deleted_at", admin.EmptyFieldListFilter), ("updated_at", admin.DateFieldListFilter))
    list_select_related = ("owner",)
    paginator = BoundedPaginator
    show_full_result_count = False
    search_fields = ("name", "owner__username")
    search_help_text = "A name, or an owner"
    ordering = ("-pk",)
    fields = ("name", "description", "owner", "version", "created_at", "updated_at", "deleted_at")
    readonly_fields = fields
    inlines = (ColumnInline, MemberInline)

    def get_urls(self) -> list[URLPattern]:
        """Besides Django's own, the three things that can be done."""
        kind = "<int:table_id>"
        own = [
            path(f"{kind}/trash/", self.admin_site.admin_view(self.trash), name="tables_table_trash"),
            path(f"{kind}/restore/", self.admin_site.admin_view(self.restore), name="tables_table_restore"),
            path(f"{kind}/transfer/", self.admin_site.admin_view(self.transfer), name="tables_table_transfer"),
        ]
        return [*own, *super().get_urls()]

    def trash(self, request: HttpRequest, table_id: int) -> HttpResponse:
        """Moves the table to the trash."""
        return self._done(
            request,
            table_id=table_id,
            do=lambda: trash_for_owner(steward=request.user, table_id=table_id),
            said="Moved the table to the trash",
        )

    def restore(self, request: HttpRequest, table_id: int) -> HttpResponse:
        """Takes the table out of the trash."""
        return self._done(
            request,
            table_id=table_id,
            do=lambda: restore_for_owner(steward=request.user, table_id=table_id),
            said="Took the table out of the trash",
        )

    def transfer(self, request: HttpRequest, table_id: int) -> HttpResponse:
        """Gives the table to another person."""
        to = request.POST.get("to", "").strip()
        return self._done(
            request,
            table_id=table_id,
            do=lambda: transfer_table(steward=request.user, table_id=table_id, to=to),
            said=f"Gave the table to {to[:150]}",
        )

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        answer = super().change_view(request, object_id, *args, **kwargs)
        shown = getattr(answer, "context_data", None) or {}
        if (table := shown.get("original")) is not None:
            latest = Change.objects.filter(table=table).select_related("actor").order_by("-version")[:LATEST]
            can_administer = can_administer_tables(request.user)
            shown.update({"title": "Table", "latest": latest, "can_administer_tables": can_administer})
        return answer

    def _done(self, request: HttpRequest, *, table_id: int, do: Callable[[], Any], said: str) -> HttpResponse:
        if request.method != "POST":
            raise Http404
        if not can_administer_tables(request.user):
            raise PermissionDenied
        try:
            do()
        except Forbidden:
            raise PermissionDenied from None
        except TablesError as error:
            messages.error(request, error.detail)
        else:
            self.log_change(request, Table.objects.get(pk=table_id), said)
            messages.success(request, f"{said}.")
        if not self.has_view_permission(request):
            return HttpResponseRedirect(reverse("admin:index"))
        return HttpResponseRedirect(reverse("admin:tables_table_change", args=[table_id]))


class SourceFilter(admin.SimpleListFilter):
    """By the door a change came through; the doors are those of the code."""

    title = "source"
    parameter_name = "source"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(source, source) for source in SOURCES]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        return queryset.filter(source=self.value()) if self.value() in SOURCES else queryset


@admin.register(Change)
class ChangeAdmin(ReadOnly, admin.ModelAdmin):
    """Who changed what, through which door; not the cells themselves."""

    list_display = ("id", "table", "version", "summary", "source", "actor", "created_at", "undo_of")
    list_filter = (SourceFilter, ("created_at", admin.DateFieldListFilter))
    list_select_related = ("table", "actor", "undo_of")
    paginator = BoundedPaginator
    show_full_result_count = False
    search_fields = ("summary", "table__name", "actor__username")
    search_help_text = "A summary, a table, or who did it"
    ordering = ("-created_at",)
    fields = ("table", "version", "summary", "source", "actor", "created_at", "undo_of", "is_redo", "counts",
              "proposal_id", "turn_id")  # fmt: skip
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Change]:
        return super().get_queryset(request).select_related("table", "actor", "undo_of")
