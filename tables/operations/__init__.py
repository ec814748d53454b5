"""Plan changes to tables before anything is written. Pure: no database, no HTTP.

Reading: `body_reader`, `cells`, `definitions`, `sample_rows`, `sorts`, `filters`, `filter_costs`, `measures`,
`view_settings`, `upserts`, `formula_escaping`, `tokens`, `keyset_positions`.

Proposals: `data_proposal`, `schema_proposal`, `schema_additions`, `choice`, `reviews`, `carried_reviews`.

Plans: `planned`, `columns`, `row_order`, `row_names`, `data_plan`, `schema_plan`, `conversion`, `type_change_losses`,
`summaries`.

Changes and undo: `delta`, `delta_composition`, `undo_plan`, `history_replay`.
"""
from __future__ import annotations

from tables.column_types import type_descriptions, type_names
from tables.column_types.spec import ColumnSpec, TableShape
from tables.operations.carried_reviews import carry_over
from tables.operations.choice import Choice, Origin
from tables.operations.reviews import revised_review
from tables.operations.row_names import first_value

__all__ = [
    "Choice",
    "ColumnSpec",
    "Origin",
    "TableShape",
    "carry_over",
    "first_value",
    "revised_review",
    "type_descriptions",
    "type_names",
]  # fmt: skip
