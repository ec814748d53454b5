"""Tables, their columns and their history in the admin: to look at, never to write, for writing has its one way."""
from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db import models
from django.http import HttpRequest

from tables.models import Change, Column, Table


class ReadOnly:
    """No adding, changing or deleting."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


class ColumnInline(ReadOnly, admin.TabularInline):
    model = Column
    fields = ("position", "id", "name", "type", "required", "default", "options")
    readonly_fields = fields
    extra = 0


@admin.register(Table)
class TableAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ("id", "name", "owner", "version", "updated_at", "deleted_at")
    list_filter = (("deleted_at", admin.EmptyFieldListFilter),)
    list_select_related = ("owner",)
    search_fields = ("name", "owner__username")
    inlines = (ColumnInline,)


@admin.register(Change)
class ChangeAdmin(ReadOnly, admin.ModelAdmin):
    list_display = ("id", "table", "version", "summary", "source", "actor", "created_at", "undo_of")
    list_filter = ("source", "created_at")
    list_select_related = ("table", "actor")
    search_fields = ("summary", "table__name")
    show_full_result_count = False
    date_hierarchy = "created_at"

    def get_queryset(self, request: HttpRequest) -> models.QuerySet[Change]:
        return super().get_queryset(request).order_by("-created_at")
