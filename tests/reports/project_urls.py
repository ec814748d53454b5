"""The project's URLs and those of the installed application."""
from __future__ import annotations

from django.urls import include, path

from chatproject.urls import handler400, handler404, handler500
from chatproject.urls import urlpatterns as project_urlpatterns

__all__ = ["handler400", "handler404", "handler500", "urlpatterns"]

urlpatterns = [*project_urlpatterns, path("", include("tests.reports.urls"))]
