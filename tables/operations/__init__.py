"""Plan changes to tables before anything is written. Pure: no database, no HTTP.

In reading order: `body_reader`, `cells`, `columns`, `row_names` and `column_keys`, which the others use; `queries`
(sorts, filters, measures); `changes` (the effect of a change and its undo); `proposals` (requested changes); `plans`
(changes to write).
`formula_escaping` and `tokens` are for files and links.
"""
from __future__ import annotations

from tables.column_types import (
    computed_type_names,
    get_column_type,
    operator_descriptions,
    setting_descriptions,
    type_descriptions,
    type_names,
)
from tables.column_types.spec import ColumnSpec, TableShape
from tables.operations.plans.changed_rows import KnownUpdate
from tables.operations.proposals.carried_reviews import carry_over
from tables.operations.proposals.choice import Choice, Origin
from tables.operations.proposals.reviews import revised_review
from tables.operations.row_names import first_value

__all__ = [
    "Choice",
    "ColumnSpec",
    "KnownUpdate",
    "Origin",
    "TableShape",
    "carry_over",
    "computed_type_names",
    "first_value",
    "get_column_type",
    "operator_descriptions",
    "revised_review",
    "setting_descriptions",
    "type_descriptions",
    "type_names",
]  # fmt: skip
