"""Conversations of users and traces of turns in the admin."""
from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from chat.admin.read_only import (
    ReadOnlyAdmin,
    TrialFilter,
    TurnPageFilter,
    TurnsFilter,
    TurnTabFilter,
    TurnTrialFilter,
    TurnVersionFilter,
    as_text,
    visible,
)
from chat.models import Conversation, Trace
from chat.selectors import may_view_traces, trace_view
from chat.selectors.configuration.names import full_name, name_of, object_label
from chat.selectors.inspection import InspectedMessage, inspect_conversation

Json = dict[str, Any]

VIEW_CONVERSATIONS = "chat.view_conversation"
TUNE_ASSISTANT = "chat.tune_assistant"
# A position of a tool call in a message, with at most as many digits as there are calls.
TOOL_CARD = re.compile(r"\[\[tool:(\d{1,4})\]\]")
EMPTY = "–"
# Digits of a page number.
MAX_DIGITS = 6


@admin.register(Conversation)
class ConversationAdmin(ReadOnlyAdmin):
    """Conversations with their messages; users with the permission for traces also see links to these."""

    permission = VIEW_CONVERSATIONS
    change_form_template = "admin/chat/conversation/page.html"
    list_display = ("__str__", "user", "page_name", "object_name", "updated_at", "deleted_at")
    list_filter = (
        TurnsFilter,
        TurnPageFilter,
        TurnTabFilter,
        TurnVersionFilter,
        ("updated_at", admin.DateFieldListFilter),
        TrialFilter,
    )
    search_fields = ("title", "user__username", "id")
    search_help_text = "Search by title, username or ID"
    list_select_related = ("user",)
    ordering = ("-updated_at",)
    fields = ("user", "page_name", "object_name", "created_at", "updated_at", "deleted_at", "sandbox")
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Conversation]:
        queryset: QuerySet[Conversation] = super().get_queryset(request).select_related("user")
        return queryset

    @admin.display(description="Page", ordering="page")
    def page_name(self, conversation: Conversation) -> str:
        return full_name("page", conversation.page)

    @admin.display(description="Object", ordering="object_id")
    def object_name(self, conversation: Conversation) -> str:
        return f"{object_label(conversation.page)} {conversation.object_id}" if conversation.object_id else EMPTY

    def record_context(self, request: HttpRequest, obj: Any) -> Json:
        number = request.GET.get("p", "")
        valid = number.isascii() and number.isdigit() and len(number) <= MAX_DIGITS
        inspected = inspect_conversation(obj, page=int(number) if valid else 1)
        return {
            "title": "Conversation",
            "inspected": inspected,
            "object_label": object_label(obj.page),
            "chat_messages": [_message_context(each) for each in inspected.messages],
            "may_see_traces": may_view_traces(request.user),
            "may_see_configuration": request.user.has_perm(TUNE_ASSISTANT),
        }


@admin.register(Trace)
class TraceAdmin(ReadOnlyAdmin):
    """Traces of turns: all for users who may also view conversations, otherwise those of the user's own turns."""

    change_form_template = "admin/chat/trace/page.html"
    list_display = ("about", "state", "user", "created_at")
    list_filter = (TurnTrialFilter, ("created_at", admin.DateFieldListFilter))
    search_fields = ("turn__id", "turn__user__username")
    list_select_related = ("turn__user", "turn__conversation")
    ordering = ("-created_at",)
    fields = ("turn", "created_at")
    readonly_fields = fields

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        if not may_view_traces(request.user):
            return False
        return obj is None or obj.turn.user_id == request.user.pk or request.user.has_perm(VIEW_CONVERSATIONS)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Trace]:
        queryset: QuerySet[Trace] = super().get_queryset(request).select_related("turn__user", "turn__conversation")
        if request.user.has_perm(VIEW_CONVERSATIONS):
            return queryset
        return queryset.filter(turn__user_id=request.user.pk or 0)

    @admin.display(description="Conversation", ordering="turn__conversation__title")
    def about(self, trace: Trace) -> str:
        return visible(trace.turn.conversation.title) or str(trace.turn)

    @admin.display(ordering="turn__state")
    def state(self, trace: Trace) -> str:
        return str(trace.turn.get_state_display())

    @admin.display(ordering="turn__user")
    def user(self, trace: Trace) -> str:
        return str(trace.turn.user)

    def owner_of(self, obj: Any) -> Any:
        return obj.turn.user

    def record_context(self, request: HttpRequest, obj: Any) -> Json:
        view = trace_view(obj.turn) or {}
        calls = [{**call, "answer": as_text(call["answer"])} for call in view.get("calls", ())]
        return {
            "title": "Trace of a turn",
            "turn": obj.turn,
            "trace": view,
            "facts": as_text(view.get("page")),
            "sections": [{**section, "text": visible(section["text"])} for section in view.get("sections", ())],
            "calls": calls,
            "sent": [(message["role"], as_text(message["content"])) for message in view.get("messages", ()) if message],
            "tools": [_tool_context(entry) for entry in view.get("tools", ())],
            "dropped": [visible(note) for note in view.get("dropped", ())],
            "declared": as_text(view.get("declared_tools")),
            "may_see_conversation": request.user.has_perm(VIEW_CONVERSATIONS),
            "may_see_configuration": request.user.has_perm(TUNE_ASSISTANT),
        }


def _message_context(inspected: InspectedMessage) -> Json:
    """Return the template context of a message; all values are plain text."""
    message = inspected.message
    return {
        "inspected": inspected,
        "message": message,
        "interaction": name_of(None, name=message.interaction_type),
        "parts": list(_parts(message.text, tools=message.tool_history)),
        "tools": [_tool_context(entry) for entry in message.tool_history],
        "payloads": [(payload, as_text(payload.data)) for payload in inspected.payloads],
        "suggested": as_text([*message.suggested_values, *message.suggested_actions])
        if message.suggested_values or message.suggested_actions
        else "",
        "notes": [visible(note) for note in message.notes],
        "unreadable": visible(message.unreadable),
        "thumbs": [(thumb, visible(thumb.reason)) for thumb in inspected.thumbs],
    }


def _parts(text: str, *, tools: list[Json]) -> Iterator[Json]:
    """Yield the text and the tool calls in it, `{"text"}` or `{"number", "tool"}`, in order."""
    end = 0
    for card in TOOL_CARD.finditer(text):
        index = int(card[1])
        if index < len(tools):
            yield {"text": visible(text[end : card.start()])}
            yield {"number": index + 1, "tool": tools[index]["tool_name"]}
            end = card.end()
    yield {"text": visible(text[end:])}


def _tool_context(entry: Json) -> Json:
    return {
        **entry,
        "input": as_text(entry.get("input")),
        "output": as_text(entry.get("output") or ""),
    }
