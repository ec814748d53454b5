"""REST API of sharing: members, ownership, the link for reading, invitations."""

from __future__ import annotations

from contextlib import suppress
from functools import partial
from typing import Any

from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from shared.rest.openapi import example
from shared.rest.serializers import EmptyBody
from tables import selectors, services
from tables.api.bodies import read_request, rehearse
from tables.api.parameters import PAGE, Parameters
from tables.api.responses import list_json
from tables.api.sharing.serializers import (
    ANY_INVITATION_BODY,
    INVITATION_EXAMPLE,
    ChangedMemberSerializer,
    CreatedLinkSerializer,
    InvitationBody,
    InvitationSerializer,
    JoinedSerializer,
    LinkBody,
    MembersSerializer,
    OwnerSerializer,
    ReceivedInvitationsSerializer,
    RenewalBody,
    RoleBody,
    TransferBody,
    read_invited,
    read_name,
)
from tables.api.table_query import read_page
from tables.api.table_view import TableView
from tables.exceptions import Malformed

Json = dict[str, Any]
OWNING = {"GET": "own", "POST": "own", "PATCH": "own", "DELETE": "own"}
RENEWAL_EXAMPLE = example({"expires_in_days": 14})


class Members(TableView):
    """/api/tables/{id}/members/"""

    rights = OWNING

    @extend_schema(parameters=PAGE, responses=MembersSerializer)
    def get(self, request: Request, table_id: int) -> Response:
        """List the members of a table and its open invitations.

        An invitation does not show whether the invited user exists.
        """
        limit, offset = read_page(Parameters(request, PAGE))
        table, now = selectors.get_table(request.user, table_id, can="own"), timezone.now()
        members = selectors.members_of(table)
        listed = list(members[offset : offset + limit])
        shared = {
            **list_json(request, name="members", items=listed, offset=offset, count=members.count()),
            "owner": table.owner.get_username(),
            "invitations": selectors.invitations_of(table),
            "kinds": selectors.invitation_kinds(),
            "link": selectors.read_only_link_of(table),
        }
        return Response(MembersSerializer(shared, context={"now": now}).data)

    @extend_schema(request=ANY_INVITATION_BODY, responses={202: InvitationSerializer}, examples=[INVITATION_EXAMPLE])
    def post(self, request: Request, table_id: int) -> Response:
        """Invite a user by name, a person by e-mail, or any user with a link.

        The response does not show whether the user or address exists.
        """
        body = read_request(request, form=InvitationBody, find_others=read_invited)
        invitation = services.invite(
            user=request.user,
            table_id=table_id,
            kind=body["kind"],
            name=read_invited(body),
            role=body["role"],
            days=body["expires_in_days"],
            now=timezone.now(),
            site_url=_site_url(request),
        )
        return _invitation_response(request, invitation, status=202)


class OneMember(TableView):
    """/api/tables/{id}/members/{user}/"""

    rights = OWNING

    def right(self) -> Any:
        """Return the right: members may remove themselves."""
        is_self = self.kwargs["name"] == self.request.user.get_username()
        return "view" if self.request.method == "DELETE" and is_self else super().right()

    def check_access(self, *, table_id: int = 0, name: str = "", **_names: Any) -> None:
        """Raise NotFound and Forbidden for the table and the member in the URL."""
        table = self.find_table(table_id)
        with suppress(Malformed):  # an impossible name is the error of the request
            selectors.get_member(table, read_name(name, path="user"))

    @extend_schema(request=RoleBody, responses=ChangedMemberSerializer)
    def patch(self, request: Request, table_id: int, name: str) -> Response:
        """Change the role of a member."""
        role = read_request(request, form=RoleBody)["role"]
        services.change_member(user=request.user, table_id=table_id, name=read_name(name, path="user"), role=role)
        return Response(ChangedMemberSerializer({"user": name, "role": role}).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, table_id: int, name: str) -> Response:
        """Remove a member; members can remove themselves."""
        Parameters(request)
        services.remove_member(user=request.user, table_id=table_id, name=read_name(name, path="user"))
        return Response(status=204)


class Transfer(TableView):
    """/api/tables/{id}/transfer/"""

    rights = OWNING

    @extend_schema(request=TransferBody, responses=OwnerSerializer)
    def post(self, request: Request, table_id: int) -> Response:
        """Transfer the table to a member; you become an editor."""
        to = read_request(request, form=TransferBody)["to"]
        table = services.transfer_ownership(user=request.user, table_id=table_id, to=to)
        owned = {"owner": table.owner.get_username(), "role": selectors.role_of(request.user, table)}
        return Response(OwnerSerializer(owned).data)


class Link(TableView):
    """/api/tables/{id}/link/"""

    rights = OWNING

    @extend_schema(request=LinkBody, responses={201: CreatedLinkSerializer})
    def post(self, request: Request, table_id: int) -> Response:
        """Create a link for reading without signing in, replacing an earlier one. Only this response has its URL."""
        create = partial(services.create_link, user=request.user, table_id=table_id, now=timezone.now())
        body = read_request(
            request,
            form=LinkBody,
            find_others=lambda body: rehearse(lambda: create(expires_at=body.get("expires_at"))),
        )
        link = create(expires_at=body["expires_at"])
        url = request.build_absolute_uri(reverse("shared_table", args=[link.token]))
        created = {"id": link.id, "url": url, "created_at": link.created_at, "expires_at": link.expires_at}
        return _secret_response(CreatedLinkSerializer(created).data, status=201, id_=link.id)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, table_id: int) -> Response:
        """Remove the link for reading."""
        Parameters(request)
        services.remove_link(user=request.user, table_id=table_id)
        return Response(status=204)


class OneInvitation(TableView):
    """/api/tables/{id}/invitations/{invitation}/"""

    rights = OWNING

    @extend_schema(request=RenewalBody, responses={202: InvitationSerializer}, examples=[RENEWAL_EXAMPLE])
    def post(self, request: Request, table_id: int, invitation_id: int) -> Response:
        """Send an invitation again, with a new mail or link."""
        body = read_request(request, form=RenewalBody)
        invitation = services.renew_invitation(
            user=request.user,
            table_id=table_id,
            invitation_id=invitation_id,
            days=body["expires_in_days"],
            now=timezone.now(),
            site_url=_site_url(request),
        )
        return _invitation_response(request, invitation, status=202)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, table_id: int, invitation_id: int) -> Response:
        """Withdraw an open invitation."""
        Parameters(request)
        services.withdraw_invitation(user=request.user, table_id=table_id, invitation_id=invitation_id)
        return Response(status=204)


class Invitations(APIView):
    """/api/tables/invitations/"""

    @extend_schema(parameters=PAGE, responses=ReceivedInvitationsSerializer)
    def get(self, request: Request) -> Response:
        """List the invitations that you can accept or decline."""
        limit, offset = read_page(Parameters(request, PAGE))
        found = selectors.invitations_to(request.user, now=timezone.now())
        listed = list(found[offset : offset + limit])
        page = list_json(request, name="invitations", items=listed, offset=offset, count=found.count())
        return Response(ReceivedInvitationsSerializer(page).data)


class AcceptInvitation(APIView):
    """/api/tables/invitations/{token}/ and /api/tables/invitations/{invitation}/accept/"""

    @extend_schema(request=EmptyBody, responses=JoinedSerializer)
    def post(self, request: Request, token: str = "", invitation_id: int = 0) -> Response:
        """Accept an invitation. It cannot be used again."""
        read_request(request, form=EmptyBody)
        table = services.accept_invitation(user=request.user, key=token or invitation_id, now=timezone.now())
        joined = {"table": table, "role": selectors.role_of(request.user, table)}
        return Response(JoinedSerializer(joined).data)


class DeclineInvitation(APIView):
    """/api/tables/invitations/{invitation}/decline/"""

    @extend_schema(request=EmptyBody, responses={204: None})
    def post(self, request: Request, invitation_id: int) -> Response:
        """Decline an invitation; its sender is not informed."""
        read_request(request, form=EmptyBody)
        services.decline_invitation(user=request.user, key=invitation_id, now=timezone.now())
        return Response(status=204)


def _invitation_response(request: Request, sent: Any, *, status: int) -> Response:
    """Return the response to an invitation that was sent. Only this response has the URL of a link."""
    body = InvitationSerializer(sent.invitation, context={"now": sent.invitation.created_at}).data
    if not sent.token:
        return Response(body, status=status)
    url = request.build_absolute_uri(reverse("invitation", args=[sent.token]))
    return _secret_response({**body, "url": url}, status=status, id_=sent.invitation.pk)


def _secret_response(body: Json, *, status: int, id_: int) -> Response:
    """Return a response that is neither cached nor repeated."""
    response = Response(body, status=status, headers={"Cache-Control": "no-store"})
    # A repeated request with the same Idempotency-Key gets the id alone.
    response.secret_of = id_  # type: ignore[attr-defined]  # a response has no attribute of its own for it
    return response


def _site_url(request: Request) -> str:
    """Return the URL of this installation, for links in mails."""
    return request.build_absolute_uri("/").rstrip("/")
