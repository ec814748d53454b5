"""SQL with the same result on both databases: `sqlite_functions`, `dialects` reads cells,
`named_cells` reads each once, `elements` of lists, `conditions` filters rows, `cell_indexes` reads cells from indexes,
`search_indexes` finds rows by their texts."""
