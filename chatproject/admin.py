"""The log of the admin as a read-only list for superusers."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.contrib.admin.models import LogEntry
from django.http import HttpRequest

if TYPE_CHECKING:
    LogAdmin = admin.ModelAdmin[LogEntry]
else:
    # ModelAdmin is generic only for the type checker.
    LogAdmin = admin.ModelAdmin


@admin.register(LogEntry)
class LogEntryAdmin(LogAdmin):
    """Read-only list of log entries."""

    list_display = ("action_time", "user", "described", "content_type", "object_repr")
    list_filter = (("action_time", admin.DateFieldListFilter), "action_flag")
    list_select_related = ("user", "content_type")
    search_fields = ("object_repr", "user__username", "change_message")
    search_help_text = "Search by object, username or action"
    show_full_result_count = False
    ordering = ("-pk",)
    fields = ("action_time", "user", "described", "content_type", "object_id", "object_repr")
    readonly_fields = fields

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_active and request.user.is_superuser)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    @admin.display(description="Action")
    def described(self, entry: LogEntry) -> str:
        return entry.get_change_message() or entry.get_action_flag_display()
