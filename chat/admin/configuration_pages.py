"""What all pages of the configuration in the admin share: who may see them, their frame, their 404."""
from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from django.contrib import admin
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse
from django.template.response import TemplateResponse

from chat.configuration import Kind
from chat.exceptions import ChatError, NotFound, Settled
from chat.models import Override

if TYPE_CHECKING:
    AnyModelAdmin = admin.ModelAdmin[Override]
else:
    # Generic for the type checker alone.
    AnyModelAdmin = admin.ModelAdmin

PERMISSION = "chat.tune_assistant"
View = Callable[..., HttpResponse]
REFUSED, OVERTAKEN = 422, 409


class ConfigurationPages(AnyModelAdmin):
    """Pages for those who may tune the assistant."""

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

    def page(self, view: View) -> View:
        """The view for those who may tune the assistant; what is not there is a 404."""

        def asked(request: HttpRequest, **parts: str) -> HttpResponse:
            if not self.has_view_permission(request):
                raise PermissionDenied
            try:
                return view(request, **parts)
            except NotFound as error:
                raise Http404(error.detail) from None

        return self.admin_site.admin_view(asked)

    def shown(self, request: HttpRequest, page: str, *, status: int = 200, **context: Any) -> HttpResponse:
        shared = {**self.admin_site.each_context(request), "opts": self.opts}
        return TemplateResponse(
            request, f"admin/chat/configuration/{page}.html", {**shared, **context}, status=status
        )


def status_of(error: ChatError | None) -> int:
    """How a page is answered that shows this again, with what is wrong."""
    if error is None:
        return 200
    return OVERTAKEN if isinstance(error, Settled) else REFUSED


def title_of(kind: Kind, name: str) -> str:
    """What an entry's page is called."""
    return kind.label if name == "all" else f"{kind.label}: {name}"
