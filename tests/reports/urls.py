"""URLs of reports."""
from __future__ import annotations

from django.urls import path

from tests.reports import views

urlpatterns = [path("reports/<int:report_id>/", views.reports, name="reports")]
