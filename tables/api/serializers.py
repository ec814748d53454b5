"""Request and response bodies of tables, columns, personal views and changes that undo others.

Responses with many tables or columns are built by their views; these serializers describe them.
"""
from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from shared.rest.openapi import BOOLEAN, OBJECT, TEXT, TITLE, Json, array, enum, example, named, nullable, ref
from shared.rest.serializers import Body, DateTimeTextField, NextPageField, SchemaField
from tables import services
from tables.api.schemas import CELL_VALUE, CELLS, COLORS, FILTER_DISPLAY, MAX_ROWS, TYPES
from tables.column_types.limits import HARD_LIMITS
from tables.column_types.settings import setting_schemas
from tables.operations.body_reader import Form
from tables.operations.changes.undo_paths import PATH_PATTERN
from tables.operations.proposals.definitions import read_table_name
from tables.operations.queries.view_settings import MAX_WIDTH, MIN_WIDTH

WIDTHS: Json = {**OBJECT, "additionalProperties": {"type": "integer", "minimum": MIN_WIDTH, "maximum": MAX_WIDTH}}
DECISION = named("ConflictDecision", enum("skip", "overwrite"))
BY_CELL: Json = {
    **OBJECT,
    "patternProperties": {PATH_PATTERN: DECISION},
    "additionalProperties": False,
}
ROLES = ("owner", "editor", "viewer")


def _read_name(value: Any) -> Any:
    form = Form()
    read_table_name(value, path="name", form=form)
    form.refuse()
    return value


def _read_decision(value: Any) -> Any:
    services.read_undo_decision(value)
    return value


def _read_description(value: Any) -> Any:
    form = Form()
    form.text(value, path="description")
    form.refuse()
    return value


@extend_schema_serializer(
    examples=[
        example({"name": "Jobs", "columns": [{"name": "Company", "type": "text"}], "rows": [{"Company": "Acme"}]})
    ]
)
class NewTableBody(Body):
    """A table to create, with its columns and rows."""

    name = SchemaField(TITLE)
    description = SchemaField(nullable(TEXT), required=False)
    columns = SchemaField(array(ref("Definition"), minItems=1, maxItems=HARD_LIMITS.columns))
    rows = SchemaField(nullable(array(CELLS, maxItems=MAX_ROWS)), required=False)


@extend_schema_serializer(examples=[example({"name": "Applications"})])
class TableBody(Body):
    """The fields of a table to change; null leaves one as it is."""

    name = SchemaField(nullable(TITLE), read=_read_name, required=False)
    description = SchemaField(nullable(TEXT), read=_read_description, required=False)


@extend_schema_serializer(examples=[example({"name": "Jobs of last year"})])
class DuplicateBody(Body):
    """The name of the copy."""

    name = SchemaField(nullable(TITLE), read=_read_name, required=False)


@extend_schema_serializer(examples=[example({"widths": {"Company": 240}, "hidden": ["Notes"]})])
class ViewBody(Body):
    """The user's view of a table; columns are given by id or name."""

    widths = SchemaField(WIDTHS)
    hidden = SchemaField(array(TEXT))


@extend_schema_serializer(examples=[example({"on_conflict": "skip"})])
class UndoBody(Body):
    """The decision about cells that were changed since: the same for all, or by path."""

    on_conflict = SchemaField(
        {"anyOf": [DECISION, BY_CELL, {"type": "null"}]}, read=_read_decision, required=False
    )


class ColumnSerializer(serializers.Serializer[Any]):
    """A column. Fields that its type does not have are absent."""

    id = serializers.CharField()
    name = serializers.CharField()
    type = SchemaField(TYPES)
    required = SchemaField(BOOLEAN)  # type: ignore[assignment]  # a field, not the attribute of the class
    default = SchemaField(CELL_VALUE)
    position = serializers.IntegerField()
    options = serializers.ListField(child=serializers.CharField(), required=False)
    optionColors = SchemaField(COLORS, required=False)  # noqa: N815  # the API's name
    filterDisplay = SchemaField(FILTER_DISPLAY, required=False)  # noqa: N815  # the API's name
    change = serializers.IntegerField(required=False, allow_null=True)

    def get_fields(self) -> dict[str, Any]:
        """Return the fields above and the settings of all types."""
        settings = {name: SchemaField(schema, required=False) for name, schema in setting_schemas().items()}
        return {**super().get_fields(), **settings}


class ColumnsSerializer(serializers.Serializer[Any]):
    """The columns of a table."""

    columns = ColumnSerializer(many=True)


class TableSerializer(serializers.Serializer[Any]):
    """A table with its columns."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    description = serializers.CharField()
    version = serializers.IntegerField()
    owner = serializers.CharField()
    role = serializers.ChoiceField(ROLES)
    row_count = serializers.IntegerField()
    columns = ColumnSerializer(many=True)
    created_at = DateTimeTextField()
    updated_at = DateTimeTextField()
    change = serializers.IntegerField(required=False)


class TablesSerializer(serializers.Serializer[Any]):
    """A page of tables."""

    tables = TableSerializer(many=True)
    count = serializers.IntegerField()
    next = NextPageField()


class WrittenSerializer(serializers.Serializer[Any]):
    """The id of a change, and the version after it."""

    change = serializers.IntegerField()
    version = serializers.IntegerField()


class NamedTableSerializer(serializers.Serializer[Any]):
    """A table by its name."""

    id = serializers.IntegerField(source="pk")
    name = serializers.CharField()
    trashed = serializers.SerializerMethodField()

    def get_trashed(self, table: Any) -> bool:
        """Return whether the table is in the trash."""
        return table.deleted_at is not None


class UndoneSerializer(serializers.Serializer[Any]):
    """A change that undoes others. `skipped` are values whose row or column was deleted since; at most 1,000."""

    change = serializers.IntegerField(source="pk")
    version = serializers.IntegerField()
    table = NamedTableSerializer()
    summary = serializers.CharField()
    skipped = SchemaField(array(ref("Fault")))


class ViewSerializer(serializers.Serializer[Any]):
    """The user's view of a table: widths in pixels and hidden columns, by column id."""

    widths = SchemaField(WIDTHS)
    hidden = serializers.ListField(child=serializers.CharField())
