"""The URLs of the project: those of `chatproject`, and those of invoices."""
from __future__ import annotations

from django.urls import path

from chatproject.urls import handler400, handler404, handler500
from chatproject.urls import urlpatterns as project_urlpatterns
from tests.engine_without_tables.invoices import views

__all__ = ["handler400", "handler404", "handler500", "urlpatterns"]

urlpatterns = [*project_urlpatterns, path("invoices/", views.invoices, name="invoices")]
