"""Ratings of answers in the admin, with links to the answers for users who may read them."""
from __future__ import annotations

from typing import Any

from django.contrib import admin
from django.db.models import Q
from django.http import HttpRequest
from django.urls import reverse
from django.utils.html import format_html

from chat.admin.conversations import EMPTY, TUNE_ASSISTANT, VIEW_CONVERSATIONS
from chat.admin.read_only import PageFilter, ReadOnlyAdmin, is_version, visible
from chat.models import Feedback
from chat.selectors import may_view_traces
from chat.selectors.configuration.catalogue import current_version
from chat.selectors.configuration.names import full_name


class MessagePageFilter(PageFilter):
    """Filter by the page on which the answer was given."""

    def condition(self, page: str) -> Q:
        return Q(message__turn__page=page) | Q(message__turn=None, message__conversation__page=page)


class VersionFilter(admin.SimpleListFilter):
    """Filter by the version of the configuration that produced the answer: the current one, earlier ones, or one."""

    title = "configuration"
    parameter_name = "configuration"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        groups = [("current", "Current version"), ("earlier", "Earlier versions"), ("0", "Defaults")]
        chosen = self.used_parameters.get(self.parameter_name, "")
        return [*groups, (chosen, f"Version {chosen}")] if is_version(chosen) and chosen != "0" else groups

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        chosen = self.value() or ""
        if chosen == "current":
            return queryset.filter(message__configuration=current_version())
        if chosen == "earlier":
            return queryset.filter(message__configuration__gt=0, message__configuration__lt=current_version())
        return queryset.filter(message__configuration=int(chosen)) if is_version(chosen) else queryset


@admin.register(Feedback)
class FeedbackAdmin(ReadOnlyAdmin):
    """Ratings with their reasons; the user and the answer only with the permission for conversations."""

    permission = "chat.view_feedback"
    list_filter = ("rating", MessagePageFilter, VersionFilter, ("updated_at", admin.DateFieldListFilter))
    search_fields = ("reason",)
    search_help_text = "Search by reason"
    list_select_related = ("user", "message__conversation", "message__turn")
    list_display_links = None
    ordering = ("-updated_at",)

    def get_list_display(self, request: HttpRequest) -> tuple[str, ...]:
        """Return the columns that this user may view."""
        # Users who may not view the history have no link to it.
        configuration = "configuration_link" if request.user.has_perm(TUNE_ASSISTANT) else "configuration"
        columns: tuple[str, ...] = ("thumb", "reason_text", "page", configuration, "updated_at")
        if not request.user.has_perm(VIEW_CONVERSATIONS):
            return columns
        columns = (*columns, "user", "conversation")
        return (*columns, "trace") if may_view_traces(request.user) else columns

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> Any:
        """Show the list, because it has all fields."""
        return self.changelist_view(request)

    @admin.display(description="Rating", ordering="rating")
    def thumb(self, feedback: Feedback) -> str:
        return "Up" if feedback.rating == Feedback.Rating.UP else "Down"

    @admin.display(description="Reason")
    def reason_text(self, feedback: Feedback) -> str:
        return visible(feedback.reason) or EMPTY

    @admin.display(description="Page")
    def page(self, feedback: Feedback) -> str:
        message = feedback.message
        return full_name("page", message.turn.page if message.turn else message.conversation.page)

    @admin.display(description="Configuration")
    def configuration(self, feedback: Feedback) -> str:
        version = feedback.message.configuration
        return f"Version {version}" if version else "Defaults"

    @admin.display(description="Configuration")
    def configuration_link(self, feedback: Feedback) -> str:
        version = feedback.message.configuration
        if not version:
            return "Defaults"
        url = reverse("admin:chat_configuration_history", query={"version": version})
        return format_html('<a href="{}">Version {}</a>', url, version)

    @admin.display(description="Conversation")
    def conversation(self, feedback: Feedback) -> str:
        url = reverse("admin:chat_conversation_change", args=[feedback.message.conversation_id])
        return format_html('<a href="{}">View</a>', url)

    @admin.display(description="Trace")
    def trace(self, feedback: Feedback) -> str:
        if feedback.message.turn_id is None:
            return EMPTY
        url = reverse("admin:chat_trace_change", args=[feedback.message.turn_id])
        return format_html('<a href="{}">View</a>', url)
