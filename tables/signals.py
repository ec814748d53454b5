"""Signals about tables. The comment of each states when it is sent, and its arguments."""
from __future__ import annotations

from django.dispatch import Signal

# In the transaction of an undo, a redo or a restore, before its table is locked: receivers lock proposals here, as an
# apply locks its proposal before the table. `proposal_ids` of the changes that may be undone or redone.
pre_undo = Signal()
# In the transaction of an undo or a redo, which an error of a receiver rolls back.
# `change`: the tables.models.Change that was undone or redone.
change_undone = Signal()
change_redone = Signal()

# After the commit of a change. `table_id` and `body`:
# {"version", "rows": [ids] or "many", "schema", "moved", "change_id", "actor"}.
change_made = Signal()
# After the commit, if the access of a user has ended or changed. `table_id`.
access_changed = Signal()
# After the commit, when something other than the table itself has changed for everybody who can view it. `table_id`,
# `about` ("fills", or "thumbnails" that were created) and `about_id`, the id of what has changed.
news_made = Signal()

# When a request has computed the statistics of a large table: `request` (selectors.statistics.cache) and `value`.
statistics_computed = Signal()
# When a request used stored statistics of an earlier version: their `key`.
statistics_outdated = Signal()

# In the transaction that deletes rows for good. `table_id` and `row_ids`.
rows_purged = Signal()

# Metrics. After the API has applied a proposal or failed to: `kind` ("data_proposal" or "schema_proposal"), `outcome`
# ("applied" or an error code), `seconds`.
apply_ended = Signal()
# After an export: `ending` ("csv", …), `outcome` ("made", "stopped" or an error code), `seconds`.
export_ended = Signal()
# After an import: `outcome` ("done", "cancelled" or an error code), and its numbers of rows `added` and `updated`.
import_ended = Signal()

# Before an invitation is created or sent again, which an error of a receiver prevents. `user` who invites, `kind` and
# `name` as in tables.models.Invitation, `now`.
invitation_requested = Signal()
# In the transaction of an invitation by mail. `invitation_id` and `site_url`, such as "https://example.org".
invitation_to_mail = Signal()
