"""Invitations over REST: the owner renews and withdraws them, the invited user lists, accepts and declines them."""
from __future__ import annotations

from typing import Any

from django.urls import reverse
from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from shared.rest.parameters import example
from shared.rest.serializers import EmptyBody
from tables import selectors, services
from tables.api.bodies import read_body
from tables.api.parameters import Parameters
from tables.api.query_parameters import PAGE
from tables.api.reads import following, page_of
from tables.api.sharing_serializers import (
    InvitationSerializer,
    JoinedSerializer,
    ReceivedInvitationsSerializer,
    RenewalBody,
)

Json = dict[str, Any]
RENEWAL_EXAMPLE = example({"expires_in_days": 14})


class OneInvitation(APIView):
    """/api/tables/{id}/invitations/{invitation}/"""

    @extend_schema(request=RenewalBody, responses={202: InvitationSerializer}, examples=[RENEWAL_EXAMPLE])
    def post(self, request: Request, table_id: int, invitation_id: int) -> Response:
        """Send an invitation again, with a new mail or link."""
        Parameters(request)
        sent = services.renew_invitation(
            user=request.user,
            table_id=table_id,
            invitation_id=invitation_id,
            days=read_body(request, form=RenewalBody)["expires_in_days"],
            now=timezone.now(),
            site_url=site_url(request),
        )
        return sent_response(request, sent, status=202)

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
        size, offset = page_of(Parameters(request, PAGE))
        found = selectors.invitations_to(request.user, now=timezone.now())
        listed, count = list(found[offset : offset + size]), found.count()
        following_page = following(request, offset=offset, shown=len(listed), count=count)
        page = {"invitations": listed, "count": count, "next": following_page}
        return Response(ReceivedInvitationsSerializer(page).data)


class AcceptInvitation(APIView):
    """/api/tables/invitations/{token}/ and /api/tables/invitations/{invitation}/accept/"""

    @extend_schema(request=EmptyBody, responses=JoinedSerializer)
    def post(self, request: Request, token: str = "", invitation_id: int = 0) -> Response:
        """Accept an invitation. It cannot be used again."""
        Parameters(request)
        read_body(request, form=EmptyBody)
        table = services.accept_invitation(user=request.user, key=token or invitation_id, now=timezone.now())
        joined = {"table": table, "role": selectors.role_of(request.user, table)}
        return Response(JoinedSerializer(joined).data)


class DeclineInvitation(APIView):
    """/api/tables/invitations/{invitation}/decline/"""

    @extend_schema(request=EmptyBody, responses={204: None})
    def post(self, request: Request, invitation_id: int) -> Response:
        """Decline an invitation; its sender is not informed."""
        Parameters(request)
        read_body(request, form=EmptyBody)
        services.decline_invitation(user=request.user, key=invitation_id, now=timezone.now())
        return Response(status=204)


def sent_response(request: Request, sent: Any, *, status: int) -> Response:
    """Return the response to an invitation that was sent, with the address of a link, which is shown only once."""
    body = InvitationSerializer(sent.invitation, context={"now": sent.invitation.created_at}).data
    if not sent.token:
        return Response(body, status=status)
    url = request.build_absolute_uri(reverse("invitation", args=[sent.token]))
    return secret_response({**body, "url": url}, status=status, id_=sent.invitation.pk)


def secret_response(body: Json, *, status: int, id_: int) -> Response:
    """Return a response that is neither cached nor repeated."""
    answer = Response(body, status=status, headers={"Cache-Control": "no-store"})
    # Sent again with the same Idempotency-Key, the request is answered with the id alone.
    answer.secret_of = id_  # type: ignore[attr-defined]  # an answer has no slot of its own for it
    return answer


def site_url(request: Request) -> str:
    """Return the address of this installation, for links in mails."""
    return request.build_absolute_uri("/").rstrip("/")
