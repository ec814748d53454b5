"""All writing of tables: every change goes the same way, from operations to a record of how to take it back."""
from __future__ import annotations

from tables.services.administration import may_look_after, restore_for_owner, transfer_table, trash_for_owner
from tables.services.cell_indexes import keep_indexes, note_use
from tables.services.duplicating import copy_linked_table, duplicate_table
from tables.services.ephemeral_tables import lent_table
from tables.services.imports.running import run_import
from tables.services.imports.uploads import (
    begin_import,
    cancel_import,
    change_import,
    look_into,
    receive_file,
)
from tables.services.pipeline.applied import Applied
from tables.services.pipeline.locking import refuse_outdated
from tables.services.rows.data_proposals import ComposedData, apply_data, compose_data, prepare_data, preview_data
from tables.services.rows.direct_changes import Decisions, ReadProposal, change_rows, read_unlocked
from tables.services.rows.row_moves import move_rows
from tables.services.rows.row_proposals import (
    RowChanges,
    add_rows,
    additions,
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
    apply_schema,
    change_columns,
    compose_schema,
    prepare_schema,
    preview_schema,
)
from tables.services.sharing.account_deletion import part_with_tables
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
from tables.services.sharing.members import change_member, make_link, remove_link, remove_member
from tables.services.sharing.ownership_transfer import give_table
from tables.services.stored_statistics import ask_for_figures, keep_figures, renew_figures
from tables.services.tables import create_table, restore_table, trash_table
from tables.services.undo.changes import ComposedUndo, compose_undo, original_of, redo_change, undo_change
from tables.services.undo.history_restore import LaterChanges, read_later_changes, restore_as_of
from tables.services.view_settings import change_look

__all__ = [
    "INVITATION_DAYS", "MAX_INVITATION_DAYS", "Applied", "ComposedData", "ComposedSchema", "ComposedUndo", "Decisions",
    "LaterChanges", "ReadProposal", "ReadUpsert", "RowChanges", "ValidRows", "accept_invitation", "add_rows",
    "add_valid_rows", "additions", "apply_data", "apply_schema", "ask_for_figures", "begin_import", "cancel_import",
    "change_columns", "change_import", "change_look", "change_member", "change_rows", "claim_invitations",
    "compose_data", "compose_schema", "compose_undo", "copy_linked_table", "create_table", "decide_on_refused",
    "decline_invitation", "delete_rows", "deletions", "duplicate_table", "give_table", "invitation_mail", "invite",
    "keep_figures", "keep_indexes", "lent_table", "look_into", "make_link", "may_look_after", "move_rows", "note_use",
    "original_of", "part_with_tables", "prepare_data", "prepare_schema", "preview_data", "preview_schema",
    "read_changes", "read_later_changes", "read_unlocked", "read_upsert", "read_valid_additions", "read_valid_updates",
    "receive_file", "redo_change", "refuse_outdated", "release_invitations", "remove_link", "remove_member",
    "renew_figures", "renew_invitation", "restore_as_of", "restore_for_owner", "restore_table", "run_import",
    "transfer_table", "trash_for_owner", "trash_table", "undo_change", "update_rows", "update_valid_cells", "updates",
    "upsert_rows", "withdraw_invitation", "write_changes",
]  # fmt: skip
