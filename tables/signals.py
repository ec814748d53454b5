"""What tables tell others about: some of it inside the transaction that does it, some after the commit."""
from __future__ import annotations

from django.dispatch import Signal

# Inside the transaction: receivers that raise undo it all.
# Both get `change`: the tables.models.Change that was taken back, or done again.
change_undone = Signal()
change_redone = Signal()

# After the commit. `table_id` and `body`:
# {"version", "rows": [ids] or "many", "schema", "moved", "change_id", "actor"}.
change_made = Signal()
# After the commit. `table_id`: somebody's right to see the table has ended or changed.
access_changed = Signal()

# While reading. The statistics of a large table were computed: `request` (selectors.statistics.cache) and `value`.
figures_computed = Signal()
# A reader had to make do with those of an earlier version: `key`, that of the kept ones.
figures_outdated = Signal()

# For those who count. A program has applied a proposal, whatever came of it: `kind` ("data_proposal" or
# "schema_proposal"), `outcome` ("applied" or the code of a failure), `seconds`.
apply_ended = Signal()
# When the file of a table was made, or not: `ending` ("csv", …), `outcome` ("made", "stopped" or the code of a
# failure), `seconds`.
export_ended = Signal()
# When an import has ended, in a worker or because somebody gave it up: `outcome` ("done", "cancelled" or the code of a
# failure), and how many rows it has `added` and `updated`.
import_ended = Signal()

# Before an invitation is written or sent again: receivers that raise prevent it. `user` who invites, `kind` and `name`
# as of tables.models.Invitation, `now`.
invitation_requested = Signal()
# Inside the transaction: an invitation is to be mailed. `invitation_id` and `site_url`, such as "https://example.org".
invitation_to_mail = Signal()
