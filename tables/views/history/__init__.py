"""The history of a table: `pages`, `change_details` (one change), `undo_conflicts`."""
