"""Sharing over REST: members of a table, inviting them, and the link for reading. For its owner only."""
from __future__ import annotations

from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tables import selectors, services
from tables.api.bodies import read_body
from tables.api.invitations import secret_response, sent_response, site_url
from tables.api.parameters import Parameters
from tables.api.query_parameters import PAGE
from tables.api.reads import following, page_of
from tables.api.sharing_serializers import (
    ANY_INVITATION_BODY,
    INVITATION_EXAMPLE,
    ChangedMemberSerializer,
    CreatedLinkSerializer,
    InvitationBody,
    InvitationSerializer,
    LinkBody,
    MembersSerializer,
    OwnerSerializer,
    RoleBody,
    TransferBody,
    read_invited,
    read_name,
)


class Members(APIView):
    """/api/tables/{id}/members/"""

    @extend_schema(parameters=PAGE, responses=MembersSerializer)
    def get(self, request: Request, table_id: int) -> Response:
        """List the members of a table and its open invitations.

        An invitation does not show whether the invited user exists.
        """
        size, offset = page_of(Parameters(request, PAGE))
        table, now = selectors.get_table(request.user, table_id, can="own"), timezone.now()
        members = selectors.members_of(table)
        listed = list(members[offset : offset + size])
        count = members.count()
        shared = {
            "owner": table.owner.get_username(),
            "members": listed,
            "count": count,
            "next": following(request, offset=offset, shown=len(listed), count=count),
            "invitations": selectors.invitations_of(table),
            "kinds": selectors.invitation_kinds(),
            "link": selectors.reading_link_of(table),
        }
        return Response(MembersSerializer(shared, context={"now": now}).data)

    @extend_schema(
        request=ANY_INVITATION_BODY, responses={202: InvitationSerializer}, examples=[INVITATION_EXAMPLE]
    )
    def post(self, request: Request, table_id: int) -> Response:
        """Invite a user by name, a person by e-mail, or any user with a link.

        The response does not show whether the user or address exists.
        """
        Parameters(request)
        body = read_body(request, form=InvitationBody)
        sent = services.invite(
            user=request.user,
            table_id=table_id,
            kind=body["kind"],
            name=read_invited(body),
            role=body["role"],
            days=body["expires_in_days"],
            now=timezone.now(),
            site_url=site_url(request),
        )
        return sent_response(request, sent, status=202)


class OneMember(APIView):
    """/api/tables/{id}/members/{user}/"""

    @extend_schema(request=RoleBody, responses=ChangedMemberSerializer)
    def patch(self, request: Request, table_id: int, name: str) -> Response:
        """Change the role of a member."""
        Parameters(request)
        role = read_body(request, form=RoleBody)["role"]
        services.change_member(user=request.user, table_id=table_id, name=read_name(name, path="user"), role=role)
        return Response(ChangedMemberSerializer({"user": name, "role": role}).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, table_id: int, name: str) -> Response:
        """Remove a member; members can remove themselves."""
        Parameters(request)
        services.remove_member(user=request.user, table_id=table_id, name=read_name(name, path="user"))
        return Response(status=204)


class Transfer(APIView):
    """/api/tables/{id}/transfer/"""

    @extend_schema(request=TransferBody, responses=OwnerSerializer)
    def post(self, request: Request, table_id: int) -> Response:
        """Transfer the table to a member; you become an editor."""
        Parameters(request)
        to = read_body(request, form=TransferBody)["to"]
        table = services.transfer_ownership(user=request.user, table_id=table_id, to=to)
        owned = {"owner": table.owner.get_username(), "role": selectors.role_of(request.user, table)}
        return Response(OwnerSerializer(owned).data)


class Link(APIView):
    """/api/tables/{id}/link/"""

    @extend_schema(request=LinkBody, responses={201: CreatedLinkSerializer})
    def post(self, request: Request, table_id: int) -> Response:
        """Create a link for reading without signing in, replacing an earlier one. Only this response has its URL."""
        Parameters(request)
        until = read_body(request, form=LinkBody)["expires_at"]
        made = services.create_link(user=request.user, table_id=table_id, expires_at=until, now=timezone.now())
        url = request.build_absolute_uri(reverse("shared_table", args=[made.token]))
        created = {"id": made.id, "url": url, "created_at": made.created_at, "expires_at": made.expires_at}
        return secret_response(CreatedLinkSerializer(created).data, status=201, id_=made.id)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, table_id: int) -> Response:
        """Remove the link for reading."""
        Parameters(request)
        services.remove_link(user=request.user, table_id=table_id)
        return Response(status=204)
