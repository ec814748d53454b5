"""Turns, payloads and token use in the admin."""
from __future__ import annotations

from typing import Any

from django.contrib import admin

from chat.admin.read_only import ConversationTrialFilter, PageFilter, ReadOnlyAdmin
from chat.models import Payload, TokenUse, Turn
from chat.selectors.configuration.names import full_name
from chat.selectors.usage import cost_of
from shared import strictjson


@admin.register(Turn)
class TurnAdmin(ReadOnlyAdmin):
    """State, errors, tokens and cost of turns, without the text of users."""

    permission = "chat.view_turn"
    list_display = (
        "id", "user", "page_name", "model", "state", "error_code", "tokens_in", "tokens_out", "cost", "left_out",
        "started_at", "ended_at",
    )  # fmt: skip
    list_filter = ("state", PageFilter, ConversationTrialFilter, ("started_at", admin.DateFieldListFilter))
    search_fields = ("id", "user__username", "conversation__id", "error_code")
    search_help_text = "Search by ID, username or error code"
    list_select_related = ("user",)
    ordering = ("-started_at",)
    fields = (
        "id", "user", "page_name", "tab", "model", "configuration", "state", "error_code", "error_message",
        "tokens_in", "tokens_out", "cost", "left_out", "started_at", "ended_at",
    )  # fmt: skip
    readonly_fields = fields

    @admin.display(description="Page", ordering="page")
    def page_name(self, turn: Turn) -> str:
        return full_name("page", turn.page)

    @admin.display(description="Input tokens")
    def tokens_in(self, turn: Turn) -> int | None:
        return turn.usage.get("input_tokens")

    @admin.display(description="Output tokens")
    def tokens_out(self, turn: Turn) -> int | None:
        return turn.usage.get("output_tokens")

    @admin.display(description="Cost (USD)")
    def cost(self, turn: Turn) -> str:
        return cost_of(turn.usage, model=turn.model) or self.get_empty_value_display()

    @admin.display(description="Rejected output", ordering="dropped")
    def left_out(self, turn: Turn) -> int:
        return turn.dropped


@admin.register(Payload)
class PayloadAdmin(ReadOnlyAdmin):
    """Payloads and proposals, with readable names of their types."""

    permission = "chat.view_payload"
    fields = (
        "id", "user", "conversation", "turn", "message", "type_name", "source", "subject_id", "data", "status",
        "summary", "counts", "outcome", "applied_as", "last_error", "resolved_to", "created_at", "settled_at",
    )  # fmt: skip
    readonly_fields = fields
    list_display = ("summary", "type_name", "user", "status", "created_at", "settled_at")
    list_filter = ("status", ConversationTrialFilter)
    search_fields = ("id", "summary", "type", "user__username", "conversation__id")
    search_help_text = "Search by summary, type, username or ID"
    list_select_related = ("user",)
    ordering = ("-pk",)

    @admin.display(description="Type", ordering="type")
    def type_name(self, payload: Payload) -> str:
        return full_name("payload_type", payload.type)

    @admin.display(description="Resolved to")
    def resolved_to(self, payload: Payload) -> str:
        return strictjson.dumps(payload.resolved)

    def record_context(self, request: Any, obj: Any) -> dict[str, Any]:
        return {"title": full_name("payload_type", obj.type), "subtitle": str(obj)}


@admin.register(TokenUse)
class TokenUseAdmin(ReadOnlyAdmin):
    permission = "chat.view_tokenuse"
    list_display = ("user", "day", "tokens")
    search_fields = ("user__username",)
    list_select_related = ("user",)
    ordering = ("-pk",)

    def record_context(self, request: Any, obj: Any) -> dict[str, Any]:
        return {"title": "Token use"}
