"""Tokens over REST."""
from __future__ import annotations

from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.authentication import refuse_tokens
from accounts.models import ApiToken
from accounts.tokens import USUAL_DAYS, make_token, revoke_token, tokens_for
from chat.api.query import body_of, only


class Tokens(APIView):
    """/api/tokens/"""

    def get(self, request: Request) -> Response:
        """`{"tokens": […]}`, the newest first, without their secrets. There are at most 50."""
        refuse_tokens(request)
        only(request)
        return Response({"tokens": [_form(token) for token in tokens_for(request.user, now=timezone.now())]})

    def post(self, request: Request) -> Response:
        """Makes one: `{"name", "scope"?, "days"?}`. The only answer that ever holds its secret, as `token`."""
        refuse_tokens(request)
        only(request)
        body = body_of(request, fields=("name", "scope", "days"))
        token, secret = make_token(
            user=request.user,
            name=body.get("name", ""),
            scope=body.get("scope", "read"),
            days=body.get("days", USUAL_DAYS),
            now=timezone.now(),
        )
        answer = Response({**_form(token), "token": secret}, status=201, headers={"Cache-Control": "no-store"})
        # Sent again with the same Idempotency-Key, the request is answered with the id alone.
        answer.secret_of = token.pk  # type: ignore[attr-defined]  # an answer has no slot of its own for it
        return answer


class OneToken(APIView):
    """/api/tokens/{id}/"""

    def delete(self, request: Request, token_id: int) -> Response:
        """Revokes it, at once."""
        refuse_tokens(request)
        only(request)
        revoke_token(user=request.user, token_id=token_id)
        return Response(status=204)


def _form(token: ApiToken) -> dict[str, Any]:
    return {
        "id": token.pk,
        "name": token.name,
        "scope": token.scope,
        "created_at": token.created_at.isoformat(),
        "expires_at": token.expires_at.isoformat(),
        "last_used_at": token.last_used_at.isoformat() if token.last_used_at else None,
    }
