"""The addresses below /api/tables/.

Reading and writing share an address: a view in `defining` or `writing` is the view of the same name in `reading` with
more methods.
"""
from __future__ import annotations

from django.urls import path

from tables.api import changes, defining, exporting, invitations, looking, proposing, reading, sharing, writing

urlpatterns = [
    path("", defining.Tables.as_view(), name="api_tables"),
    path("<int:table_id>/", defining.OneTable.as_view(), name="api_table"),
    path("<int:table_id>/columns/", defining.Columns.as_view(), name="api_columns"),
    path("<int:table_id>/rows/", writing.Rows.as_view(), name="api_rows"),
    path("<int:table_id>/rows/<int:row_id>/", writing.OneRow.as_view(), name="api_row"),
    path("<int:table_id>/rows/find/", reading.FoundRows.as_view(), name="api_rows_find"),
    path("<int:table_id>/rows/delete/", writing.DeleteRows.as_view(), name="api_rows_delete"),
    path("<int:table_id>/rows/move/", writing.MoveRows.as_view(), name="api_rows_move"),
    path("<int:table_id>/restore/", defining.Restore.as_view(), name="api_restore"),
    path("<int:table_id>/duplicate/", defining.Duplicate.as_view(), name="api_duplicate"),
    path("<int:table_id>/columns/<str:column_id>/", defining.OneColumn.as_view(), name="api_column"),
    path("proposals/schema/", proposing.NewTableProposal.as_view(), name="api_new_table_proposal"),
    path("<int:table_id>/proposals/schema/", proposing.SchemaProposal.as_view(), name="api_schema_proposal"),
    path("<int:table_id>/proposals/data/", proposing.DataProposal.as_view(), name="api_data_proposal"),
    path("<int:table_id>/changes/<int:change_id>/undo/", proposing.Undo.as_view(), name="api_undo"),
    path("<int:table_id>/changes/<int:change_id>/redo/", proposing.Redo.as_view(), name="api_redo"),
    path(
        "<int:table_id>/changes/<int:change_id>/restore/", changes.RestoreVersion.as_view(), name="api_restore_version"
    ),
    path("<int:table_id>/stats/", reading.Stats.as_view(), name="api_stats"),
    path("<int:table_id>/choices/", reading.Choices.as_view(), name="api_choices"),
    path("<int:table_id>/changes/", changes.Changes.as_view(), name="api_changes"),
    path("<int:table_id>/changes/<int:change_id>/", changes.OneChange.as_view(), name="api_change"),
    path("<int:table_id>/export/", exporting.export_table, name="api_export"),
    path("<int:table_id>/view/", looking.PersonalView.as_view(), name="api_view"),
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
