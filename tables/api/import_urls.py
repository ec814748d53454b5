"""The addresses below /api/imports/."""
from __future__ import annotations

from django.urls import path

from tables.api import importing

urlpatterns = [
    path("", importing.Imports.as_view(), name="api_imports"),
    path("<int:import_id>/", importing.OneImport.as_view(), name="api_import"),
    path("<int:import_id>/run/", importing.Run.as_view(), name="api_import_run"),
    path("<int:import_id>/report/", importing.Report.as_view(), name="api_import_report"),
]
