"""Effects of changes: `delta` (before and after), `undo_plan`, `history_replay` (which changes are in effect)."""
