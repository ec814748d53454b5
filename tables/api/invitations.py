"""Invitations over REST: the owner renews and withdraws them, the invited user lists, accepts and declines them."""
from __future__ import annotations

from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from tables import selectors, services
from tables.api.bodies import body_of
from tables.api.parameters import Parameters
from tables.api.reading import following, page_of
from tables.api.sharing_bodies import read_days, sent_response, site_url, time_text

Json = dict[str, Any]


class OneInvitation(APIView):
    """/api/tables/{id}/invitations/{invitation}/"""

    def post(self, request: Request, table_id: int, invitation_id: int) -> Response:
        """Send the invitation again: `{"expires_in_days"?}`. A link gets a new `url`, shown only here."""
        Parameters(request, known=())
        sent = services.renew_invitation(
            user=request.user,
            table_id=table_id,
            invitation_id=invitation_id,
            days=read_days(body_of(request, allowed=("expires_in_days",))),
            now=timezone.now(),
            site_url=site_url(request),
        )
        return sent_response(request, sent, status=202)

    def delete(self, request: Request, table_id: int, invitation_id: int) -> Response:
        """Withdraw an open invitation."""
        Parameters(request, known=())
        services.withdraw_invitation(user=request.user, table_id=table_id, invitation_id=invitation_id)
        return Response(status=204)


class Invitations(APIView):
    """/api/tables/invitations/"""

    def get(self, request: Request) -> Response:
        """`{"invitations": […], "count", "next"}`: those you can accept or decline.

        An invitation is `{"id", "table", "invited_by", "role", "created_at", "expires_at"}`, `table` a name.
        """
        limit, offset = page_of(Parameters(request, known=("limit", "offset")), most=200)
        found = selectors.invitations_to(request.user, now=timezone.now())
        listed, count = [_json(each) for each in found[offset : offset + limit]], found.count()
        following_page = following(request, offset=offset, shown=len(listed), count=count)
        return Response({"invitations": listed, "count": count, "next": following_page})


class AcceptInvitation(APIView):
    """/api/tables/invitations/{token}/ and /api/tables/invitations/{invitation}/accept/"""

    def post(self, request: Request, token: str = "", invitation_id: int = 0) -> Response:
        """Make the signed-in user a member; the invitation is used up by that."""
        Parameters(request, known=())
        body_of(request, allowed=())
        table = services.accept_invitation(user=request.user, key=token or invitation_id, now=timezone.now())
        return Response({"table": {"id": table.pk, "name": table.name}, "role": selectors.role_of(request.user, table)})


class DeclineInvitation(APIView):
    """/api/tables/invitations/{invitation}/decline/"""

    def post(self, request: Request, invitation_id: int) -> Response:
        """Remove an invitation from your list; its sender is not informed."""
        Parameters(request, known=())
        body_of(request, allowed=())
        services.decline_invitation(user=request.user, key=invitation_id, now=timezone.now())
        return Response(status=204)


def _json(invitation: Any) -> Json:
    return {
        "id": invitation.pk,
        "table": invitation.table.name,
        "invited_by": invitation.invited_by.get_username(),
        "role": invitation.role,
        "created_at": time_text(invitation.created_at),
        "expires_at": time_text(invitation.expires_at),
    }
