"""Imports of files.

`uploads` stores a file and its choices, `running` reads it into rows of `staged_rows`, `writing` writes
them as one change; `row_keys` finds existing rows, `access` checks the user's rights meanwhile.
"""
