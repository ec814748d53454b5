"""The pipeline of all writes to tables: lock, find rows, compose, write, record, send signals.

Modules in reading order: `commit` stores every change with its undo; `locking` takes locks; `row_lookup` finds the rows
of operations; `planned_rows` composes and writes planned rows; `row_writing` and `row_positions` contain the SQL;
`change_pieces` stores cells for undo; `announcements` sends signals after the commit; `pinned_plans` compares an apply
with its dry run.
"""
