"""Changes of rows.

Modules in reading order: `direct_changes` for proposals in a request, `data_proposals` for stored proposals,
`row_proposals` for rows instead of operations, `upserts`, `valid_cells` for pastes, and `row_moves`.
"""
