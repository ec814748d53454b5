"""The addresses below /api/tables/.

Reading and writing share an address: a view in `writing` is the view of the same name in `reading` with more methods.
"""
from __future__ import annotations

from django.urls import path

from tables.api import reading

urlpatterns = [
    path("", reading.Tables.as_view(), name="api_tables"),
    path("<int:table_id>/", reading.OneTable.as_view(), name="api_table"),
    path("<int:table_id>/columns/", reading.Columns.as_view(), name="api_columns"),
    path("<int:table_id>/rows/", reading.Rows.as_view(), name="api_rows"),
    path("<int:table_id>/rows/<int:row_id>/", reading.OneRow.as_view(), name="api_row"),
    path("<int:table_id>/stats/", reading.Stats.as_view(), name="api_stats"),
    path("<int:table_id>/changes/", reading.Changes.as_view(), name="api_changes"),
]
