"""Request and response bodies of sharing: members, invitations, the link for reading."""
from __future__ import annotations

from functools import partial
from typing import Any

from drf_spectacular.utils import (
    PolymorphicProxySerializer,
    extend_schema_field,
    extend_schema_serializer,
)
from rest_framework import serializers

from rest.parameters import example
from rest.schemas import TEXT, TIME, Json, maybe, one_of
from rest.serializers import Body, MomentField, SchemaField
from tables.api.sharing_bodies import (
    KINDS,
    MAX_ADDRESS_LENGTH,
    MOST_NAME,
    ROLES,
    read_days,
    read_moment_or_none,
    read_name,
)
from tables.operations.form import read_word
from tables.services import INVITATION_DAYS, MAX_INVITATION_DAYS

PERSON: Json = {**TEXT, "minLength": 1, "maxLength": MOST_NAME}
ADDRESS: Json = {**TEXT, "maxLength": MAX_ADDRESS_LENGTH, "format": "email"}
DAYS: Json = {"type": "integer", "minimum": 1, "maximum": MAX_INVITATION_DAYS}
ROLE = one_of(*ROLES)
READ_ROLE = partial(read_word, path="role", allowed=ROLES)


class RenewalBody(Body):
    """How long an invitation can be accepted from now on."""

    expires_in_days = SchemaField(DAYS, read=read_days, default=INVITATION_DAYS)


class InvitationBody(RenewalBody):
    """An invitation of any kind. Whether it has a name depends on the kind (`read_invited`)."""

    kind = SchemaField(one_of(*KINDS), read=partial(read_word, path="kind", allowed=KINDS))
    name = SchemaField(TEXT, required=False)
    role = SchemaField(ROLE, read=READ_ROLE)


class UserInvitationBody(InvitationBody):
    """An invitation of the user with this name."""

    kind = SchemaField(one_of("user"))
    name = SchemaField(PERSON)


class EmailInvitationBody(InvitationBody):
    """An invitation by e-mail to this address."""

    kind = SchemaField(one_of("email"))
    name = SchemaField(ADDRESS)


class LinkInvitationBody(InvitationBody):
    """A link with which any user can join."""

    kind = SchemaField(one_of("link"))
    name = None  # type: ignore[assignment]  # removes the field


ANY_INVITATION_BODY = PolymorphicProxySerializer(
    component_name="InvitationBody",
    serializers={"user": UserInvitationBody, "email": EmailInvitationBody, "link": LinkInvitationBody},
    resource_type_field_name="kind",
)
INVITATION_EXAMPLE = example({"kind": "user", "name": "grace", "role": "viewer"})


@extend_schema_serializer(examples=[example({"role": "editor"})])
class RoleBody(Body):
    """The role that a member gets."""

    role = SchemaField(ROLE, read=READ_ROLE)


@extend_schema_serializer(examples=[example({"to": "grace"})])
class TransferBody(Body):
    """The name of the member who becomes the owner."""

    to = SchemaField(PERSON, read=partial(read_name, path="to"))


@extend_schema_serializer(
    examples=[example({"expires_at": "2099-12-31T23:00:00Z"})]
)
class LinkBody(Body):
    """When the link expires; never without a time."""

    expires_at = SchemaField(maybe(TIME), read=read_moment_or_none, default=None)


class InvitationSerializer(serializers.Serializer[Any]):
    """An invitation as its owner sees it: the same whether or not its user exists, or has declined.

    The context has the time `now`.
    """

    id = serializers.IntegerField()
    kind = serializers.ChoiceField(KINDS)
    name = serializers.CharField()
    role = serializers.ChoiceField(ROLES)
    state = serializers.SerializerMethodField()
    created_at = MomentField()
    expires_at = MomentField()
    url = serializers.CharField(required=False, help_text="The address of a link, in the response that created it.")

    @extend_schema_field(one_of("invited", "expired"))
    def get_state(self, invitation: Any) -> str:
        """Return whether it can still be accepted."""
        return "invited" if invitation.expires_at > self.context["now"] else "expired"


class MemberSerializer(serializers.Serializer[Any]):
    """A member of a table."""

    user = serializers.CharField(source="user.get_username")
    role = serializers.ChoiceField(ROLES)
    added_at = MomentField()
    added_by = serializers.CharField(source="added_by.get_username", default=None, allow_null=True)


class LinkTimesSerializer(serializers.Serializer[Any]):
    """The link for reading, without its address."""

    created_at = MomentField()
    expires_at = MomentField(allow_null=True)


class CreatedLinkSerializer(LinkTimesSerializer):
    """The link for reading with its address, which no other response has."""

    id = serializers.IntegerField()
    url = serializers.CharField()


class MembersSerializer(serializers.Serializer[Any]):
    """The people of a table, and the invitations that are not accepted yet."""

    owner = serializers.CharField()
    members = MemberSerializer(many=True)
    count = serializers.IntegerField()
    next = serializers.CharField(allow_null=True)
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
    created_at = MomentField()
    expires_at = MomentField()


class ReceivedInvitationsSerializer(serializers.Serializer[Any]):
    """A page of invitations."""

    invitations = ReceivedInvitationSerializer(many=True)
    count = serializers.IntegerField()
    next = serializers.CharField(allow_null=True)


class JoinedTableSerializer(serializers.Serializer[Any]):
    """A table by id and name."""

    id = serializers.IntegerField()
    name = serializers.CharField()


class JoinedSerializer(serializers.Serializer[Any]):
    """The table that the user has become a member of."""

    table = JoinedTableSerializer()
    role = serializers.CharField()
