"""REST API of API tokens."""
from __future__ import annotations

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from accounts.api.authentication import refuse_tokens
from accounts.api.request_body import read_fields
from accounts.api.serializers import CreatedTokenSerializer, NewTokenBody, TokenSerializer, TokensSerializer
from accounts.tokens import check_new_token, create_token, revoke_token, tokens_for
from chat.api.query import check_parameters
from shared.rest.openapi import ONLY_SESSION


class Tokens(APIView):
    """/api/tokens/"""

    @extend_schema(auth=ONLY_SESSION, responses=TokensSerializer)
    def get(self, request: Request) -> Response:
        """List your tokens, the newest first, without their secrets."""
        refuse_tokens(request)
        check_parameters(request)
        tokens = tokens_for(request.user, now=timezone.now())
        return Response(TokensSerializer({"tokens": tokens}).data)

    @extend_schema(auth=ONLY_SESSION, request=NewTokenBody, responses={201: CreatedTokenSerializer})
    def post(self, request: Request) -> Response:
        """Create a token; only this response has its secret."""
        refuse_tokens(request)
        body = {"name": "", **read_fields(request, form=NewTokenBody, check=_check)}
        token, secret = create_token(user=request.user, now=timezone.now(), **body)
        created = {**TokenSerializer(token).data, "token": secret}
        response = Response(created, status=201, headers={"Cache-Control": "no-store"})
        # A repeated request with the same Idempotency-Key is answered with the id only.
        response.secret_of = token.pk  # type: ignore[attr-defined]  # not an attribute of Response
        return response


def _check(fields: dict[str, Any]) -> None:
    check_new_token(**{"name": "", **fields})


class OneToken(APIView):
    """/api/tokens/{id}/"""

    @extend_schema(auth=ONLY_SESSION, responses={204: None})
    def delete(self, request: Request, token_id: int) -> Response:
        """Revoke a token at once."""
        refuse_tokens(request)
        check_parameters(request)
        revoke_token(user=request.user, token_id=token_id)
        return Response(status=204)
