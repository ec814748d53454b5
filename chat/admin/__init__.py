"""Admin of what the chat keeps: for superusers, to read and nothing else."""
from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.http import HttpRequest

from chat.models import Conversation, Message, Payload, ToolCall, Turn

if TYPE_CHECKING:
    AnyModelAdmin = admin.ModelAdmin[Any]
else:
    # Generic for the type checker alone.
    AnyModelAdmin = admin.ModelAdmin


class ReadOnly(AnyModelAdmin):
    """Shows other people's conversations, so only superusers may look; nobody may change."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_active and request.user.is_superuser)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False


@admin.register(Conversation)
class ConversationAdmin(ReadOnly):
    list_display = ("title", "user", "page", "object_id", "updated_at", "deleted_at")
    list_filter = ("page",)
    search_fields = ("title", "user__username", "id")
    list_select_related = ("user",)
    date_hierarchy = "updated_at"


@admin.register(Message)
class MessageAdmin(ReadOnly):
    list_display = ("__str__", "conversation", "role", "created_at")
    list_filter = ("role",)
    search_fields = ("text", "conversation__id")
    list_select_related = ("conversation",)


@admin.register(Turn)
class TurnAdmin(ReadOnly):
    list_display = ("id", "user", "page", "state", "error_code", "started_at", "ended_at")
    list_filter = ("state", "page", "error_code")
    search_fields = ("id", "user__username", "conversation__id")
    list_select_related = ("user",)
    date_hierarchy = "started_at"


@admin.register(ToolCall)
class ToolCallAdmin(ReadOnly):
    list_display = ("tool", "turn", "index", "created_at")
    list_filter = ("tool",)
    search_fields = ("turn__id",)


@admin.register(Payload)
class PayloadAdmin(ReadOnly):
    list_display = ("summary", "type", "user", "status", "created_at", "settled_at")
    list_filter = ("type", "status")
    search_fields = ("id", "summary", "user__username", "conversation__id")
    list_select_related = ("user",)
    date_hierarchy = "created_at"
