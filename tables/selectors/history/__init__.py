"""The history of a table.

Modules in reading order: `undo_chains` for changes that undo and redo each other, `changes` for lists of changes,
`entries` for the stored entries of a change, `details` for what changes did to rows, columns and the table,
`column_names` for names in previews and stored operations.
"""
