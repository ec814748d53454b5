"""The project's URLs and those of the example application."""
from __future__ import annotations

from django.urls import include, path

from chatproject.urls import handler400, handler404, handler500
from chatproject.urls import urlpatterns as of_the_project

__all__ = ["handler400", "handler404", "handler500", "urlpatterns"]

urlpatterns = [*of_the_project, path("", include("tests.reports.urls"))]
