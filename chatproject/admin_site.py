"""The admin: who has no rights to a kind of thing learns nothing of it, not even which ids there are."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from django.contrib.admin import AdminSite, ModelAdmin
from django.contrib.admin.apps import AdminConfig
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, URLResolver, reverse

NUL = "\x00"
View = TypeVar("View", bound=Callable[..., HttpResponseBase])


class Site(AdminSite):
    """Asks for the rights before anything is looked up: Django's own history pages look first."""

    site_header = site_title = "table chat"
    index_title = "Administration"

    def get_urls(self) -> list[URLPattern | URLResolver]:
        """Django's, but for its way from a thing to the thing's page: nothing here has such a page, and it looks any
        kind of thing up by any id before it asks who wants to know."""
        return [url for url in super().get_urls() if getattr(url, "name", "") != "view_on_site"]

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Redirect to the sign-in page of all users, with its limits and second step."""
        from django.contrib.auth.views import redirect_to_login  # needs the models

        if request.user.is_authenticated:
            if not self.has_permission(request):
                raise PermissionDenied
            return redirect("admin:index")
        asked = request.GET.get("next") or reverse("admin:index")
        return redirect_to_login(asked)

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Redirect to the page where all users change their password."""
        return redirect("account_change_password")

    def admin_view(self, view: View, cacheable: bool = False) -> View:
        """The view; of a kind of thing, for those who may do anything at all with it."""
        kind = getattr(view, "__self__", None)

        def asked(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if isinstance(kind, ModelAdmin) and not any(kind.get_model_perms(request).values()):
                raise PermissionDenied
            if NUL in request.path or any(NUL in value for values in request.GET.lists() for value in values[1]):
                # Nothing is called so, and PostgreSQL does not take the question.
                raise Http404
            try:
                return view(request, *args, **kwargs)
            except OverflowError as error:
                # Filters take any date, also one that is outside the calendar in UTC.
                if request.method in ("GET", "HEAD") and request.GET:
                    raise Http404 from error
                raise

        return super().admin_view(cast(View, asked), cacheable)


class Admin(AdminConfig):
    """django.contrib.admin with this site."""

    default_site = "chatproject.admin_site.Site"
