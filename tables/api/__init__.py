"""REST API of tables: views that authenticate, parse, call one service or selector, and respond.

In reading order: `urls`, `parameters` (query parameters), `bodies` (request bodies), `table_query` (the requested rows
and columns), `responses`, `serializers`, `schemas` and `filter_operators` (as OpenAPI describes bodies and filters),
`tables`, `columns`, `rows` with `row_changes` and `minimal_responses`, `aggregates`, `proposals`, `changes`,
`exporting`, `sharing` and `imports`.
"""
