"""URLs below /api/tables/ (`urlpatterns`), /api/imports/ (`import_urlpatterns`) and /api/assigned/."""

from __future__ import annotations

from django.urls import path

from tables.api import aggregates, assigned, changes, columns, events, exporting, files, proposals, rows, tables
from tables.api.imports import views as imports
from tables.api.sharing import views as sharing

urlpatterns = [
    path("", tables.Tables.as_view(), name="api_tables"),
    path("<int:table_id>/", tables.OneTable.as_view(), name="api_table"),
    path("<int:table_id>/restore/", tables.Restore.as_view(), name="api_restore"),
    path("<int:table_id>/duplicate/", tables.Duplicate.as_view(), name="api_duplicate"),
    path("<int:table_id>/view/", tables.PersonalView.as_view(), name="api_view"),
    path("<int:table_id>/stats/", tables.Stats.as_view(), name="api_stats"),
    path("<int:table_id>/aggregate/", aggregates.Aggregate.as_view(), name="api_aggregate"),
    path("<int:table_id>/choices/", tables.Choices.as_view(), name="api_choices"),
    path("<int:table_id>/columns/", columns.Columns.as_view(), name="api_columns"),
    path("<int:table_id>/columns/<str:column_id>/", columns.OneColumn.as_view(), name="api_column"),
    path("<int:table_id>/rows/", rows.Rows.as_view(), name="api_rows"),
    path("<int:table_id>/rows/<int:row_id>/", rows.OneRow.as_view(), name="api_row"),
    path("<int:table_id>/rows/find/", rows.FoundRows.as_view(), name="api_rows_find"),
    path("<int:table_id>/rows/delete/", rows.DeleteRows.as_view(), name="api_rows_delete"),
    path("<int:table_id>/rows/move/", rows.MoveRows.as_view(), name="api_rows_move"),
    path("proposals/schema/", proposals.NewTableProposal.as_view(), name="api_new_table_proposal"),
    path("<int:table_id>/proposals/schema/", proposals.SchemaProposal.as_view(), name="api_schema_proposal"),
    path("<int:table_id>/proposals/data/", proposals.DataProposal.as_view(), name="api_data_proposal"),
    path("<int:table_id>/changes/", changes.Changes.as_view(), name="api_changes"),
    path("<int:table_id>/changes/<int:change_id>/", changes.OneChange.as_view(), name="api_change"),
    path("<int:table_id>/changes/<int:change_id>/undo/", changes.Undo.as_view(), name="api_undo"),
    path("<int:table_id>/changes/<int:change_id>/redo/", changes.Redo.as_view(), name="api_redo"),
    path(
        "<int:table_id>/changes/<int:change_id>/restore/", changes.RestoreVersion.as_view(), name="api_restore_version"
    ),
    path("<int:table_id>/files/", files.Files.as_view(), name="api_files"),
    path("<int:table_id>/files/<str:file_id>/", files.OneFile.as_view(), name="api_file"),
    path("<int:table_id>/files/<str:file_id>/thumbnail/", files.Thumbnail.as_view(), name="api_thumbnail"),
    path("<int:table_id>/events/", events.table_events, name="api_events"),
    path("<int:table_id>/export/", exporting.export_table, name="api_export"),
    path("<int:table_id>/members/", sharing.Members.as_view(), name="api_members"),
    path("<int:table_id>/members/<str:name>/", sharing.OneMember.as_view(), name="api_member"),
    path("<int:table_id>/transfer/", sharing.Transfer.as_view(), name="api_transfer"),
    path("<int:table_id>/link/", sharing.Link.as_view(), name="api_link"),
    path("<int:table_id>/invitations/<int:invitation_id>/", sharing.OneInvitation.as_view(), name="api_invitation"),
    path("invitations/", sharing.Invitations.as_view(), name="api_invitations"),
    path("invitations/<int:invitation_id>/accept/", sharing.AcceptInvitation.as_view(), name="api_accept"),
    path("invitations/<int:invitation_id>/decline/", sharing.DeclineInvitation.as_view(), name="api_decline"),
    path("invitations/<str:token>/", sharing.AcceptInvitation.as_view(), name="api_accept_invitation"),
]

import_urlpatterns = [
    path("", imports.Imports.as_view(), name="api_imports"),
    path("<int:import_id>/", imports.OneImport.as_view(), name="api_import"),
    path("<int:import_id>/run/", imports.Run.as_view(), name="api_import_run"),
    path("<int:import_id>/report/", imports.Report.as_view(), name="api_import_report"),
]

assigned_urlpatterns = [path("", assigned.Assigned.as_view(), name="api_assigned")]
