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
from shared.rest.openapi import TEXT, TIME, Json, described, enum, example, nullable
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

    expires_in_days = SchemaField(
        DAYS, read=read_days, default=INVITATION_DAYS,
        help_text="The number of days for which it can be accepted; 7 by default.",
    )


class InvitationBody(RenewalBody):
    """An invitation of any kind. Whether it has a name depends on the kind (`read_invited`)."""

    kind = SchemaField(
        enum(*KINDS), read=partial(read_word, path="kind", allowed=KINDS), help_text="How the user is invited."
    )
    name = SchemaField(TEXT, required=False, help_text="The name of the user, or an e-mail address.")
    role = SchemaField(
        ROLE, read=READ_ROLE, help_text="What the member may do: a viewer reads, an editor also changes."
    )


class UserInvitationBody(InvitationBody):
    """An invitation of the user with this name."""

    kind = SchemaField(enum("user"), help_text="By the name of the user.")
    name = SchemaField(USER_NAME, help_text="The name of the user.")


class EmailInvitationBody(InvitationBody):
    """An invitation by e-mail to this address."""

    kind = SchemaField(enum("email"), help_text="By mail.")
    name = SchemaField(ADDRESS, help_text="The e-mail address.")


class LinkInvitationBody(InvitationBody):
    """A link with which any user can join."""

    kind = SchemaField(enum("link"), help_text="By a link for the first user who opens it.")
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

    role = SchemaField(
        ROLE, read=READ_ROLE, help_text="What the member may do: a viewer reads, an editor also changes."
    )


@extend_schema_serializer(examples=[example({"to": "grace"})])
class TransferBody(Body):
    """The member who becomes the owner."""

    to = SchemaField(USER_NAME, read=partial(read_name, path="to"), help_text="The name of the member.")


@extend_schema_serializer(
    examples=[example({"expires_at": "2099-12-31T23:00:00Z"})]
)
class LinkBody(Body):
    """The expiration time of the link; null for none."""

    expires_at = SchemaField(
        nullable(TIME), read=read_moment_or_none, default=None,
        help_text="The time at which the link ends, such as 2027-03-01T10:00:00Z; null for no end.",
    )


class InvitationSerializer(serializers.Serializer[Any]):
    """An invitation as its owner sees it: the same whether or not its user exists, or has declined."""

    # The context has the time `now`.

    id = serializers.IntegerField(help_text="The id of the invitation.")
    kind = serializers.ChoiceField(KINDS, help_text="How the user is invited.")
    name = serializers.CharField(help_text="The name or e-mail address of the invited user; empty for a link.")
    role = serializers.ChoiceField(ROLES, help_text="The role that the user will have.")
    state = serializers.SerializerMethodField()
    created_at = DateTimeTextField(help_text="The time at which it was sent.")
    expires_at = DateTimeTextField(help_text="The time until which it can be accepted.")
    url = serializers.CharField(required=False, help_text="The URL of a link, in the response that created it.")

    @extend_schema_field(described(enum("invited", "expired"), "Whether it can still be accepted."))
    def get_state(self, invitation: Any) -> str:
        """Return whether the invitation can still be accepted."""
        return "invited" if invitation.expires_at > self.context["now"] else "expired"


class MemberSerializer(serializers.Serializer[Any]):
    """A member of a table."""

    user = serializers.CharField(source="user.get_username", help_text="The name of the user.")
    role = serializers.ChoiceField(ROLES, help_text="What the member may do.")
    added_at = DateTimeTextField(help_text="The time since which the user is a member.")
    added_by = serializers.CharField(
        source="added_by.get_username", default=None, allow_null=True,
        help_text="The name of the user who sent the invitation; null if the account was deleted.",
    )


class LinkTimesSerializer(serializers.Serializer[Any]):
    """The link for reading, without its URL."""

    created_at = DateTimeTextField(help_text="The time of its creation.")
    expires_at = DateTimeTextField(allow_null=True, help_text="The time at which it ends; null for no end.")


class CreatedLinkSerializer(LinkTimesSerializer):
    """The link for reading with its URL, which no other response has."""

    id = serializers.IntegerField(help_text="The id of the link.")
    url = serializers.CharField(help_text="The URL to open in a browser.")


class MembersSerializer(serializers.Serializer[Any]):
    """The owner and the members of a table, and its open invitations."""

    owner = serializers.CharField(help_text="The name of the owner.")
    members = MemberSerializer(many=True, help_text="The members of the page, without the owner.")
    count = serializers.IntegerField(help_text="The number of all members.")
    next = NextPageField()
    invitations = InvitationSerializer(many=True, help_text="The open invitations.")
    kinds = serializers.ListField(child=serializers.ChoiceField(KINDS), help_text="The kinds that can be sent.")
    link = LinkTimesSerializer(allow_null=True, help_text="The link for reading; null without one.")


class ChangedMemberSerializer(serializers.Serializer[Any]):
    """A member with a changed role."""

    user = serializers.CharField(help_text="The name of the member.")
    role = serializers.ChoiceField(ROLES, help_text="The new role.")


class OwnerSerializer(serializers.Serializer[Any]):
    """The new owner of a table, and the role of the user who gave it away."""

    owner = serializers.CharField(help_text="The name of the new owner.")
    role = serializers.ChoiceField(ROLES, help_text="Your role now.")


class ReceivedInvitationSerializer(serializers.Serializer[Any]):
    """An invitation as the invited user sees it."""

    id = serializers.IntegerField(help_text="The id of the invitation.")
    table = serializers.CharField(source="table.name", help_text="The name of the table.")
    invited_by = serializers.CharField(source="invited_by.get_username", help_text="The name of the user who sent it.")
    role = serializers.ChoiceField(ROLES, help_text="The role that you will have.")
    created_at = DateTimeTextField(help_text="The time at which it was sent.")
    expires_at = DateTimeTextField(help_text="The time until which it can be accepted.")


class ReceivedInvitationsSerializer(serializers.Serializer[Any]):
    """A page of invitations."""

    invitations = ReceivedInvitationSerializer(many=True)
    count = serializers.IntegerField(help_text="The number of all your invitations.")
    next = NextPageField()


class JoinedTableSerializer(serializers.Serializer[Any]):
    """A table by id and name."""

    id = serializers.IntegerField(help_text="The id of the table.")
    name = serializers.CharField(help_text="The name of the table.")


class JoinedSerializer(serializers.Serializer[Any]):
    """The table that the user is a member of now."""

    table = JoinedTableSerializer()
    role = serializers.CharField(help_text="Your role.")
