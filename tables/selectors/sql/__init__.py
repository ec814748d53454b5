"""SQL with the same result on both databases: `dialects` reads cells, `conditions` filters them,
`cell_indexes` reads them from indexes, `search_indexes` finds rows by their texts."""
