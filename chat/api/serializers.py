"""Request and response bodies of conversations and ratings."""

from __future__ import annotations

import re
from typing import Any

from drf_spectacular.utils import PolymorphicProxySerializer, extend_schema_serializer
from rest_framework import serializers

from chat.exceptions import Malformed
from shared.rest.openapi import TEXT, TITLE, enum, example, nullable
from shared.rest.serializers import Body, DateTimeTextField, NextPageField, SchemaField
from shared.user_messages import declare
from shared.user_messages.request_messages import TEXT_BETWEEN

TITLE_LENGTH = 255
RATINGS = ("up", "down", None)
MAX_REASON_LENGTH = 2_000
TITLE_NEEDED = declare("title_needed", "This must be a title of 1 to {count} characters, on one line.")
RATING_NEEDED = declare("rating_needed", "This must be “up”, “down”, or null to remove the rating.")
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")
REASON = {**TEXT, "minLength": 1, "maxLength": MAX_REASON_LENGTH, "pattern": r"\S"}


def read_title(value: Any) -> str:
    """Return a stripped title of one line. Raises Malformed."""
    title = value.strip() if isinstance(value, str) and not CONTROL.search(value) else ""
    if not 0 < len(title) <= TITLE_LENGTH:
        raise Malformed(TITLE_NEEDED(count=TITLE_LENGTH), path="title")
    return title


def read_rating(value: Any) -> str | None:
    """Return a rating, None to delete it. Raises Malformed."""
    if isinstance(value, str | None) and value in RATINGS:
        return value
    raise Malformed(RATING_NEEDED(), path="rating")


def read_reason(value: Any) -> str:
    """Return the stripped reason, "" for null. Raises Malformed."""
    if value is None:
        return ""
    if not isinstance(value, str) or not 0 < len(value.strip()) <= MAX_REASON_LENGTH:
        raise Malformed(TEXT_BETWEEN(least=1, most=MAX_REASON_LENGTH), path="reason")
    return value.strip()


@extend_schema_serializer(examples=[example({"title": "Plans for spring"})])
class TitleBody(Body):
    """The new title of a conversation."""

    title = SchemaField(TITLE, read=read_title, help_text="The title, on one line.")


class FeedbackBody(Body):
    """A rating of an answer."""

    rating = SchemaField(enum("up", "down"), read=read_rating, help_text="The rating.")
    reason = SchemaField(nullable(REASON), read=read_reason, default="", help_text="The reason, if there is one.")


class NoFeedbackBody(Body):
    """The removal of a rating."""

    rating = SchemaField({"type": "null"}, help_text="Removes the rating.")


ANY_FEEDBACK_BODY = PolymorphicProxySerializer(
    component_name="AnyFeedbackBody", serializers=[FeedbackBody, NoFeedbackBody], resource_type_field_name=None
)
FEEDBACK_EXAMPLE = example({"rating": "down", "reason": "The total is wrong."})


class FeedbackSerializer(serializers.Serializer[Any]):
    """The stored rating; null and an empty reason if there is none."""

    message_id = serializers.UUIDField(help_text="The id of the message.")
    rating = serializers.ChoiceField(RATINGS[:2], allow_null=True, help_text="The rating; null without one.")
    reason = serializers.CharField(allow_blank=True, help_text="The reason; may be empty.")


class ConversationSerializer(serializers.Serializer[Any]):
    """A conversation without its messages."""

    id = serializers.UUIDField(source="pk", help_text="The id of the conversation.")
    title = serializers.CharField(help_text="The title: the first message until it is renamed.")
    page = serializers.CharField(help_text="The page on which it was started, as in a request.")
    object_id = serializers.CharField(
        help_text="The id of the object of the page, empty for a page without one."
    )
    updated_at = DateTimeTextField(help_text="The time of the last message.")
    deleted_at = DateTimeTextField(
        allow_null=True, help_text="The time at which it was moved to the trash; null if it is not there."
    )


class ConversationsSerializer(serializers.Serializer[Any]):
    """A page of conversations; `next` is the path of the next one."""

    conversations = ConversationSerializer(many=True)
    count = serializers.IntegerField(help_text="The number of all these conversations.")
    next = NextPageField()
