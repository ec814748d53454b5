"""JSON Schemas of the user's decisions about proposals of tables, for the OpenAPI document."""

from __future__ import annotations

from shared.rest.openapi import BOOLEAN, ID, OBJECT, TEXT, TITLE, Json, by_index, described, enum, named, nullable

AT_CONFLICT = named("ConflictDecision", enum("skip", "overwrite"))
REMOVED: Json = {
    "anyOf": [enum("clear"), {**OBJECT, "additionalProperties": TEXT}],
    "description": "“clear”, or the replacement of each: {\"Open\": \"To do\"}.",
}
# What `Choice.read` accepts besides `operations`, `edits` and `content_hash`.
SELECTION_FIELDS: dict[str, Json] = {
    "table_name": {**nullable(TEXT), "description": "The name of a new table."},
    "table_description": {**nullable(TEXT), "description": "The description of a new table."},
    "on_conflict": {
        "anyOf": [nullable(AT_CONFLICT), by_index(AT_CONFLICT)],
        "description": "What to do with values that have changed since, for all operations or by index as in a "
        "preview: {\"0\": \"skip\"}.",
    },
    "on_unconvertible": described(nullable(enum("clear")), "Clear the cells that cannot be converted."),
    "on_removed_option": nullable(REMOVED),
    "on_empty_cells": described(nullable(enum("keep")), "Rows may stay empty in a column that becomes required."),
    "include_sample_rows": described(nullable(BOOLEAN), "Add the sample rows of a new table."),
    "version": {**nullable(ID), "description": "The version of the table; 412 if it has changed."},
}  # fmt: skip
REVIEW_FIELDS: dict[str, Json] = {
    "table_name": described(nullable(TITLE), "The name of a new table."),
    "include_sample_rows": described(nullable(BOOLEAN), "Whether the sample rows of a new table are added."),
}
