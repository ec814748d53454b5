"""Permissions, rendering and status codes of all pages of the configuration."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from chat.configuration import Address, Kind
from chat.exceptions import ChatError, NotFound, Settled
from chat.models import Override
from chat.selectors.configuration.names import entry_title

if TYPE_CHECKING:
    AnyModelAdmin = admin.ModelAdmin[Override]
else:
    # Generic only for the type checker.
    AnyModelAdmin = admin.ModelAdmin

PERMISSION = "chat.tune_assistant"
View = Callable[..., HttpResponse]
UNPROCESSABLE, CONFLICT = 422, 409


class ConfigurationPages(AnyModelAdmin):
    """Base of the pages for users who may tune the assistant."""

    def has_view_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return bool(request.user.is_active and request.user.has_perm(PERMISSION))

    def has_module_permission(self, request: HttpRequest) -> bool:
        return self.has_view_permission(request)

    def has_change_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return self.has_view_permission(request)

    def has_add_permission(self, request: HttpRequest) -> bool:
        return False

    def has_delete_permission(self, request: HttpRequest, obj: Any = None) -> bool:
        return False

    def wrap(self, view: View) -> View:
        """Return the view with the permission check; NotFound becomes a 404."""

        def wrapper(request: HttpRequest, **kwargs: str) -> HttpResponse:
            if not self.has_view_permission(request):
                raise PermissionDenied
            try:
                return view(request, **kwargs)
            except NotFound as error:
                raise Http404(error.detail) from None

        return self.admin_site.admin_view(wrapper)

    def render(self, request: HttpRequest, page: str, *, status: int = 200, **context: Any) -> HttpResponse:
        shared = {**self.admin_site.each_context(request), "opts": self.opts}
        return TemplateResponse(request, f"admin/chat/configuration/{page}.html", {**shared, **context}, status=status)


def status_of(error: ChatError | None) -> int:
    """Return the HTTP status of a page that shows this error, or 200 without one."""
    if error is None:
        return 200
    return CONFLICT if isinstance(error, Settled) else UNPROCESSABLE


def title_of(kind: Kind, name: str) -> str:
    """Return the title of an entry's page."""
    return entry_title(Address(kind.name, name))
