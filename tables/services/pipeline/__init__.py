"""The one way in which tables are written: lock, find rows, compose, write, record, announce.

Read `recording` first: `carry_out` stores every change with its undo. `locking` takes locks, `found_rows`
fetches the rows of operations, `planned_rows` composes and writes planned rows, `row_writing`, `row_order`,
`row_positions` and `column_writing` contain the statements, `undo_cells` stores cells for undo, `announcements` sends
signals after the commit. `applied` is the result of a proposal; `today` and `gc_pause` are helpers.
"""
