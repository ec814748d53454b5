"""Request and response bodies of sharing: members, invitations, the link for reading."""
from __future__ import annotations

from datetime import datetime
from functools import partial
from typing import Any

from django.core.exceptions import ValidationError
from django.core.validators import validate_email
from drf_spectacular.utils import (
    PolymorphicProxySerializer,
    extend_schema_field,
    extend_schema_serializer,
)
from rest_framework import serializers

from shared import strictjson
from shared.rest.openapi import TEXT, TIME, Json, enum, example, nullable
from shared.rest.serializers import Body, DateTimeTextField, NextPageField, SchemaField
from shared.strictjson.datetimes import DatetimeOutOfRange, parse_datetime
from shared.user_messages import declare
from shared.user_messages.request_messages import FIELD_MISSING
from tables.exceptions import Invalid, Malformed
from tables.operations.body_reader import read_word
from tables.services import INVITATION_DAYS, MAX_INVITATION_DAYS

ROLES = ("viewer", "editor")
KINDS = ("user", "email", "link")
MAX_NAME_LENGTH = 150
MAX_ADDRESS_LENGTH = 254
NAME_NOT_POSSIBLE = declare("name_not_possible", "This must be a username of 1 to {count} characters.")
LINK_WITHOUT_NAME = declare("link_without_name", "An invitation link has no name.")
NOT_A_TIME = declare("not_a_time", "This must be a time like 2027-01-31T12:00:00Z.")
NOT_AN_ADDRESS = declare("not_an_address", "This must be an e-mail address like ada@example.org.")
DAYS_OUT_OF_RANGE = declare("days_out_of_range", "This must be a whole number of days, 1 to {count}.")
USER_NAME: Json = {**TEXT, "minLength": 1, "maxLength": MAX_NAME_LENGTH}
ADDRESS: Json = {**TEXT, "maxLength": MAX_ADDRESS_LENGTH, "format": "email"}
DAYS: Json = {"type": "integer", "minimum": 1, "maximum": MAX_INVITATION_DAYS}
ROLE = enum(*ROLES)
READ_ROLE = partial(read_word, path="role", allowed=ROLES)


def read_name(value: Any, *, path: str) -> str:
    """Return a user name, of an existing account or not. Raises Malformed."""
    if not isinstance(value, str) or not 0 < len(value) <= MAX_NAME_LENGTH:
        raise Malformed.at(path, NAME_NOT_POSSIBLE(count=MAX_NAME_LENGTH), code="not_a_name")
    try:
        strictjson.check_storable(value)
    except strictjson.StrictJsonError as fault:
        raise Malformed.at(path, fault.message, code=fault.code) from None
    return value


def read_invited(body: Json) -> str:
    """Return the user name or e-mail address in the body of an invitation, "" for a link. Raises Malformed, Invalid.

    Without a valid kind, nothing is required.
    """
    if body.get("kind") not in KINDS:
        return ""
    if body["kind"] == "link":
        if "name" in body:
            raise Malformed.at("name", LINK_WITHOUT_NAME(), code="unknown_field")
        return ""
    if "name" not in body:
        raise Malformed.at("name", FIELD_MISSING(name="name"), code="missing")
    if body["kind"] == "email":
        return read_address(body.get("name"), path="name")
    return read_name(body.get("name"), path="name")


def read_address(value: Any, *, path: str) -> str:
    """Return an e-mail address. Raises Malformed, and Invalid for a text that is none."""
    if not isinstance(value, str) or len(value) > MAX_ADDRESS_LENGTH:
        raise Malformed.at(path, NOT_AN_ADDRESS())
    try:
        validate_email(value)
    except ValidationError:
        raise Invalid.at(path, NOT_AN_ADDRESS()) from None
    return value


def read_days(days: Any) -> int:
    """Return the number of days for which an invitation can be accepted. Raises Malformed."""
    if type(days) is not int or not 1 <= days <= MAX_INVITATION_DAYS:
        raise Malformed.at("expires_in_days", DAYS_OUT_OF_RANGE(count=MAX_INVITATION_DAYS), code="out_of_range")
    return days


def read_moment_or_none(value: Any) -> datetime | None:
    """Return a time, None for null. Raises Malformed."""
    try:
        return None if value is None else parse_datetime(value)
    except DatetimeOutOfRange as error:
        raise Malformed.at("expires_at", error.message, code="out_of_range") from None
    except (TypeError, ValueError):
        raise Malformed.at("expires_at", NOT_A_TIME()) from None


class RenewalBody(Body):
    """The number of days for which an invitation can be accepted from now on."""

    expires_in_days = SchemaField(DAYS, read=read_days, default=INVITATION_DAYS)


class InvitationBody(RenewalBody):
    """An invitation of any kind. Whether it has a name depends on the kind (`read_invited`)."""

    kind = SchemaField(enum(*KINDS), read=partial(read_word, path="kind", allowed=KINDS))
    name = SchemaField(TEXT, required=False)
    role = SchemaField(ROLE, read=READ_ROLE)


class UserInvitationBody(InvitationBody):
    """An invitation of the user with this name."""

    kind = SchemaField(enum("user"))
    name = SchemaField(USER_NAME)


class EmailInvitationBody(InvitationBody):
    """An invitation by e-mail to this address."""

    kind = SchemaField(enum("email"))
    name = SchemaField(ADDRESS)


class LinkInvitationBody(InvitationBody):
    """A link with which any user can join."""

    kind = SchemaField(enum("link"))
    name = None  # type: ignore[assignment]  # removes the field


ANY_INVITATION_BODY = PolymorphicProxySerializer(
    component_name="InvitationBody",
    serializers={"user": UserInvitationBody, "email": EmailInvitationBody, "link": LinkInvitationBody},
    resource_type_field_name="kind",
)
INVITATION_EXAMPLE = example({"kind": "user", "name": "grace", "role": "viewer"})


@extend_schema_serializer(examples=[example({"role": "editor"})])
class RoleBody(Body):
    """The new role of a member."""

    role = SchemaField(ROLE, read=READ_ROLE)


@extend_schema_serializer(examples=[example({"to": "grace"})])
class TransferBody(Body):
    """The member who becomes the owner."""

    to = SchemaField(USER_NAME, read=partial(read_name, path="to"))


@extend_schema_serializer(
    examples=[example({"expires_at": "2099-12-31T23:00:00Z"})]
)
class LinkBody(Body):
    """The expiration time of the link; null for none."""

    expires_at = SchemaField(nullable(TIME), read=read_moment_or_none, default=None)


class InvitationSerializer(serializers.Serializer[Any]):
    """An invitation as its owner sees it: the same whether or not its user exists, or has declined."""

    # The context has the time `now`.

    id = serializers.IntegerField()
    kind = serializers.ChoiceField(KINDS)
    name = serializers.CharField()
    role = serializers.ChoiceField(ROLES)
    state = serializers.SerializerMethodField()
    created_at = DateTimeTextField()
    expires_at = DateTimeTextField()
    url = serializers.CharField(required=False, help_text="The URL of a link, in the response that created it.")

    @extend_schema_field(enum("invited", "expired"))
    def get_state(self, invitation: Any) -> str:
        """Return whether the invitation can still be accepted."""
        return "invited" if invitation.expires_at > self.context["now"] else "expired"


class MemberSerializer(serializers.Serializer[Any]):
    """A member of a table."""

    user = serializers.CharField(source="user.get_username")
    role = serializers.ChoiceField(ROLES)
    added_at = DateTimeTextField()
    added_by = serializers.CharField(source="added_by.get_username", default=None, allow_null=True)


class LinkTimesSerializer(serializers.Serializer[Any]):
    """The link for reading, without its URL."""

    created_at = DateTimeTextField()
    expires_at = DateTimeTextField(allow_null=True)


class CreatedLinkSerializer(LinkTimesSerializer):
    """The link for reading with its URL, which no other response has."""

    id = serializers.IntegerField()
    url = serializers.CharField()


class MembersSerializer(serializers.Serializer[Any]):
    """The owner and the members of a table, and its open invitations."""

    owner = serializers.CharField()
    members = MemberSerializer(many=True)
    count = serializers.IntegerField()
    next = NextPageField()
    invitations = InvitationSerializer(many=True)
    kinds = serializers.ListField(child=serializers.ChoiceField(KINDS), help_text="The kinds that can be sent.")
    link = LinkTimesSerializer(allow_null=True)


class ChangedMemberSerializer(serializers.Serializer[Any]):
    """A member with a changed role."""

    user = serializers.CharField()
    role = serializers.ChoiceField(ROLES)


class OwnerSerializer(serializers.Serializer[Any]):
    """The new owner of a table, and the role of the user who gave it away."""

    owner = serializers.CharField()
    role = serializers.ChoiceField(ROLES)


class ReceivedInvitationSerializer(serializers.Serializer[Any]):
    """An invitation as the invited user sees it."""

    id = serializers.IntegerField()
    table = serializers.CharField(source="table.name")
    invited_by = serializers.CharField(source="invited_by.get_username")
    role = serializers.ChoiceField(ROLES)
    created_at = DateTimeTextField()
    expires_at = DateTimeTextField()


class ReceivedInvitationsSerializer(serializers.Serializer[Any]):
    """A page of invitations."""

    invitations = ReceivedInvitationSerializer(many=True)
    count = serializers.IntegerField()
    next = NextPageField()


class JoinedTableSerializer(serializers.Serializer[Any]):
    """A table by id and name."""

    id = serializers.IntegerField()
    name = serializers.CharField()


class JoinedSerializer(serializers.Serializer[Any]):
    """The table that the user is a member of now."""

    table = JoinedTableSerializer()
    role = serializers.CharField()
