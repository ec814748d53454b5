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

    name = SchemaField({**TEXT, "minLength": 1, "maxLength": TOKEN_NAME_LENGTH, "pattern": PRINTABLE})
    scope = SchemaField(enum(*SCOPES), required=False)
    days = SchemaField({**INTEGER, "minimum": 1, "maximum": MAX_DAYS}, required=False)


class TokenSerializer(serializers.Serializer[Any]):
    """A token without its secret."""

    id = serializers.IntegerField()
    name = serializers.CharField()
    scope = serializers.ChoiceField(SCOPES)
    created_at = DateTimeTextField()
    expires_at = DateTimeTextField()
    last_used_at = DateTimeTextField(allow_null=True)


class CreatedTokenSerializer(TokenSerializer):
    """A token with its secret, which no other response has."""

    token = serializers.CharField()


class TokensSerializer(serializers.Serializer[Any]):
    """All tokens of a user."""

    tokens = TokenSerializer(many=True)


@extend_schema_serializer(examples=[example({"time_zone": "Europe/Paris"})])
class ProfileBody(Body):
    """The fields of a profile to change."""

    name = SchemaField({**TEXT, "maxLength": MAX_NAME_LENGTH, "pattern": PRINTABLE}, required=False)
    theme = SchemaField(enum(*THEMES), required=False)
    time_zone = SchemaField(ZONE, required=False)
    locale = SchemaField({**TEXT, "pattern": f"^({LOCALE.pattern})?$"}, required=False)
    language = SchemaField(enum("", *dict(settings.LANGUAGES)), required=False)


class MeSerializer(serializers.Serializer[Profile]):
    """The user and their profile; texts are empty if the user has chosen nothing."""

    id = serializers.IntegerField(source="user_id")
    username = serializers.CharField(source="user.get_username")
    name = serializers.CharField()
    theme = serializers.ChoiceField(THEMES)
    time_zone = serializers.CharField()
    locale = serializers.CharField()
    language = serializers.CharField()
