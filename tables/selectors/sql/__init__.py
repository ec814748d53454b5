"""SQL with the same result on both databases: `dialects` reads cells, `conditions` filters them."""
