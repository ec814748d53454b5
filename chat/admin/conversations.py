"""People's conversations and how their answers came about, in the admin: to be read, and each opening is recorded."""
from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import QuerySet
from django.http import HttpRequest

from chat.admin.read_only import PageFilter, ReadOnly, TrialFilter, as_text, visible
from chat.models import Conversation, Trace
from chat.selectors import may_see_traces, trace_view
from chat.selectors.inspection import MessageLook, conversation_look

Json = dict[str, Any]

CONVERSATIONS = "chat.view_conversation"
# As far as anybody turns the pages of one conversation.
LONGEST_NUMBER = 6


@admin.register(Conversation)
class ConversationAdmin(ReadOnly):
    """For whoever has the permission; with the one for traces, too, each answer leads to how it came about."""

    permission = CONVERSATIONS
    change_form_template = "admin/chat/conversation/page.html"
    list_display = ("__str__", "user", "page", "object_id", "updated_at", "deleted_at")
    list_filter = (PageFilter, ("updated_at", admin.DateFieldListFilter), TrialFilter)
    search_fields = ("title", "user__username", "id")
    search_help_text = "A title, a person, or an id"
    list_select_related = ("user",)
    ordering = ("-updated_at",)
    fields = ("user", "page", "object_id", "created_at", "updated_at", "deleted_at", "sandbox")
    readonly_fields = fields

    def get_queryset(self, request: HttpRequest) -> QuerySet[Conversation]:
        found: QuerySet[Conversation] = super().get_queryset(request).select_related("user")
        return found

    def account_of(self, request: HttpRequest, obj: Any) -> Json:
        asked = request.GET.get("p", "")
        number = int(asked) if asked.isascii() and asked.isdigit() and len(asked) <= LONGEST_NUMBER else 1
        look = conversation_look(obj, page=number)
        return {
            "title": "Conversation",
            "look": look,
            "told": [_told(each) for each in look.messages],
            "may_see_traces": may_see_traces(request.user),
        }


class TrialsThroughTurn(TrialFilter):
    """Of how a turn came about."""

    through = "turn__conversation__"


@admin.register(Trace)
class TraceAdmin(ReadOnly):
    """How turns came about: everybody's for whoever may read conversations too, else those of one's own turns."""

    change_form_template = "admin/chat/trace/page.html"
    list_display = ("about", "state", "user", "created_at")
    list_filter = (TrialsThroughTurn, ("created_at", admin.DateFieldListFilter))
    search_fields = ("turn__id", "turn__user__username")
    list_select_related = ("turn__user", "turn__conversation")
    ordering = ("-created_at",)
    fields = ("turn", "created_at")
    readonly_fields = fields

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        if not may_see_traces(request.user):
            return False
        return obj is None or obj.turn.user_id == request.user.pk or request.user.has_perm(CONVERSATIONS)

    def get_queryset(self, request: HttpRequest) -> QuerySet[Trace]:
        found: QuerySet[Trace] = super().get_queryset(request).select_related("turn__user", "turn__conversation")
        return found if request.user.has_perm(CONVERSATIONS) else found.filter(turn__user_id=request.user.pk or 0)

    @admin.display(description="Conversation", ordering="turn__conversation__title")
    def about(self, trace: Trace) -> str:
        return visible(trace.turn.conversation.title) or str(trace.turn)

    @admin.display(ordering="turn__state")
    def state(self, trace: Trace) -> str:
        return str(trace.turn.state)

    @admin.display(ordering="turn__user")
    def user(self, trace: Trace) -> str:
        return str(trace.turn.user)

    def owner_of(self, obj: Any) -> Any:
        return obj.turn.user

    def account_of(self, request: HttpRequest, obj: Any) -> Json:
        view = trace_view(obj.turn) or {}
        calls = [{**call, "answer": as_text(call["answer"])} for call in view.get("calls", ())]
        return {
            "title": "How a turn came about",
            "turn": obj.turn,
            "trace": view,
            "facts": as_text(view.get("page")),
            "sections": [{**section, "text": visible(section["text"])} for section in view.get("sections", ())],
            "calls": calls,
            "sent": [(message["role"], as_text(message["content"])) for message in view.get("messages", ())],
            "tools": [_tool(entry) for entry in view.get("tools", ())],
            "dropped": [visible(said) for said in view.get("dropped", ())],
            "declared": as_text(view.get("declared_tools")),
            "may_see_conversation": request.user.has_perm(CONVERSATIONS),
        }


def _told(look: MessageLook) -> Json:
    """A message as its page draws it: all text, nothing of it markup."""
    message = look.message
    return {
        "look": look,
        "message": message,
        "text": visible(message.text),
        "tools": [_tool(entry) for entry in message.tool_history],
        "payloads": [(payload, as_text(payload.data)) for payload in look.payloads],
        "suggested": as_text([*message.suggested_values, *message.suggested_actions])
        if message.suggested_values or message.suggested_actions
        else "",
        "notes": [visible(note) for note in message.notes],
        "unreadable": visible(message.unreadable),
        "thumbs": [(thumb, visible(thumb.reason)) for thumb in look.thumbs],
    }


def _tool(entry: Json) -> Json:
    return {
        **entry,
        "input": as_text(entry.get("input")),
        "output": as_text(entry.get("output") or ""),
    }
