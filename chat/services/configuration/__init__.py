"""Changes to the configuration of the assistant.

Modules in reading order: `changes` validates and records changes, restores earlier values, and deletes orphaned
overrides; `undo` undoes versions and deletes added entries; `drafts` stores unsaved input; `import_export` writes and
reads files of overrides; `model_checks` stores results of checks of model servers; `prompt_tests` stores the messages
to try changes with.
"""
