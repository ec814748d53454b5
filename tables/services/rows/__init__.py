"""Changes of rows.

`data_proposals` for stored proposals, `direct_changes` for proposals in a request, `row_proposals` for
rows, `upserts`, `valid_cells` for pastes, and `row_moves`.
"""
