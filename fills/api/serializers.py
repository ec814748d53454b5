"""Request and response bodies of fills. `fills.services` validates what a fill says."""
from __future__ import annotations

from typing import Any

from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from fills.prompt import CONFIDENCES
from fills.selectors import Fill
from fills.services.control import MAX_TRIED
from fills.services.definitions import APPLY, MAX_BUDGET, MAX_COLUMNS, MAX_EXAMPLES, SOURCES
from fills.services.rows import MAX_IDS, read_row_ids
from shared.rest.openapi import (
    BOOLEAN,
    ID,
    TEXT,
    UUID,
    Json,
    array,
    body,
    described,
    enum,
    example,
    nullable,
)
from shared.rest.serializers import Body, DateTimeTextField, NextPageField, SchemaField
from shared.user_messages import declare
from tables.exceptions import Malformed
from tables.operations.body_reader import NOT_AN_OBJECT, Form

MAX_REMARK = 500
NOT_A_NUMBER_OF_ROWS = declare("not_a_number_of_rows", "This must be a number of rows, 1 to {most}, or a list of ids.")
NOT_ROWS = declare("not_rows_to_apply", "This must be “all” or a list of ids of rows.")
IDS: Json = array(ID, minItems=1, maxItems=MAX_IDS)
CONDITION: Json = {"description": "Conditions, as in the parameter “filter” of rows."}
ROW_CHOICE: Json = {
    "anyOf": [enum("empty", "all"), body(ids=IDS), body(filter=CONDITION)],
}  # fmt: skip
EDITS: Json = {
    "type": "object", "propertyNames": {"pattern": "^[1-9][0-9]{0,17}$"}, "additionalProperties": {"type": "object"},
}  # fmt: skip
COLUMN_REF = {**TEXT, "minLength": 1, "maxLength": 255}
BUDGET: Json = {"type": "integer", "minimum": 1, "maximum": MAX_BUDGET}
# The fields that only some errors of fills have, with their statuses and codes.
ERROR_FIELDS: dict[str, Json] = {
    "state": described(TEXT, "409 “wrong_state”: the state of the fill."),
    "budget": described(BUDGET, "409 “budget_used”: the budget of the fill, in tokens."),
}
FIELDS: dict[str, Any] = {
    "rows": "The rows to fill: “empty” (one of the columns is empty), “all”, those with these ids, or those that "
    "match a filter. The default is “empty”.",
    "sources": "Where values come from: “row” (its cells and what the model knows; the default) or “web” (also the "
    "provider's search of the web, if the model has one).",
    "examples": "The ids of rows whose values are right, as examples for the model.",
    "apply": "“confident”: apply results of high confidence at the end, and leave the others to the review.",
    "notify": "Send a mail to the user who set it up when it is finished, paused by an error or failed, if mail is set "
    "up and the user has a confirmed address.",
    "budget": "The tokens after which no further call is made; by default twice the estimate.",
}


def read_rows_to_try(value: Any) -> Any:
    """Return a number of rows, or ids. Raises Malformed."""
    form = Form()
    if type(value) is int and 1 <= value <= MAX_TRIED:
        return value
    if not isinstance(value, list):
        code = "out_of_range" if type(value) is int else "unknown_value"
        raise Malformed.at("rows", NOT_A_NUMBER_OF_ROWS(most=MAX_TRIED), code=code)
    ids = read_row_ids(value, path="rows", form=form, most=MAX_TRIED)
    form.refuse()
    return ids


def read_ids(value: Any) -> list[int]:
    """Return ids of rows. Raises Malformed and Invalid."""
    form = Form()
    ids = read_row_ids(value, path="ids", form=form)
    form.refuse()
    return ids


def read_remark(value: Any) -> str:
    """Return a short text. Raises Malformed."""
    form = Form()
    text = form.text(value, path="remark", max_length=MAX_REMARK)
    form.refuse()
    return text.strip()


def read_rows_to_apply(value: Any) -> tuple[int, ...] | None:
    """Return the ids of rows, None for all. Raises Malformed and Invalid."""
    if value == "all":
        return None
    if not isinstance(value, list):
        raise Malformed.at("rows", NOT_ROWS(), code="unknown_value")
    form = Form()
    ids = read_row_ids(value, path="rows", form=form)
    form.refuse()
    return tuple(ids)


def read_edits(value: Any) -> dict[int, Json]:
    """Return cells by row. Raises Malformed."""
    form = Form()
    edits: dict[int, Json] = {}
    for key, cells in form.fields(value, path="edits", allowed=value if isinstance(value, dict) else ()).items():
        path = f"edits.{key[:100]}"
        row_id = form.row_id(int(key) if key.isascii() and key.isdigit() and len(key) < 19 else key, path=path)
        if not isinstance(cells, dict):
            form.fault(path=path, code="not_an_object", message=NOT_AN_OBJECT(), value=cells)
        else:
            edits[row_id] = cells
    form.refuse()
    return edits


def read_confidence(value: Any) -> str:
    """Return a confidence, "" for any. Raises Malformed."""
    form = Form()
    word = "" if value is None else form.one_of(value, path="confidence", allowed=CONFIDENCES)
    form.refuse()
    return word


def read_mode(value: Any) -> str:
    """Return how rows are sent. Raises Malformed."""
    form = Form()
    word = form.one_of(value, path="mode", allowed=Fill.Mode.values)
    form.refuse()
    return word


def read_on_conflict(value: Any) -> str:
    """Return a decision about conflicts, "" for none. Raises Malformed."""
    form = Form()
    word = "" if value is None else form.one_of(value, path="on_conflict", allowed=("skip", "overwrite"))
    form.refuse()
    return word


@extend_schema_serializer(
    examples=[example({"columns": ["Domain"], "instruction": "Take the domain out of {E-mail}.", "rows": "empty"})]
)
class FillBody(Body):
    """What to find for each row, and for which rows."""

    columns = SchemaField(
        array(COLUMN_REF, minItems=1, maxItems=MAX_COLUMNS), help_text="The columns to fill, by name or id."
    )
    instruction = SchemaField(
        {**TEXT, "minLength": 1, "maxLength": 8_000},
        help_text="What to find, with columns as {Name}. Only the cells of these columns are sent. If none is named, "
        "those of all others than those to fill are, except of columns that you have hidden in the table. A brace "
        "itself is written twice.",
    )
    rows = SchemaField(ROW_CHOICE, required=False, help_text=FIELDS["rows"])
    sources = SchemaField(enum(*SOURCES), required=False, help_text=FIELDS["sources"])
    examples = SchemaField(array(ID, maxItems=MAX_EXAMPLES), required=False, help_text=FIELDS["examples"])
    apply = SchemaField(enum(*APPLY), required=False, help_text=FIELDS["apply"])
    model = SchemaField(
        nullable({**TEXT, "maxLength": 64}), required=False, help_text="The model, if several are offered for fills."
    )
    budget = SchemaField(nullable(BUDGET), required=False, help_text=FIELDS["budget"])
    notify = SchemaField(BOOLEAN, required=False, help_text=FIELDS["notify"])


@extend_schema_serializer(examples=[example({"instruction": "Take the domain out of {E-mail}, without “www.”."})])
class FillChangesBody(FillBody):
    """What to change of a draft; of a fill that has run only `budget` and `notify` can be changed."""

    columns = SchemaField(
        array(COLUMN_REF, minItems=1, maxItems=MAX_COLUMNS), required=False,
        help_text="The columns to fill, by name or id.",
    )
    instruction = SchemaField(
        {**TEXT, "minLength": 1, "maxLength": 8_000}, required=False, help_text="What to find, with columns as {Name}."
    )


@extend_schema_serializer(examples=[example({"rows": 3})])
class TryBody(Body):
    """The rows to try."""

    rows = SchemaField(
        {"anyOf": [{"type": "integer", "minimum": 1, "maximum": MAX_TRIED}, array(ID, minItems=1, maxItems=MAX_TRIED)]},
        read=read_rows_to_try, help_text="The number of rows from the first one on, or the ids of rows.",
    )


@extend_schema_serializer(examples=[example({"ids": [7], "remark": "The country is missing."})])
class RefillBody(Body):
    """The rows to answer again."""

    ids = SchemaField(IDS, read=read_ids, help_text="The ids of rows that this fill has results for.")
    remark = SchemaField(
        {**TEXT, "maxLength": MAX_REMARK}, read=read_remark, required=False,
        help_text="What was wrong with the results, for the model.",
    )


@extend_schema_serializer(examples=[example({"edits": {"12": {"Domain": "example.org"}}})])
class CorrectionsBody(Body):
    """Values in place of found ones."""

    edits = SchemaField(
        EDITS, read=read_edits,
        help_text="By id of the row, then by name or id of the column. They replace the earlier corrections of these "
        "rows; an empty object removes them.",
    )


@extend_schema_serializer(examples=[example({"mode": "live"})])
class RunFillBody(Body):
    """How the rows are sent."""

    mode = SchemaField(
        enum(*Fill.Mode.values), read=read_mode, required=False,
        help_text="“live”, one call for each row from now on (the default), or “batch”, usually within an hour and at "
        "most within 24 hours, for half the price; 422 “not_offered” unless the `modes` of the estimate have it.",
    )


@extend_schema_serializer(examples=[example({"rows": "all", "confidence": "high"})])
class ApplyResultsBody(Body):
    """The results to apply."""

    rows = SchemaField(
        {"anyOf": [enum("all"), IDS]}, read=read_rows_to_apply,
        help_text="“all” for the results that are not applied yet, or the ids of rows.",
    )
    confidence = SchemaField(
        nullable(enum(*CONFIDENCES)), read=read_confidence, required=False,
        help_text="Only results of this confidence.",
    )
    edits = SchemaField(
        EDITS, read=read_edits, required=False,
        help_text="Values in place of found and corrected ones: by id of the row, then by name or id of the column. "
        "They are converted like the values of a proposal. With ids in “rows”, only these rows can have edits.",
    )
    on_conflict = SchemaField(
        nullable(enum("skip", "overwrite")), read=read_on_conflict, required=False,
        help_text="What to do with rows whose cells have changed since they were read; without it, 409.",
    )


class FillEstimateSerializer(serializers.Serializer[Any]):
    """What a fill is expected to need."""

    rows = serializers.IntegerField(help_text="The number of rows when it was estimated.")
    calls = serializers.IntegerField(help_text="The number of calls of the model.")
    tokens = serializers.IntegerField(help_text="The number of tokens, sent and received.")
    cost = serializers.CharField(allow_null=True, help_text="US dollars; null if the model has no prices.")
    batch_cost = serializers.CharField(
        allow_null=True, help_text="US dollars in the mode “batch”; null without prices or without this mode."
    )
    minutes = serializers.IntegerField(help_text="The duration in the mode “live”.")
    modes = serializers.ListField(
        child=serializers.ChoiceField(Fill.Mode.values), help_text="The modes in which it can run."
    )


class FillUsageSerializer(serializers.Serializer[Any]):
    """What a fill has used so far."""

    calls = serializers.IntegerField(help_text="The number of calls of the model.")
    tokens = serializers.IntegerField(help_text="The number of tokens, sent and received.")
    cached_tokens = serializers.IntegerField(help_text="How many of those that were sent were read from a cache.")
    cost = serializers.CharField(allow_null=True, help_text="US dollars; null if the model has no prices.")


class EndedCountsSerializer(serializers.Serializer[Any]):
    """The number of rows that are answered and have no values."""

    empty = serializers.IntegerField(help_text="Rows for which nothing was found.")
    failed = serializers.IntegerField(help_text="Rows with an error.")
    discarded = serializers.IntegerField(help_text="Rows whose values were discarded.")


class ResultCountsSerializer(EndedCountsSerializer):
    """The number of rows by state."""

    waiting = serializers.IntegerField(help_text="Rows that wait.")
    working = serializers.IntegerField(help_text="Rows that a worker has.")
    found = serializers.IntegerField(help_text="Rows with values.")


class OpenBatchesSerializer(serializers.Serializer[Any]):
    """The batches of a fill that the provider has not answered."""

    rows = serializers.IntegerField(help_text="The number of rows that were sent in them.")
    sent_at = DateTimeTextField(help_text="When the first of them was sent.")


class WaitSerializer(serializers.Serializer[Any]):
    """A wait until the provider of the model has capacity."""

    until = DateTimeTextField(help_text="When the fill goes on.")
    seconds = serializers.IntegerField(help_text="In how many seconds that is.")


class ReasonSerializer(serializers.Serializer[Any]):
    """A reason."""

    detail = serializers.CharField(help_text="The reason in English.")
    message_code = serializers.CharField(required=False, help_text="The code of the text, for translations.")
    params = serializers.DictField(required=False, help_text="The values in the text.")


class FillSerializer(serializers.Serializer[Any]):
    """A fill: what it says, its state, and what it needs."""

    id = SchemaField(UUID, help_text="The id of the fill.")
    table = SchemaField(ID, help_text="The id of the table.")
    user = serializers.CharField(help_text="The user who set it up or took it over, and whose tokens it uses.")
    user_id = SchemaField(ID, help_text="The id of that user.")
    may_manage = serializers.BooleanField(help_text="Whether you can discard its results and take it over.")
    standing = serializers.BooleanField(help_text="Whether it is stored with its columns, and run again.")
    state = serializers.ChoiceField(Fill.State.values, help_text="The state.")
    columns = serializers.ListField(child=serializers.CharField(), help_text="The ids of the columns to fill.")
    instruction = serializers.CharField(help_text="What to find, with the current names of columns.")
    rows = SchemaField({}, help_text=FIELDS["rows"])
    sources = serializers.ChoiceField(SOURCES, help_text=FIELDS["sources"])
    examples = serializers.ListField(child=serializers.IntegerField(), help_text=FIELDS["examples"])
    apply = serializers.ChoiceField(APPLY, help_text=FIELDS["apply"])
    model = serializers.CharField(help_text="The name of the model.")
    mode = serializers.ChoiceField(
        Fill.Mode.values, help_text="How rows are sent: “live”, or “batch”, where answers come within 24 hours."
    )
    estimate = FillEstimateSerializer()
    budget = serializers.IntegerField(help_text=FIELDS["budget"])
    notify = serializers.BooleanField(help_text=FIELDS["notify"])
    usage = FillUsageSerializer()
    counts = ResultCountsSerializer()
    batches = OpenBatchesSerializer(allow_null=True, help_text="Rows that were sent in batches; null without any.")
    wait = WaitSerializer(
        allow_null=True,
        help_text="Until when no call is made, because the provider has no capacity; the fill goes on by itself. Null "
        "otherwise.",
    )
    reason = ReasonSerializer(allow_null=True, help_text="Why it was paused or has failed; null otherwise.")
    created_at = DateTimeTextField(help_text="When it was created.")
    started_at = DateTimeTextField(allow_null=True, help_text="When it was run; null before.")
    ended_at = DateTimeTextField(allow_null=True, help_text="When it ended; null before.")


class FillListSerializer(serializers.Serializer[Any]):
    """A page of the fills of a table, the newest first."""

    fills = FillSerializer(many=True)
    count = serializers.IntegerField(help_text="The number of all fills of the table.")
    next = NextPageField()
