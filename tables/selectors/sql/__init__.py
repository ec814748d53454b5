"""SQL with the same result on both databases: `sqlite_functions` has what SQLite lacks, `dialects` reads cells and
fields of rows, `named_cells` reads each once, `elements` of lists, `conditions` filters rows, `computed` reads computed
columns, `cell_indexes` reads cells from indexes,
`search_indexes` finds rows by their texts; `table_names` reads names of tables."""
