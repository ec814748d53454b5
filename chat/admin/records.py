"""Admin of what the chat keeps: for superusers, to read and nothing else."""
from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest
from django.utils.html import format_html, format_html_join

from chat.models import Conversation, Message, Payload, TokenUse, ToolCall, Trace, Turn
from chat.selectors import may_see_traces, trace_view

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


@admin.register(TokenUse)
class TokenUseAdmin(ReadOnly):
    list_display = ("user", "day", "tokens")
    search_fields = ("user__username",)
    list_select_related = ("user",)
    date_hierarchy = "day"


@admin.register(Trace)
class TraceAdmin(ReadOnly):
    """Also for staff with the permission to see diagnostics: those of their own turns."""

    list_display = ("turn", "state", "user", "created_at")
    search_fields = ("turn__id", "turn__user__username")
    list_select_related = ("turn__user",)
    date_hierarchy = "created_at"
    fields = ("turn", "created_at", "account")
    readonly_fields = fields

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        if super().has_view_permission(request, obj):
            return True
        return may_see_traces(request.user) and (obj is None or obj.turn.user_id == request.user.pk)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Trace]:
        found: QuerySet[Trace] = super().get_queryset(request).select_related("turn__user")
        return found if super().has_view_permission(request) else found.filter(turn__user_id=request.user.pk or 0)

    @admin.display(ordering="turn__state")
    def state(self, trace: Trace) -> str:
        return str(trace.turn.state)

    @admin.display(ordering="turn__user")
    def user(self, trace: Trace) -> str:
        return str(trace.turn.user)

    @admin.display(description="How it came about")
    def account(self, trace: Trace) -> str:
        """The parts of the trace, each behind a lid, as text."""
        view = trace_view(trace.turn) or {}
        sections = view.pop("sections", [])
        lids = [(f"{s['number']}. {s['title']} (≈ {s['tokens']} tokens)", s["text"]) for s in sections]
        large = ("calls", "messages", "tools", "dropped", "declared_tools")
        lids += [(name.replace("_", " "), _as_text(view.pop(name, None))) for name in large]
        parts = format_html_join("", "<details><summary>{}</summary><pre>{}</pre></details>", lids)
        return format_html("<pre>{}</pre>{}", _as_text(view), parts)


def _as_text(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, indent=2)
