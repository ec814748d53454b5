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
from tables.api.change_schemas import CHANGE
from tables.api.schemas import CELLS, COLORS, DEFAULT_VALUE, FILTER_DISPLAY, MAX_ROWS, TYPES
from tables.api.setting_fields import described_settings
from tables.column_types.limits import HARD_LIMITS
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

    name = SchemaField(TITLE, help_text="The name of the table.")
    description = SchemaField(nullable(TEXT), required=False, help_text="A description of its content.")
    columns = SchemaField(array(ref("Definition"), minItems=1, maxItems=HARD_LIMITS.columns), help_text="Its columns.")
    rows = SchemaField(
        nullable(array(CELLS, maxItems=MAX_ROWS)), required=False, help_text="Its first rows, each an object of cells."
    )


@extend_schema_serializer(examples=[example({"name": "Applications"})])
class TableBody(Body):
    """The fields of a table to change; null leaves one as it is."""

    name = SchemaField(nullable(TITLE), read=_read_name, required=False, help_text="The new name.")
    description = SchemaField(nullable(TEXT), read=_read_description, required=False, help_text="The new description.")


@extend_schema_serializer(examples=[example({"name": "Jobs of last year"})])
class DuplicateBody(Body):
    """The name of the copy."""

    name = SchemaField(
        nullable(TITLE), read=_read_name, required=False,
        help_text="The name of the copy; without it, it is derived from that of the table.",
    )


@extend_schema_serializer(examples=[example({"widths": {"Company": 240}, "hidden": ["Notes"]})])
class ViewBody(Body):
    """The user's view of a table; columns are given by id or name."""

    widths = SchemaField(WIDTHS, help_text="Widths in pixels by column.")
    hidden = SchemaField(array(TEXT), help_text="The hidden columns.")


@extend_schema_serializer(examples=[example({"on_conflict": "skip"})])
class UndoBody(Body):
    """The decision about cells that were changed since: the same for all, or by path."""

    on_conflict = SchemaField(
        {"anyOf": [DECISION, BY_CELL, {"type": "null"}]},
        read=_read_decision,
        required=False,
        help_text="What to do with cells that were changed since, for all of them or by path.",
    )


class PersonSerializer(serializers.Serializer[Any]):
    """A person that a cell can have."""

    id = serializers.IntegerField(help_text="The id of the person, which is the value of the cell.")
    name = serializers.CharField(help_text="The user name.")
    has_left = serializers.BooleanField(help_text="Whether the person is no longer a member, and cannot be chosen.")


class ColumnSerializer(serializers.Serializer[Any]):
    """A column. Fields that its type does not have are absent."""

    id = serializers.CharField(help_text="The id of the column, such as col_1a2b3c; renaming does not change it.")
    name = serializers.CharField(help_text="The name of the column.")
    type = SchemaField(TYPES)
    required = SchemaField(  # type: ignore[assignment]  # a field, not the attribute of the class
        BOOLEAN, help_text="Whether each row must have a value."
    )
    default = SchemaField(DEFAULT_VALUE, help_text="The value of new rows that leave out the cell; null for none.")
    position = serializers.IntegerField(help_text="The position among the columns, from 0.")
    options = serializers.ListField(
        child=serializers.CharField(),
        required=False,
        help_text="The options of a select or multiple select column, in their order.",
    )
    optionColors = SchemaField(COLORS, required=False)  # noqa: N815  # the API's name
    filterDisplay = SchemaField(FILTER_DISPLAY, required=False)  # noqa: N815  # the API's name
    people = PersonSerializer(
        many=True, required=False,
        help_text="The people whose ids the values of a person column are, and whose names columns of users of rows "
        "have: the owner, the members, and those who left.",
    )
    change = serializers.IntegerField(
        required=False, allow_null=True,
        help_text="In answers to writes of columns: the id of the change; null if nothing changed.",
    )

    def get_fields(self) -> dict[str, Any]:
        """Return the fields above and the settings of all types."""
        settings = {name: SchemaField(schema, required=False) for name, schema in described_settings().items()}
        return {**super().get_fields(), **settings}


class ColumnsSerializer(serializers.Serializer[Any]):
    """The columns of a table."""

    columns = ColumnSerializer(many=True)


class TableSerializer(serializers.Serializer[Any]):
    """A table with its columns."""

    id = serializers.IntegerField(help_text="The id of the table.")
    name = serializers.CharField(help_text="The name of the table.")
    description = serializers.CharField(help_text="A description of its content; may be empty.")
    version = serializers.IntegerField(help_text="The version of the table, which grows with every change.")
    owner = serializers.CharField(help_text="The name of the user who owns it.")
    role = serializers.ChoiceField(ROLES, help_text="Your role.")
    row_count = serializers.IntegerField(help_text="The number of its rows.")
    columns = ColumnSerializer(many=True)
    created_at = DateTimeTextField(help_text="The time of its creation.")
    updated_at = DateTimeTextField(help_text="The time of its last change.")
    change = serializers.IntegerField(
        required=False, help_text="In the answer to a proposal for a new table: the id of the change."
    )


class TablesSerializer(serializers.Serializer[Any]):
    """A page of tables."""

    tables = TableSerializer(many=True)
    count = serializers.IntegerField(help_text="The number of all tables in the list.")
    next = NextPageField()


class TableNameSerializer(serializers.Serializer[Any]):
    """The id and the name of a table."""

    id = serializers.IntegerField(source="pk", help_text="The id of the table.")
    name = serializers.CharField(help_text="The name of the table.")


class AssignedRowSerializer(serializers.Serializer[Any]):
    """A row with the user in a person column."""

    table = TableNameSerializer()
    id = serializers.IntegerField(help_text="The id of the row.")
    name = serializers.CharField(help_text="The first value of the row as text, at most 80 characters; “” for none.")
    columns = serializers.SerializerMethodField(help_text="The names of the columns with the user.")

    def get_columns(self, row: Any) -> list[str]:
        """Return the names of the columns."""
        return [column.name for column in row.columns]


class AssignedRowsSerializer(serializers.Serializer[Any]):
    """A page of rows of several tables."""

    rows = AssignedRowSerializer(many=True)
    next = NextPageField()


class WrittenSerializer(serializers.Serializer[Any]):
    """The id of a change, and the version after it."""

    change = serializers.IntegerField(help_text="The id of the change, which can be undone.")
    version = serializers.IntegerField(help_text="The version of the table after the change.")


class NamedTableSerializer(serializers.Serializer[Any]):
    """A table by its name."""

    id = serializers.IntegerField(source="pk", help_text="The id of the table.")
    name = serializers.CharField(help_text="The name of the table.")
    trashed = serializers.SerializerMethodField()

    def get_trashed(self, table: Any) -> bool:
        """Whether the table is in the trash."""
        return table.deleted_at is not None


class UndoneSerializer(serializers.Serializer[Any]):
    """A change that undoes others. `skipped` are values whose row or column was deleted since; at most 1,000."""

    change = serializers.IntegerField(source="pk", help_text="The id of the new change, which can be undone too.")
    version = serializers.IntegerField(help_text="The version of the table after the change.")
    table = NamedTableSerializer()
    summary = serializers.CharField(help_text="A line about the change, for people.")
    counts = SchemaField(CHANGE["counts"])
    skipped = SchemaField(array(ref("Fault")), help_text="Values whose row or column was deleted since; at most 1,000.")


class ViewSerializer(serializers.Serializer[Any]):
    """The user's view of a table: widths in pixels and hidden columns, by column id."""

    widths = SchemaField(WIDTHS, help_text="Widths in pixels by column id.")
    hidden = serializers.ListField(child=serializers.CharField(), help_text="The ids of the hidden columns.")
