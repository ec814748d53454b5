"""URLs of the pages of tables."""

from __future__ import annotations

from django.urls import path

from tables import views

urlpatterns = [
    path("", views.tables_list, name="tables_list"),
    path("assigned/", views.assigned_rows, name="assigned_rows"),
    path("new/", views.new_table, name="new_table"),
    path("import/", views.import_file, name="import_file"),
    path("imports/<int:import_id>/", views.import_page, name="import_page"),
    path("<int:table_id>/", views.table_view, name="table_view"),
    path("<int:table_id>/edit/", views.table_edit, name="table_edit"),
    path("<int:table_id>/columns-shown/", views.table_columns_shown, name="table_columns_shown"),
    path("<int:table_id>/export/", views.table_export, name="table_export"),
    path("<int:table_id>/rows/new/", views.table_row, name="table_row_new"),
    path("<int:table_id>/rows/<int:row_id>/", views.table_row, name="table_row"),
    path("<int:table_id>/history/", views.table_history, name="table_history"),
    path("<int:table_id>/history/<int:change_id>/", views.table_change, name="table_change"),
    path("<int:table_id>/history/<int:change_id>/restore/", views.table_restore, name="table_restore"),
    path("<int:table_id>/sharing/", views.table_sharing, name="table_sharing"),
    path("invitations/<str:token>/", views.invitation, name="invitation"),
]
