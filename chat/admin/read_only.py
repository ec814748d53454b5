"""Base class, filters and text formatting of admin pages that show records of users, read only."""
from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator, Mapping
from datetime import date
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.db.models import Exists, OuterRef, Q
from django.http import HttpRequest, HttpResponse

from chat.admin.access_log import record_access
from chat.configuration import with_added
from chat.models import Feedback, Turn
from chat.selectors.configuration.catalogue import current_version, default_catalogue, stored_overrides
from chat.selectors.configuration.names import name_of, readable_name
from chat.selectors.figures import TurnSelection
from shared.admin import BoundedPaginator, ReadOnlyMixin

if TYPE_CHECKING:
    AnyModelAdmin = admin.ModelAdmin[Any]
else:
    # Generic only for the type checker.
    AnyModelAdmin = admin.ModelAdmin


MAX_NAME = 64
# Versions of the configuration to choose from.
MAX_VERSIONS = 10
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

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(name, readable_name("page", name)) for name in default_catalogue().pages.names()]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        page = self.value() or ""
        return queryset.filter(self.condition(page)) if default_catalogue().pages.get(page) is not None else queryset

    def condition(self, page: str) -> Q:
        """Return the condition that selects the records of a page."""
        return Q(page=page)


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
        return queryset.filter(**{f"{self.prefix}sandbox": selects_trials(request)})


class ConversationTrialFilter(TrialFilter):
    """The filter for records of a conversation."""

    prefix = "conversation__"


class TurnTrialFilter(TrialFilter):
    """The filter for records of a turn."""

    prefix = "turn__conversation__"


class TurnChoiceFilter(admin.SimpleListFilter):
    """Filter conversations by one parameter of their turns, with its values to choose from."""

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        value = self.value()
        if value is None:
            return queryset
        turns = read_selection({str(self.parameter_name): value}).turns(trials=selects_trials(request))
        return queryset.filter(pk__in=turns.values("conversation"))


class TurnPageFilter(PageFilter):
    """Filter conversations by a page on which they are or were: a conversation follows its user to other pages."""

    def condition(self, page: str) -> Q:
        return Q(page=page) | Q(Exists(Turn.objects.filter(page=page, conversation=OuterRef("pk"))))


class TurnTabFilter(TurnChoiceFilter):
    """Filter by a tab of the selected page, or of all pages."""

    title = "tab"
    parameter_name = "tab"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        page = request.GET.get("page", "")
        pages = with_added(default_catalogue(), stored_overrides()).pages
        tabs = {tab for config in pages if page in ("", config.page) for tab in config.tabs}
        tabs |= {chosen[:MAX_NAME] for chosen in [self.used_parameters.get("tab")] if chosen}
        names = [(tab, visible(name_of(None, name=tab))) for tab in sorted(tabs)]
        return [*names, ("", "Outside tabs")] if names else []


class TurnVersionFilter(TurnChoiceFilter):
    """Filter by one of the last versions of the configuration, or by the defaults."""

    title = "configuration"
    parameter_name = "version"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        current = current_version()
        versions = [str(version) for version in range(current, max(0, current - MAX_VERSIONS), -1)]
        chosen = self.used_parameters.get("version", "")
        if is_version(chosen) and chosen not in {*versions, "0"}:
            versions.append(chosen)
        return [*((version, f"Version {version}") for version in versions), ("0", "Defaults")]


class TurnsFilter(admin.ListFilter):
    """Filter conversations by their turns, all parameters of one turn, as the links of the statistics do.

    Parameters of the filters that offer choices apply to the same turn.
    """

    title = "messages"
    NAMES = ("since", "until", "model", "error", "rating")
    CHOICES = ("page", "tab", "version")

    def __init__(self, request: HttpRequest, params: dict[str, Any], model: Any, model_admin: Any) -> None:
        super().__init__(request, params, model, model_admin)
        self.chosen = {name: request.GET[name] for name in self.CHOICES if name in request.GET}
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
        words = dict(self.requested)
        if words.get("since") and words["since"] == words.get("until"):
            words = {"on": words.pop("since"), **words}
            del words["until"]
        shown = ", ".join(f"{name} {value or 'none'}" for name, value in words.items())
        yield {"selected": True, "query_string": changelist.get_query_string(), "display": visible(shown)}

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        if not self.requested:
            return queryset
        turns = read_selection({**self.chosen, **self.requested}).turns(trials=selects_trials(request))
        return queryset.filter(pk__in=turns.values("conversation"))


def selects_trials(request: HttpRequest) -> bool:
    """Return whether the list shows trials of drafts in place of conversations of users."""
    return request.GET.get(TrialFilter.parameter_name) == "only"


def read_selection(params: Mapping[str, str]) -> TurnSelection:
    """Return the turns that the parameters of a URL select; invalid ones select all."""
    version = params.get("version", "")
    return TurnSelection(
        since=_day(params.get("since", "")),
        until=_day(params.get("until", "")),
        page=params.get("page", "")[:MAX_NAME],
        tab=params["tab"][:MAX_NAME] if "tab" in params else None,
        configuration=int(version) if is_version(version) else None,
        model=params.get("model"),
        error=params.get("error", "")[:MAX_NAME],
        rating=params["rating"] if params.get("rating") in {"any", *Feedback.Rating.values} else "",
    )


def is_version(text: str) -> bool:
    """Return whether the text is the number of a version."""
    return text.isascii() and text.isdigit() and len(text) < 10


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
