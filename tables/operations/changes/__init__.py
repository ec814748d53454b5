"""Effects of changes: `delta` (before and after), `undo_paths` (of conflicts), `undo_plan`, `history_replay` (which
changes are in effect)."""
