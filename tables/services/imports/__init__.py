"""Imports of files.

Modules in reading order: `uploads` stores a file and its choices; `running` reads it into staged rows, of which
`progress` counts how many; `writing` writes the staged rows as one change; `staged_rows` has the SQL for that, and
`row_keys` finds existing rows by key.
"""
