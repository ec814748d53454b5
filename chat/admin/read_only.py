"""Base class, filters and text formatting of admin pages that show records of users, read only."""
from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping
from datetime import date
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.http import HttpRequest, HttpResponse

from chat.admin.access_log import record_access
from chat.models import Feedback
from chat.selectors.configuration.catalogue import default_catalogue
from chat.selectors.configuration.names import readable_name
from chat.selectors.figures import TurnSelection
from shared.admin import BoundedPaginator, ReadOnlyMixin

if TYPE_CHECKING:
    AnyModelAdmin = admin.ModelAdmin[Any]
else:
    # Generic only for the type checker.
    AnyModelAdmin = admin.ModelAdmin


MAX_NAME = 64
MAX_YEAR = 9_999


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
        return [(name, readable_name("page", name)) for name in default_catalogue().pages.names()]

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


class TurnsFilter(admin.ListFilter):
    """Filter conversations by their turns, all parameters of one turn, as the links of the statistics do."""

    title = "messages"
    NAMES = ("since", "until", "tab", "version", "model", "error", "rating")

    def __init__(self, request: HttpRequest, params: dict[str, Any], model: Any, model_admin: Any) -> None:
        super().__init__(request, params, model, model_admin)
        self.requested: dict[str, str] = {name: params.pop(name)[-1] for name in self.NAMES if name in params}
        # Django's list reads these.
        self.used_parameters |= self.requested

    def has_output(self) -> bool:
        return bool(self.requested)

    def expected_parameters(self) -> list[str | None]:
        return list(self.NAMES)

    def choices(self, changelist: Any) -> Iterator[Any]:
        """Yield the selection, and a link to all conversations."""
        yield {"selected": False, "query_string": changelist.get_query_string(remove=self.NAMES), "display": "All"}
        shown = ", ".join(f"{name} {value or 'none'}" for name, value in self.requested.items())
        yield {"selected": True, "query_string": changelist.get_query_string(), "display": visible(shown)}

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        if not self.requested:
            return queryset
        return queryset.filter(pk__in=read_selection(self.requested).turns().values("conversation"))


def read_selection(params: Mapping[str, str]) -> TurnSelection:
    """Return the turns that the parameters of a URL select; invalid ones select all."""
    version = params.get("version", "")
    return TurnSelection(
        since=_day(params.get("since", "")),
        until=_day(params.get("until", "")),
        page=params.get("page", "")[:MAX_NAME],
        tab=params["tab"][:MAX_NAME] if "tab" in params else None,
        configuration=int(version) if version.isascii() and version.isdigit() and len(version) < 10 else None,
        model=params.get("model"),
        error=params.get("error", "")[:MAX_NAME],
        rating=params["rating"] if params.get("rating") in {"any", *Feedback.Rating.values} else "",
    )


def _day(text: str) -> date | None:
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    # Dates at the ends of the calendar are outside it in other time zones.
    return day if 1 < day.year < MAX_YEAR else None


def visible(text: str) -> str:
    """Return the text with control, zero-width and bidirectional characters replaced by their code points."""
    return "".join(f"‹U+{ord(char):04X}›" if _hidden(char) else char for char in text)


def as_text(value: Any) -> str:
    """Return a string, or another value as indented JSON, with hidden characters made visible."""
    return visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2))


def _hidden(char: str) -> bool:
    return char not in "\n\t" and unicodedata.category(char) in {"Cc", "Cf", "Zl", "Zp"}
