"""Base classes of read-only admin pages for large tables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from django.core.paginator import Paginator
from django.http import HttpRequest
from django.utils.functional import cached_property

if TYPE_CHECKING:
    AnyPaginator = Paginator[Any]
else:
    # Generic only for the type checker.
    AnyPaginator = Paginator

# Rows that lists count and page through; filters and search find the others.
MAX_COUNT = 10_000


class BoundedPaginator(AnyPaginator):
    """A paginator that counts up to MAX_COUNT rows, so that long tables are not counted in full."""

    @cached_property
    def count(self) -> int:
        rows: Any = self.object_list
        return int(rows[:MAX_COUNT].count())


class ReadOnlyMixin:
    """Permissions of an admin that only shows records."""

    def has_add_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False
