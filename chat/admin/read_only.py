"""Base class, filters and text formatting of admin pages that show records of users, read only."""
from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse

from chat.admin.access_log import record_access
from chat.selectors.configuration.catalogue import default_catalogue
from shared.admin import BoundedPaginator, ReadOnlyMixin

if TYPE_CHECKING:
    AnyModelAdmin = admin.ModelAdmin[Any]
else:
    # Generic only for the type checker.
    AnyModelAdmin = admin.ModelAdmin


class ReadOnlyAdmin(ReadOnlyMixin, AnyModelAdmin):
    """Records of users, for users with `permission`. Every opened record is logged."""

    permission = ""
    paginator = BoundedPaginator
    show_full_result_count = False
    list_per_page = 50

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_active and request.user.has_perm(self.permission))

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        response = super().change_view(request, object_id, *args, **kwargs)
        context = getattr(response, "context_data", None) or {}
        obj = context.get("original")
        if obj is not None:
            record_access(request, obj, owner=self.owner_of(obj))
            context.update(self.record_context(request, obj))
        return response

    def owner_of(self, obj: Any) -> Any:
        """Return the user whose record this is."""
        return obj.user

    def record_context(self, request: HttpRequest, obj: Any) -> dict[str, Any]:
        """Return additional context for the page of a record."""
        return {}


class PageFilter(admin.SimpleListFilter):
    """Filter by page of the assistant. The choices are the pages of the code, so that listing them needs no query."""

    title = "page"
    parameter_name = "page"
    lookup = "page"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(name, name.replace("_", " ")) for name in default_catalogue().pages.names()]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        known = default_catalogue().pages.get(self.value() or "") is not None
        return queryset.filter(**{self.lookup: self.value()}) if known else queryset


class TrialFilter(admin.SimpleListFilter):
    """Filter that hides trials of drafts, unless they are selected. `prefix` is the lookup path to the conversation."""

    title = "origin"
    parameter_name = "trials"
    prefix = ""

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("only", "Tried drafts")]

    def choices(self, changelist: Any) -> Iterator[Any]:
        """Rename the default choice, which is not "All" here."""
        default, *others = super().choices(changelist)
        yield {**default, "display": "Conversations of users"}
        yield from others

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        return queryset.filter(**{f"{self.prefix}sandbox": self.value() == "only"})


class ConversationTrialFilter(TrialFilter):
    """The filter for records of a conversation."""

    prefix = "conversation__"


class TurnTrialFilter(TrialFilter):
    """The filter for records of a turn."""

    prefix = "turn__conversation__"


def visible(text: str) -> str:
    """Return the text with control, zero-width and bidirectional characters replaced by their code points."""
    return "".join(f"‹U+{ord(char):04X}›" if _hidden(char) else char for char in text)


def as_text(value: Any) -> str:
    """Return a string, or another value as indented JSON, with hidden characters made visible."""
    return visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2))


def _hidden(char: str) -> bool:
    return char not in "\n\t" and unicodedata.category(char) in {"Cc", "Cf", "Zl", "Zp"}
