"""The admin site. Responses to users without rights to a model do not reveal which ids exist."""
from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar, cast

from django.conf import settings
from django.contrib.admin import AdminSite, ModelAdmin
from django.contrib.admin.apps import AdminConfig
from django.core.exceptions import PermissionDenied
from django.http import Http404, HttpRequest, HttpResponse, HttpResponseBase
from django.shortcuts import redirect
from django.urls import URLPattern, URLResolver, reverse
from django_tasks_db.apps import TasksAppConfig

NUL = "\x00"
View = TypeVar("View", bound=Callable[..., HttpResponseBase])


class Site(AdminSite):
    """Checks permissions before an object is looked up; Django's history pages look it up first."""

    site_header = site_title = settings.SITE_NAME
    index_title = "Administration"

    def get_urls(self) -> list[URLPattern | URLResolver]:
        """Return Django's URLs without `view_on_site`, which looks up objects before it checks permissions."""
        return [url for url in super().get_urls() if getattr(url, "name", "") != "view_on_site"]

    def login(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> HttpResponse:
        """Redirect to the sign-in page of all users, with its limits and second step."""
        from django.contrib.auth.views import redirect_to_login  # requires loaded apps

        if request.user.is_authenticated:
            if not self.has_permission(request):
                raise PermissionDenied
            return redirect("admin:index")
        return redirect_to_login(request.GET.get("next") or reverse("admin:index"))

    def password_change(self, request: HttpRequest, extra_context: dict[str, Any] | None = None) -> Any:
        """Redirect to the page where all users change their password."""
        return redirect("account_change_password")

    def admin_view(self, view: View, cacheable: bool = False) -> View:
        """Return the view with checks. Views of a model need any permission for it."""
        model_admin = getattr(view, "__self__", None)

        def checked_view(request: HttpRequest, *args: Any, **kwargs: Any) -> HttpResponseBase:
            if isinstance(model_admin, ModelAdmin) and not any(model_admin.get_model_perms(request).values()):
                raise PermissionDenied
            if NUL in request.path or any(NUL in value for values in request.GET.lists() for value in values[1]):
                # PostgreSQL refuses NUL in parameters.
                raise Http404
            try:
                return view(request, *args, **kwargs)
            except OverflowError as error:
                # Filters accept dates that are outside the calendar in UTC.
                if request.method in ("GET", "HEAD") and request.GET:
                    raise Http404 from error
                raise

        return super().admin_view(cast(View, checked_view), cacheable)


class Admin(AdminConfig):
    """django.contrib.admin with this site."""

    default_site = "chatproject.admin_site.Site"


class BackgroundTasks(TasksAppConfig):
    """django-tasks-db with a name for administrators."""

    verbose_name = "Background tasks"
