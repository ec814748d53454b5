"""Services: all writes to tables.

Every change is planned by operations and written by the pipeline with its undo. Modules in reading order: `pipeline`
(the steps that all changes share), `schema_proposals` and `rows` (changes of columns and rows), `tables` (create,
delete, restore; view settings), `undo` (undo, redo, restore), `imports`, `files` (of cells), `sharing`,
`administration` (tables of other users), `duplicating`, `ephemeral_tables` (examples that are rolled back),
`statistics_cache`, `cell_indexes`, `search_indexes` and `partitions` (performance), and `retention` (permanent
deletion).
"""
from __future__ import annotations

from tables.services.administration import can_administer_tables, restore_for_owner, transfer_table, trash_for_owner
from tables.services.cell_indexes import record_column_use, skip_if_locked, update_cell_indexes
from tables.services.duplicating import copy_linked_table, duplicate_table
from tables.services.ephemeral_tables import ephemeral_table
from tables.services.files.archived import imported_pictures
from tables.services.files.reading import read_file
from tables.services.files.storage import read_content
from tables.services.files.thumbnails import create_thumbnail, has_thumbnail
from tables.services.files.uploads import upload_file
from tables.services.imports.running import run_import
from tables.services.imports.uploads import (
    begin_import,
    cancel_import,
    change_import,
    receive_file,
    sniff_file,
)
from tables.services.pipeline.commit import Applied
from tables.services.pipeline.locking import locked_table, refuse_outdated
from tables.services.pipeline.outdated import beside, beside_others
from tables.services.pipeline.pinned_plans import planned_operations
from tables.services.rows.data_proposals import (
    ComposedData,
    apply_data,
    compose_data,
    prepare_data,
    prepare_updates,
    preview_data,
    refuse_other_data_plan,
)
from tables.services.rows.direct_changes import (
    Decisions,
    ReadProposal,
    change_rows,
    check_row_proposal,
    read_unlocked,
)
from tables.services.rows.row_moves import check_move, move_rows
from tables.services.rows.row_proposals import (
    RowChanges,
    add_rows,
    additions,
    check_changes,
    delete_rows,
    deletions,
    read_changes,
    update_rows,
    updates,
    write_changes,
)
from tables.services.rows.upserts import ReadUpsert, read_upsert, upsert_rows
from tables.services.rows.valid_cells import (
    ValidRows,
    add_valid_rows,
    read_valid_additions,
    read_valid_updates,
    update_valid_cells,
)
from tables.services.schema_proposals import (
    ComposedSchema,
    ReadSchema,
    apply_schema,
    change_columns,
    compose_schema,
    prepare_schema,
    preview_schema,
    read_columns_unlocked,
)
from tables.services.sharing.invitations import (
    INVITATION_DAYS,
    MAX_INVITATION_DAYS,
    accept_invitation,
    claim_invitations,
    decline_invitation,
    invitation_mail,
    invite,
    release_invitations,
    renew_invitation,
    withdraw_invitation,
)
from tables.services.sharing.members import change_member, create_link, remove_link, remove_member
from tables.services.sharing.ownership import transfer_or_delete_tables, transfer_ownership
from tables.services.statistics_cache import refresh_statistics, request_statistics, store_statistics
from tables.services.tables import (
    check_table,
    check_view_settings,
    create_table,
    restore_table,
    trash_table,
    update_view_settings,
)
from tables.services.undo.changes import (
    ComposedUndo,
    compose_undo,
    original_of,
    read_undo_decision,
    redo_change,
    undo_change,
)
from tables.services.undo.history_restore import LaterChanges, read_later_changes, restore_as_of

__all__ = [
    "INVITATION_DAYS",
    "MAX_INVITATION_DAYS",
    "Applied",
    "ComposedData",
    "ComposedSchema",
    "ComposedUndo",
    "Decisions",
    "LaterChanges",
    "ReadProposal",
    "ReadSchema",
    "ReadUpsert",
    "RowChanges",
    "ValidRows",
    "accept_invitation",
    "add_rows",
    "add_valid_rows",
    "additions",
    "apply_data",
    "apply_schema",
    "begin_import",
    "beside",
    "beside_others",
    "can_administer_tables",
    "cancel_import",
    "change_columns",
    "change_import",
    "change_member",
    "change_rows",
    "check_changes",
    "check_move",
    "check_row_proposal",
    "check_table",
    "check_view_settings",
    "claim_invitations",
    "compose_data",
    "compose_schema",
    "compose_undo",
    "copy_linked_table",
    "create_link",
    "create_table",
    "create_thumbnail",
    "decline_invitation",
    "delete_rows",
    "deletions",
    "duplicate_table",
    "ephemeral_table",
    "has_thumbnail",
    "imported_pictures",
    "invitation_mail",
    "invite",
    "locked_table",
    "move_rows",
    "original_of",
    "planned_operations",
    "prepare_data",
    "prepare_schema",
    "prepare_updates",
    "preview_data",
    "preview_schema",
    "read_changes",
    "read_columns_unlocked",
    "read_content",
    "read_file",
    "read_later_changes",
    "read_undo_decision",
    "read_unlocked",
    "read_upsert",
    "read_valid_additions",
    "read_valid_updates",
    "receive_file",
    "record_column_use",
    "redo_change",
    "refresh_statistics",
    "refuse_other_data_plan",
    "refuse_outdated",
    "release_invitations",
    "remove_link",
    "remove_member",
    "renew_invitation",
    "request_statistics",
    "restore_as_of",
    "restore_for_owner",
    "restore_table",
    "run_import",
    "skip_if_locked",
    "sniff_file",
    "store_statistics",
    "transfer_or_delete_tables",
    "transfer_ownership",
    "transfer_table",
    "trash_for_owner",
    "trash_table",
    "undo_change",
    "update_cell_indexes",
    "update_rows",
    "update_valid_cells",
    "update_view_settings",
    "updates",
    "upload_file",
    "upsert_rows",
    "withdraw_invitation",
    "write_changes",
]  # fmt: skip
