"""What people thought of answers, in the admin: rating, reason, and the way to the answer for whoever may read it."""
from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from chat.admin.conversations import CONVERSATIONS
from chat.admin.read_only import PageFilter, ReadOnly, visible
from chat.models import ConfigurationChange, Feedback
from chat.selectors import may_see_traces

VERSIONS_OFFERED = 20
EMPTY = "–"


class ThroughPage(PageFilter):
    """By the page on which the answer was given."""

    through = "message__conversation__page"


class VersionFilter(admin.SimpleListFilter):
    """By the configuration that the answer was made with: whether a change of words did any good."""

    title = "configuration"
    parameter_name = "configuration"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        latest = ConfigurationChange.objects.order_by("-version").values_list("version", flat=True).distinct()
        offered = [(str(version), f"version {version}") for version in latest[:VERSIONS_OFFERED]]
        return [*offered, ("0", "the code's own")]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        asked = self.value() or ""
        if not (asked.isascii() and asked.isdigit() and len(asked) < 10):
            return queryset
        return queryset.filter(message__configuration=int(asked))


@admin.register(Feedback)
class FeedbackAdmin(ReadOnly):
    """For whoever has the permission. Whose thumb it was, and the answer, only with the one for conversations."""

    permission = "chat.view_feedback"
    list_filter = ("rating", ThroughPage, VersionFilter, ("updated_at", admin.DateFieldListFilter))
    search_fields = ("reason",)
    search_help_text = "A word of the reason"
    list_select_related = ("user", "message__conversation", "message__turn")
    list_display_links = None
    ordering = ("-updated_at",)

    def get_list_display(self, request: HttpRequest) -> tuple[str, ...]:
        """With links, and with people, only where these may be seen."""
        own: tuple[str, ...] = ("thumb", "said", "page", "configuration", "updated_at")
        if not request.user.has_perm(CONVERSATIONS):
            return own
        own = (*own, "user", "conversation")
        return (*own, "trace") if may_see_traces(request.user) else own

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> Any:
        """All there is stands in the list."""
        return self.changelist_view(request)

    @admin.display(description="Rating", ordering="rating")
    def thumb(self, feedback: Feedback) -> str:
        return "Up" if feedback.rating == Feedback.Rating.UP else "Down"

    @admin.display(description="Reason")
    def said(self, feedback: Feedback) -> str:
        return visible(feedback.reason) or EMPTY

    @admin.display(description="Page")
    def page(self, feedback: Feedback) -> str:
        return feedback.message.conversation.page

    @admin.display(description="Configuration")
    def configuration(self, feedback: Feedback) -> str:
        version = feedback.message.configuration
        return f"version {version}" if version else "the code's own"

    @admin.display(description="Conversation")
    def conversation(self, feedback: Feedback) -> str:
        place = reverse("admin:chat_conversation_change", args=[feedback.message.conversation_id])
        return format_html('<a href="{}">Read it</a>', place)

    @admin.display(description="How it came about")
    def trace(self, feedback: Feedback) -> str:
        if feedback.message.turn_id is None:
            return EMPTY
        place = reverse("admin:chat_trace_change", args=[feedback.message.turn_id])
        return format_html('<a href="{}">Trace</a>', place)
