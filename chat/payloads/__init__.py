"""The payload types of the table application, registered when this package is imported.

- `data_proposal`: changes to the rows of a table
- `schema_proposal`: a new table, or changes to the columns of one
- `decision_fields`: schemas of the user's decisions about both
- `proposal_helpers`: functions that both share: apply, summaries, faults
- `undo`: receivers that update proposals and tool calls when their change is undone or redone
"""

from chat.payloads import data_proposal, schema_proposal, undo

__all__ = ["data_proposal", "schema_proposal", "undo"]
