"""Configuration of the assistant: defaults from code, and the overrides of administrators.

Modules in reading order: `catalogue` applies the overrides for a turn; `entries` and `history` show entries and their
changes to administrators; `drafts` reads unsaved input of an administrator; `orphaned_overrides` finds overrides
without effect; `model_checks` reads results of checks of model servers; `prompt_tests` reads the messages to try
changes with.
"""
