"""Request and response bodies of tokens and of the user's profile. Services check the values of requests."""
from __future__ import annotations

from typing import Any

from django.conf import settings
from drf_spectacular.utils import extend_schema_serializer
from rest_framework import serializers

from accounts.models import Profile
from accounts.profiles import LOCALE, MAX_NAME_LENGTH, THEMES
from accounts.tokens import MAX_DAYS, SCOPES
from accounts.tokens import MAX_NAME_LENGTH as TOKEN_NAME_LENGTH
from shared.rest.openapi import INTEGER, TEXT, ZONE, enum, example
from shared.rest.serializers import Body, DateTimeTextField, SchemaField

PRINTABLE = r"^[^\x00-\x1f\x7f-\x9f]*$"


@extend_schema_serializer(
    examples=[example({"name": "nightly import", "scope": "write", "days": 30})]
)
class NewTokenBody(Body):
    """A token to create."""

    name = SchemaField(
        {**TEXT, "minLength": 1, "maxLength": TOKEN_NAME_LENGTH, "pattern": PRINTABLE},
        help_text="A name by which you recognize it.",
    )
    scope = SchemaField(enum(*SCOPES), required=False, help_text="“read” (the default) only allows GET requests.")
    days = SchemaField(
        {**INTEGER, "minimum": 1, "maximum": MAX_DAYS}, required=False,
        help_text="The number of days for which it is valid; 90 by default.",
    )


class TokenSerializer(serializers.Serializer[Any]):
    """A token without its secret."""

    id = serializers.IntegerField(help_text="The id of the token.")
    name = serializers.CharField(help_text="Its name.")
    scope = serializers.ChoiceField(SCOPES, help_text="What it allows: “read” only GET requests.")
    created_at = DateTimeTextField(help_text="The time of its creation.")
    expires_at = DateTimeTextField(help_text="The time at which it expires.")
    last_used_at = DateTimeTextField(
        allow_null=True, help_text="The time of the last request with it; null if there was none."
    )


class CreatedTokenSerializer(TokenSerializer):
    """A token with its secret, which no other response has."""

    token = serializers.CharField(help_text="The secret to send as Authorization: Bearer.")


class TokensSerializer(serializers.Serializer[Any]):
    """All tokens of a user."""

    tokens = TokenSerializer(many=True)


@extend_schema_serializer(examples=[example({"time_zone": "Europe/Paris"})])
class ProfileBody(Body):
    """The fields of a profile to change."""

    name = SchemaField(
        {**TEXT, "maxLength": MAX_NAME_LENGTH, "pattern": PRINTABLE}, required=False,
        help_text="The name to display; empty for none.",
    )
    theme = SchemaField(enum(*THEMES), required=False, help_text="The colors of the pages.")
    time_zone = SchemaField(ZONE, required=False, help_text="The time zone for days such as today.")
    locale = SchemaField(
        {**TEXT, "pattern": f"^({LOCALE.pattern})?$"}, required=False,
        help_text="How numbers and dates are written, such as de-AT (only the form is checked); empty: as in the "
        "browser.",
    )
    language = SchemaField(
        enum("", *dict(settings.LANGUAGES)), required=False,
        help_text="The language of the pages; empty: that of the browser.",
    )


class MeSerializer(serializers.Serializer[Profile]):
    """The user and their profile; texts are empty if the user has chosen nothing."""

    id = serializers.IntegerField(source="user_id", help_text="The id of the user.")
    username = serializers.CharField(source="user.get_username", help_text="The name of the account.")
    name = serializers.CharField(help_text="The name to display.")
    theme = serializers.ChoiceField(THEMES, help_text="The colors of the pages.")
    time_zone = serializers.CharField(help_text="The time zone for days such as today, an IANA name.")
    locale = serializers.CharField(help_text="How numbers and dates are written, such as de-AT.")
    language = serializers.CharField(help_text="The language of the pages.")
