"""The addresses below /api/tables/.

Reading and writing share an address: a view in `defining` or `writing` is the view of the same name in `reading` with
more methods.
"""
from __future__ import annotations

from django.urls import path

from tables.api import (
    changes,
    exporting,
    invitations,
    proposals,
    reads,
    row_writes,
    sharing,
    table_writes,
    view_settings,
)

urlpatterns = [
    path("", table_writes.Tables.as_view(), name="api_tables"),
    path("<int:table_id>/", table_writes.OneTable.as_view(), name="api_table"),
    path("<int:table_id>/columns/", table_writes.Columns.as_view(), name="api_columns"),
    path("<int:table_id>/rows/", row_writes.Rows.as_view(), name="api_rows"),
    path("<int:table_id>/rows/<int:row_id>/", row_writes.OneRow.as_view(), name="api_row"),
    path("<int:table_id>/rows/find/", reads.FoundRows.as_view(), name="api_rows_find"),
    path("<int:table_id>/rows/delete/", row_writes.DeleteRows.as_view(), name="api_rows_delete"),
    path("<int:table_id>/rows/move/", row_writes.MoveRows.as_view(), name="api_rows_move"),
    path("<int:table_id>/restore/", table_writes.Restore.as_view(), name="api_restore"),
    path("<int:table_id>/duplicate/", table_writes.Duplicate.as_view(), name="api_duplicate"),
    path("<int:table_id>/columns/<str:column_id>/", table_writes.OneColumn.as_view(), name="api_column"),
    path("proposals/schema/", proposals.NewTableProposal.as_view(), name="api_new_table_proposal"),
    path("<int:table_id>/proposals/schema/", proposals.SchemaProposal.as_view(), name="api_schema_proposal"),
    path("<int:table_id>/proposals/data/", proposals.DataProposal.as_view(), name="api_data_proposal"),
    path("<int:table_id>/changes/<int:change_id>/undo/", proposals.Undo.as_view(), name="api_undo"),
    path("<int:table_id>/changes/<int:change_id>/redo/", proposals.Redo.as_view(), name="api_redo"),
    path(
        "<int:table_id>/changes/<int:change_id>/restore/", changes.RestoreVersion.as_view(), name="api_restore_version"
    ),
    path("<int:table_id>/stats/", reads.Stats.as_view(), name="api_stats"),
    path("<int:table_id>/choices/", reads.Choices.as_view(), name="api_choices"),
    path("<int:table_id>/changes/", changes.Changes.as_view(), name="api_changes"),
    path("<int:table_id>/changes/<int:change_id>/", changes.OneChange.as_view(), name="api_change"),
    path("<int:table_id>/export/", exporting.export_table, name="api_export"),
    path("<int:table_id>/view/", view_settings.PersonalView.as_view(), name="api_view"),
    path("<int:table_id>/members/", sharing.Members.as_view(), name="api_members"),
    path("<int:table_id>/members/<str:name>/", sharing.OneMember.as_view(), name="api_member"),
    path("<int:table_id>/transfer/", sharing.Transfer.as_view(), name="api_transfer"),
    path("<int:table_id>/invitations/<int:invitation_id>/", invitations.OneInvitation.as_view(), name="api_invitation"),
    path("<int:table_id>/link/", sharing.Link.as_view(), name="api_link"),
    path("invitations/", invitations.Invitations.as_view(), name="api_invitations"),
    path("invitations/<int:invitation_id>/accept/", invitations.AcceptInvitation.as_view(), name="api_accept"),
    path("invitations/<int:invitation_id>/decline/", invitations.DeclineInvitation.as_view(), name="api_decline"),
    path("invitations/<str:token>/", invitations.AcceptInvitation.as_view(), name="api_accept_invitation"),
]
