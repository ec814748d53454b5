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
    described,
    enum,
    example,
    named,
    nullable,
    ref,
)
from shared.rest.serializers import Body, NextPageField, SchemaField
from tables.api.setting_fields import described_settings
from tables.importing.choices import EMPTY_CELLS, EMPTY_ROWS, ON_REFUSED
from tables.importing.file_formats.encodings import ENCODINGS
from tables.importing.file_formats.source import DECIMALS, DELIMITERS
from tables.importing.headers import REASONS
from tables.operations.body_reader import Form
from tables.selectors import Import

MAX_NAME_LENGTH = 255
FORM = enum("", "dmy", "mdy", "comma")
COLUMN: Json = {
    "include": described(BOOLEAN, "Whether the column is imported."),
    "name": described(TITLE, "The name of a new column."),
    "type": ref("ImportedColumnType"),
    "form": described(FORM, "“dmy” or “mdy” for dates like 03/04/2027, “comma” for numbers such as 1,5, or empty."),
    "options": described(nullable(array(TEXT)), "The options of a new select column; null: those in its values."),
    "into": described(nullable(TEXT), "The name or id of a column of the table; null for a new column."),
    **{name: nullable(schema) for name, schema in described_settings().items()},
}  # fmt: skip
HEADER = "Whether the first row has the names of the columns; without it, this is detected. JSON has no such row."
# A multipart form with a file, the alternative to the JSON of PastedBody.
FILE_FORM = named(
    "FileForm",
    described(
        body(
            {
                "table": {**TEXT, "pattern": "^[0-9]{0,18}$", "description": "The id of the table to add the rows to."},
                "header": described(enum("true", "false"), HEADER),
            },
            file={**TEXT, "format": "binary", "description": "The file."},
        ),
        "A form (multipart/form-data) with a file to import; without a table, a new one is created.",
    ),
)


@extend_schema_serializer(
    examples=[
        example({"text": "Company,Salary\nAcme,1200\n", "name": "jobs.csv"})
    ]
)
class PastedBody(Body):
    """A text to import, and the table to add its rows to; without one a new table is created."""

    text = SchemaField(TEXT, help_text="The text, such as CSV.")
    name = SchemaField(
        nullable({**TEXT, "maxLength": MAX_NAME_LENGTH}), required=False,
        help_text="The name of the file, from which the name of a new table is derived.",
    )
    table = SchemaField(
        nullable(ID), required=False, help_text="The id of the table to add the rows to; null for a new one."
    )
    header = SchemaField(nullable(BOOLEAN), required=False, help_text=HEADER)


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

    encoding = SchemaField(enum(*ENCODINGS), required=False, help_text="The encoding of the file.")
    delimiter = SchemaField(
        enum(*DELIMITERS), required=False,
        help_text="The character between cells: comma, semicolon, tab or vertical bar.",
    )
    header = SchemaField(
        BOOLEAN, required=False,
        help_text="Whether the first row has the names of the columns. It stays so when other options change.",
    )
    sheet = SchemaField(TEXT, required=False, help_text="The sheet of a workbook.")
    decimal = SchemaField(
        enum(*DECIMALS), required=False, help_text="The decimal separator of all numbers; empty: found from the values."
    )
    table = SchemaField(nullable(ID), required=False, help_text="The id of the target table; null for a new one.")
    table_name = SchemaField(TITLE, required=False, help_text="The name of a new table.")
    columns = SchemaField(
        array(body(COLUMN, index=described(COUNT, "The position of the column in the file, from 0."))), required=False,
        help_text="What to change for columns of the file; the others stay as they are.",
    )
    merge_on = SchemaField(
        array(TEXT), required=False,
        help_text="The columns by which existing rows are found and updated; empty: all rows are added.",
    )
    on_refused = SchemaField(enum(*ON_REFUSED), required=False, help_text="What to do with cells that cannot be read.")
    empty_cells = SchemaField(
        enum(*EMPTY_CELLS), required=False, help_text="What empty cells of the file do to existing rows."
    )
    empty_rows = SchemaField(enum(*EMPTY_ROWS), required=False, help_text="What to do with rows without any value.")


def read_on_refused(value: Any) -> str:
    """Return the decision about cells that could not be read. Raises Malformed."""
    form = Form()
    word = form.one_of(value, path="on_refused", allowed=ON_REFUSED)
    form.refuse()
    return word


@extend_schema_serializer(examples=[example({})])
class RunBody(Body):
    """The decision about cells that cannot be read."""

    on_refused = SchemaField(
        enum(*ON_REFUSED), read=read_on_refused, required=False, help_text="What to do with cells that cannot be read."
    )


class SourceSerializer(serializers.Serializer[Any]):
    """The format and reading options of the file."""

    format = serializers.ChoiceField(
        ["delimited", "spreadsheet", "records"], help_text="The kind of file: CSV and similar, a workbook, or JSON."
    )
    encoding = serializers.CharField(help_text="The encoding; only used if the format is “delimited”.")
    delimiter = serializers.CharField(help_text="The character between cells; only used if the format is “delimited”.")
    header = serializers.BooleanField(help_text="Whether the first row has the names of the columns.")
    header_reason = SchemaField(
        enum("", *REASONS),
        help_text="Why “header” is so: “requested”; “known_names” (most of the first row are names of columns of the "
        "table), “frozen_row” (the sheet is frozen below it), “other_values” (a cell has another kind than the values "
        "below it), “texts” (distinct texts) or “records” (JSON): true; “same_values” (cells are like the values below "
        "them), “repeated” (a cell is there twice) or “blank”: false. Empty for imports of earlier releases.",
    )
    sheet = serializers.CharField(help_text="The sheet that is read; empty for other kinds of files.")
    sheets = serializers.ListField(child=serializers.CharField(), help_text="All sheets of a workbook.")
    decimal = SchemaField(
        enum(*DECIMALS), help_text="The decimal separator; empty if it is found from the values of each column."
    )
    member = serializers.CharField(
        help_text="The path of the file with the rows in a ZIP archive; empty for any other file."
    )


class FoundColumnSerializer(serializers.Serializer[Any]):
    """The content of a column of the file.

    `unclear` is a value that is one number with a decimal point and another with a decimal comma, if no other value in
    the file decides; "" otherwise. `number_form` is the form of the values if they are read as numbers. `settings` are
    those that all values show, such as the format percent, or a currency.
    """

    type = serializers.CharField(help_text="The type that fits its values best.")
    form = SchemaField(
        nullable(FORM), help_text="The form of its dates or numbers; null if the order of day and month is unclear."
    )
    confidence = serializers.FloatField(help_text="The share of the values that fit the type, 0 to 1.")
    filled = serializers.IntegerField(help_text="The number of cells with a value that were examined.")
    examples = serializers.ListField(child=serializers.CharField(), help_text="Some values.")
    misfits = serializers.ListField(child=serializers.CharField(), help_text="Some values that do not fit the type.")
    number_form = serializers.CharField(help_text="The form of the values if they are read as numbers.")
    unclear = serializers.CharField(
        help_text="A value that can be read with a decimal point and with a decimal comma; empty if there is none."
    )
    settings = SchemaField(
        described(
            body(described_settings()),
            "The settings that all values show, such as the format percent. In XLSX and XLSM workbooks they are those "
            "of the number formats of all cells with numbers, in others only durations are found.",
        )
    )


class ImportColumnSerializer(serializers.Serializer[Any]):
    """A column of the file and how it is imported. A new column has the settings of its type."""

    index = serializers.IntegerField(help_text="The position in the file, from 0.")
    given = serializers.CharField(help_text="The name in the file.")
    found = FoundColumnSerializer()
    include = serializers.BooleanField(help_text="Whether the column is imported.")
    name = serializers.CharField(help_text="The name of a new column.")
    type = serializers.CharField(help_text="The type of its values.")
    form = SchemaField(
        nullable(FORM),
        help_text="The form of its dates or numbers: dmy or mdy, comma, else empty; null if it must be chosen.",
    )
    options = serializers.ListField(
        child=serializers.CharField(), allow_null=True,
        help_text="The options of a new select column; null if they are taken from the values.",
    )
    into = serializers.CharField(allow_null=True, help_text="The id of the column of the table; null for a new column.")

    def get_fields(self) -> dict[str, Any]:
        """Return the fields above and the settings of all types."""
        settings = {name: SchemaField(schema, required=False) for name, schema in described_settings().items()}
        return {**super().get_fields(), **settings}


class ImportProgressSerializer(serializers.Serializer[Any]):
    """The progress of an import."""

    done = serializers.IntegerField(help_text="The part that is done, in units of “of”.")
    of = serializers.IntegerField(help_text="The whole.")


class ImportErrorSerializer(serializers.Serializer[Any]):
    """Why an import failed."""

    code = serializers.CharField(help_text="What is wrong. Codes do not change.")
    detail = serializers.CharField(help_text="The same for people, in English.")
    message_code = serializers.CharField(
        required=False, help_text="The code of the text in “detail”, for translations."
    )
    params = serializers.DictField(required=False, help_text="The values in “detail”.")
    errors = SchemaField(  # type: ignore[assignment]  # not the attribute of the class
        array(OBJECT), required=False, help_text="The single faults."
    )


class ImportSerializer(serializers.Serializer[Any]):
    """The content of a file, the choices for its import, and its progress."""

    id = SchemaField(ID, help_text="The id of the import.")
    name = serializers.CharField(help_text="The name of the file.")
    size = serializers.IntegerField(help_text="The size of the file in bytes.")
    state = serializers.ChoiceField(
        Import.State.values, help_text="The state; a worker is busy with it while it is queued, reading or writing."
    )
    table = SchemaField(nullable(ID), help_text="The id of the target table; null for a new one until it is created.")
    source = SourceSerializer(  # type: ignore[assignment]  # not the attribute of the class
        allow_null=True, help_text="How the file is read; null until it has been examined."
    )
    rows = serializers.ListField(
        child=serializers.ListField(child=serializers.CharField()), help_text="The first rows of the file, as texts."
    )
    columns = ImportColumnSerializer(many=True, help_text="The columns of the file and how they are imported.")
    table_name = serializers.CharField(
        allow_null=True,
        help_text="The name of a new table; not used for an existing one. Null until the file was examined.",
    )
    merge_on = serializers.ListField(
        child=serializers.CharField(), allow_null=True,
        help_text="The ids of the columns by which existing rows are found.",
    )
    on_refused = serializers.CharField(
        allow_null=True, help_text="What to do with cells that cannot be read: ask, empty, skip or stop."
    )
    empty_cells = serializers.CharField(
        allow_null=True, help_text="What empty cells of the file do to existing rows: keep or clear."
    )
    empty_rows = serializers.CharField(
        allow_null=True, help_text="What to do with rows without any value: skip or keep."
    )
    questions = SchemaField(
        array(ref("Fault")), help_text="What must be decided before the run; “path” is the field that answers it."
    )
    progress = ImportProgressSerializer()
    counts = serializers.DictField(
        help_text="The numbers of rows, refused_cells, refused_rows and left_out, and when it is done those of added "
        "and updated; empty before it runs."
    )
    error = ImportErrorSerializer(allow_null=True, help_text="Why the import failed; null otherwise.")
    change = SchemaField(
        nullable(ID), help_text="The id of the change that it made, which can be undone; null if there is none."
    )


class RefusedCellSerializer(serializers.Serializer[Any]):
    """A cell of the file that cannot be read."""

    row = serializers.IntegerField(help_text="The row in the file, from 1.")
    column = serializers.CharField(help_text="The name of the column; empty for a fault of the key.")
    code = serializers.CharField(help_text="What is wrong. Codes do not change.")
    detail = serializers.CharField(help_text="The same for people, in English.")
    message_code = serializers.CharField(
        required=False, help_text="The code of the text in “detail”, for translations."
    )
    params = serializers.DictField(required=False, help_text="The values in “detail”.")
    value = serializers.CharField(allow_null=True, help_text="The text in the file; null if it has none.")


class ImportReportSerializer(serializers.Serializer[Any]):
    """A page of the cells that cannot be read."""

    cells = RefusedCellSerializer(many=True)
    count = serializers.IntegerField(help_text="The number of all these cells.")
    next = NextPageField()
