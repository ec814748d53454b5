"""Response bodies about the results of fills, and the origins of values."""
from __future__ import annotations

from typing import Any

from rest_framework import serializers

from fills.api.serializers import ReasonSerializer
from fills.prompt import MAX_SOURCES
from fills.selectors import Result
from shared.rest.openapi import ID, TEXT, array, described, nullable, ref, response
from shared.rest.serializers import DateTimeTextField, NextPageField, SchemaField

SOURCE = response(
    url=described(TEXT, "The address."), title=described(TEXT, "The title."), quote=described(TEXT, "What it says.")
)


class ResultSerializer(serializers.Serializer[Any]):
    """What a fill found for a row."""

    row = SchemaField(ID, help_text="The id of the row.")
    state = serializers.ChoiceField(Result.State.values, help_text="The state.")
    review = serializers.ChoiceField(
        ["", "open", "applied", "edited", "conflict", "invalid", "deleted"],
        help_text="For found values: whether the row has them (applied), had them (edited), can get them (open), or "
        "has changed since it was read (conflict) or was deleted, or whether a column refuses them by now (invalid). "
        "Empty for other states.",
    )
    fault = ReasonSerializer(allow_null=True, help_text="Why a column refuses the values; null unless invalid.")
    values = serializers.DictField(help_text="The found values by column.")
    corrections = serializers.DictField(help_text="Values of users in place of the found ones, by column.")
    confidence = serializers.CharField(help_text="high, medium or low; empty without an answer.")
    note = serializers.CharField(help_text="What the model says about the values, or why there are none.")
    sources = SchemaField(
        array(SOURCE, maxItems=MAX_SOURCES),
        help_text="Where the values come from: addresses that the row has or a search has returned, never others.",
    )
    unverified = serializers.BooleanField(
        help_text="Whether a source was left out, because no search had returned its address, or values from the web "
        "have no source."
    )
    remark = serializers.CharField(help_text="What a user said about an earlier result.")
    error = ReasonSerializer(allow_null=True, help_text="Why there is no answer; null otherwise.")
    tokens = serializers.IntegerField(help_text="The tokens that the row has used.")
    change = SchemaField(nullable(ID), help_text="The id of the change that last applied the values; null before.")
    finished_at = DateTimeTextField(allow_null=True, help_text="When the answer was stored; null before.")


class OriginsSerializer(serializers.Serializer[Any]):
    """Where the values of a row come from."""

    origins = SchemaField(
        {"type": "object", "additionalProperties": ref("Origin")}, help_text="Where values come from, by column."
    )


class ResultListSerializer(serializers.Serializer[Any]):
    """A page of the results of a fill in the order of the rows at its run; of a draft in the order of the tries."""

    results = ResultSerializer(many=True)
    count = serializers.IntegerField(help_text="The number of all these results.")
    next = NextPageField()
