"""What pages of other people's records have in common: to be read and nothing else, each opening written down."""
from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.core.paginator import Paginator
from django.http import HttpRequest, HttpResponse
from django.utils.functional import cached_property

from chat.admin.access_log import record_access
from chat.overrides import default_catalogue

if TYPE_CHECKING:
    AnyModelAdmin = admin.ModelAdmin[Any]
    AnyPaginator = Paginator[Any]
else:
    # Generic for the type checker alone.
    AnyModelAdmin, AnyPaginator = admin.ModelAdmin, Paginator

# As far as lists are counted and can be leafed through; filters and search lead to the rest.
MOST_COUNTED = 10_000


class BoundedPaginator(AnyPaginator):
    """Counts no further than anybody leafs."""

    @cached_property
    def count(self) -> int:
        found: Any = self.object_list
        return int(found[:MOST_COUNTED].count())


class ReadOnly(AnyModelAdmin):
    """Shows other people's records, so only superusers may look, or whoever has the `permission`; nobody may change."""

    permission = ""
    paginator = BoundedPaginator
    show_full_result_count = False
    list_per_page = 50

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        allowed = request.user.has_perm(self.permission) if self.permission else request.user.is_superuser
        return bool(request.user.is_active and allowed)

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def change_view(self, request: HttpRequest, object_id: str, *args: Any, **kwargs: Any) -> HttpResponse:
        answer = super().change_view(request, object_id, *args, **kwargs)
        shown = getattr(answer, "context_data", None) or {}
        if shown.get("original") is not None:
            record_access(request, shown["original"], whose=self.owner_of(shown["original"]))
            shown.update(self.account_of(request, shown["original"]))
        return answer

    def owner_of(self, obj: Any) -> Any:
        """Whose it is."""
        return obj.user

    def account_of(self, request: HttpRequest, obj: Any) -> dict[str, Any]:
        """What the page tells beside the fields."""
        return {}


class PageFilter(admin.SimpleListFilter):
    """By the page of the assistant; its pages are those of the code, so that nothing is read through to list them."""

    title = "page"
    parameter_name = "page"
    through = "page"

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [(name, name.replace("_", " ")) for name in default_catalogue().pages.names()]

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        known = default_catalogue().pages.get(self.value() or "") is not None
        return queryset.filter(**{self.through: self.value()}) if known else queryset


class TrialFilter(admin.SimpleListFilter):
    """What people did, and not what was only tried out of a draft, unless that is asked for."""

    title = "occasion"
    parameter_name = "trials"
    through = ""

    def lookups(self, request: HttpRequest, model_admin: Any) -> list[tuple[str, str]]:
        return [("only", "A draft that was tried")]

    def choices(self, changelist: Any) -> Iterator[Any]:
        """The first of them is what shows unasked."""
        usual, *others = super().choices(changelist)
        yield {**usual, "display": "People’s own"}
        yield from others

    def queryset(self, request: HttpRequest, queryset: Any) -> Any:
        return queryset.filter(**{f"{self.through}sandbox": self.value() == "only"})


class TrialsThroughConversation(TrialFilter):
    """Of what belongs to a conversation."""

    through = "conversation__"


def visible(text: str) -> str:
    """The text with what cannot be seen in it named: control characters, zero width, changes of direction."""
    return "".join(f"‹U+{ord(char):04X}›" if _hidden(char) else char for char in text)


def as_text(value: Any) -> str:
    """A value of the record as it is read: JSON with its characters as they are."""
    return visible(value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=2))


def _hidden(char: str) -> bool:
    return char not in "\n\t" and unicodedata.category(char) in {"Cc", "Cf", "Zl", "Zp"}
