"""Plan what a proposal changes in the current table.

In reading order: `planned`, `data_plan`, `new_rows`, `row_order`, `upserts`, `schema_plan`, `schema_faults`,
`conversion`, `format_examples`, `schema_additions`, `summaries`, `pinned_plans`.
"""
