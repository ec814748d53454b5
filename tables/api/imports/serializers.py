"""Request and response bodies of imports. `tables.services` validates the choices for an import."""
from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from shared.rest.openapi import (
    BOOLEAN,
    COUNT,
    ID,
    OBJECT,
    TEXT,
    TITLE,
    Json,
    array,
    body,
    enum,
    example,
    nullable,
    ref,
)
from shared.rest.serializers import Body, NextPageField, SchemaField
from tables.importing.choices import EMPTY_CELLS, EMPTY_ROWS, ON_REFUSED
from tables.importing.file_formats.encodings import ENCODINGS
from tables.importing.file_formats.source import DECIMALS, DELIMITERS
from tables.operations.body_reader import Form
from tables.selectors import Import

MAX_NAME_LENGTH = 255
FORM = enum("", "dmy", "mdy", "comma")
COLUMN: Json = {
    "include": BOOLEAN, "name": TITLE, "type": ref("ColumnType"), "form": FORM, "options": nullable(array(TEXT)),
    "into": nullable(TEXT),
}  # fmt: skip
# A multipart form with a file, the alternative to the JSON of PastedBody.
FILE_FORM = body({"table": {**TEXT, "pattern": "^[0-9]{0,18}$"}}, file={**TEXT, "format": "binary"})


@extend_schema_serializer(
    examples=[
        example({"text": "Company,Salary\nAcme,1200\n", "name": "jobs.csv"})
    ]
)
class PastedBody(Body):
    """A text to import, and the table to add its rows to; without one a new table is created."""

    text = SchemaField(TEXT)
    name = SchemaField(nullable({**TEXT, "maxLength": MAX_NAME_LENGTH}), required=False)
    table = SchemaField(nullable(ID), required=False)


@extend_schema_serializer(
    examples=[
        example({"columns": [{"index": 0, "name": "Company", "type": "text"}]})
    ]
)
class ImportChoicesBody(Body):
    """Choices for an import: the reading options, the target columns, and the key columns that find existing rows.

    `decimal` is the decimal separator of all numbers in the file. With "" it is detected from their values, and is a
    point if each of them could have either, such as 1.200. `form` sets it for one column: "" for a point, "comma" for a
    comma.
    """

    encoding = SchemaField(enum(*ENCODINGS), required=False)
    delimiter = SchemaField(enum(*DELIMITERS), required=False)
    header = SchemaField(BOOLEAN, required=False)
    sheet = SchemaField(TEXT, required=False)
    decimal = SchemaField(enum(*DECIMALS), required=False)
    table = SchemaField(nullable(ID), required=False)
    table_name = SchemaField(TITLE, required=False)
    columns = SchemaField(array(body(COLUMN, index=COUNT)), required=False)
    merge_on = SchemaField(array(TEXT), required=False)
    on_refused = SchemaField(enum(*ON_REFUSED), required=False)
    empty_cells = SchemaField(enum(*EMPTY_CELLS), required=False)
    empty_rows = SchemaField(enum(*EMPTY_ROWS), required=False)


def read_on_refused(value: Any) -> str:
    """Return the decision about cells that could not be read. Raises Malformed."""
    form = Form()
    word = form.one_of(value, path="on_refused", allowed=ON_REFUSED)
    form.refuse()
    return word


@extend_schema_serializer(examples=[example({})])
class RunBody(Body):
    """The decision about cells that cannot be read."""

    on_refused = SchemaField(enum(*ON_REFUSED), read=read_on_refused, required=False)


class SourceSerializer(serializers.Serializer[Any]):
    """The format and reading options of the file."""

    format = serializers.ChoiceField(["delimited", "spreadsheet", "records"])
    encoding = serializers.CharField()
    delimiter = serializers.CharField()
    header = serializers.BooleanField()
    sheet = serializers.CharField()
    sheets = serializers.ListField(child=serializers.CharField())
    decimal = SchemaField(enum(*DECIMALS))


class FoundColumnSerializer(serializers.Serializer[Any]):
    """The content of a column of the file.

    `unclear` is a value that is one number with a decimal point and another with a decimal comma, if no other value in
    the file decides; "" otherwise. `number_form` is the form of the values if they are read as numbers.
    """

    type = serializers.CharField()
    form = SchemaField(nullable(FORM))
    confidence = serializers.FloatField()
    filled = serializers.IntegerField()
    examples = serializers.ListField(child=serializers.CharField())
    misfits = serializers.ListField(child=serializers.CharField())
    number_form = serializers.CharField()
    unclear = serializers.CharField()


class ImportColumnSerializer(serializers.Serializer[Any]):
    """A column of the file and how it is imported."""

    index = serializers.IntegerField()
    given = serializers.CharField()
    found = FoundColumnSerializer()
    include = serializers.BooleanField()
    name = serializers.CharField()
    type = serializers.CharField()
    form = SchemaField(nullable(FORM))
    options = serializers.ListField(child=serializers.CharField(), allow_null=True)
    into = serializers.CharField(allow_null=True)


class ImportProgressSerializer(serializers.Serializer[Any]):
    """The progress of an import."""

    done = serializers.IntegerField()
    of = serializers.IntegerField()


class ImportErrorSerializer(serializers.Serializer[Any]):
    """Why an import failed."""

    code = serializers.CharField()
    detail = serializers.CharField()
    message_code = serializers.CharField(required=False)
    params = serializers.DictField(required=False)
    errors = SchemaField(array(OBJECT), required=False)  # type: ignore[assignment]  # not the attribute of the class


class ImportSerializer(serializers.Serializer[Any]):
    """The content of a file, the choices for its import, and its progress."""

    id = SchemaField(ID)
    name = serializers.CharField()
    size = serializers.IntegerField()
    state = serializers.ChoiceField(Import.State.values)
    table = SchemaField(nullable(ID))
    source = SourceSerializer(allow_null=True)  # type: ignore[assignment]  # not the attribute of the class
    rows = serializers.ListField(child=serializers.ListField(child=serializers.CharField()))
    columns = ImportColumnSerializer(many=True)
    table_name = serializers.CharField(allow_null=True)
    merge_on = serializers.ListField(child=serializers.CharField(), allow_null=True)
    on_refused = serializers.CharField(allow_null=True)
    empty_cells = serializers.CharField(allow_null=True)
    empty_rows = serializers.CharField(allow_null=True)
    questions = SchemaField(array(ref("Fault")))
    progress = ImportProgressSerializer()
    counts = serializers.DictField()
    error = ImportErrorSerializer(allow_null=True)
    change = SchemaField(nullable(ID))


class RefusedCellSerializer(serializers.Serializer[Any]):
    """A cell of the file that cannot be read."""

    row = serializers.IntegerField()
    column = serializers.CharField()
    code = serializers.CharField()
    detail = serializers.CharField()
    message_code = serializers.CharField(required=False)
    params = serializers.DictField(required=False)
    value = serializers.CharField(allow_null=True)


class ImportReportSerializer(serializers.Serializer[Any]):
    """A page of the cells that cannot be read."""

    cells = RefusedCellSerializer(many=True)
    count = serializers.IntegerField()
    next = NextPageField()
