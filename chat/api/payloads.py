"""Stored payloads: what was shown, and the person's answer to proposals."""
from __future__ import annotations

from typing import Any

from django.http import HttpResponse
from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

import strictjson
from chat.api.forms import payload_form, review_form
from chat.api.query import body_of, following, only, page_of, text
from chat.exceptions import Malformed
from chat.request_messages import BOOLEAN_NEEDED, ONE_OF
from chat.selectors import get_payload, operations_of
from chat.services import (
    apply_payload,
    dismiss_payload,
    get_review,
    next_form,
    preview_payload,
    preview_with_review,
    save_review,
)
from user_messages import declare
from user_messages.rendering import localized_preview
from user_messages.request_language import as_read, is_program

Json = dict[str, Any]

EDITS_AND_REVIEW = declare("edits_and_review", "With review, the stored edits are used.")
STATES = ("ok", "warning", "conflict", "error")


class PayloadDetail(APIView):
    """GET one payload."""

    def get(self, request: Request, payload_id: str) -> Response:
        only(request)
        payload = get_payload(request.user, payload_id)
        with as_read(request):
            return Response(payload_form(payload))


class PayloadOperations(APIView):
    """GET the resolved operations in pages; `status` picks those a preview finds ok, warning, conflict or error."""

    def get(self, request: Request, payload_id: str) -> Response:
        only(request, "offset", "limit", "status")
        offset, limit = page_of(request, most=500, usual=100)
        operations = operations_of(get_payload(request.user, payload_id))
        state = text(request, "status")
        if state is not None:
            if state not in STATES:
                raise Malformed(ONE_OF(names=STATES), path="status")
            preview = preview_payload(user=request.user, payload_id=payload_id, choice={"operations": "all"})
            wanted = {entry["index"] for entry in preview["operations"] if entry["state"] == state}
            operations = [operation for operation in operations if operation.get("index") in wanted]
        return Response(
            {
                "operations": operations[offset : offset + limit],
                "count": len(operations),
                "next": following(offset=offset, limit=limit, count=len(operations)),
            }
        )


class PayloadPreview(APIView):
    """POST a choice: what applying it would do now; with `review` true, with the edits of the stored review."""

    def post(self, request: Request, payload_id: str) -> Response:
        only(request)
        choice = body_of(request)
        if _wants_review(choice):
            preview = preview_with_review(user=request.user, payload_id=payload_id, choice=choice)
            preview["review"] = review_form(preview["review"])
        else:
            preview = preview_payload(user=request.user, payload_id=payload_id, choice=choice)
        if is_program(request):
            return Response(preview)
        with as_read(request):
            return Response(localized_preview(preview))


class PayloadReview(APIView):
    """GET the stored review of a pending proposal; PATCH changes to it."""

    def get(self, request: Request, payload_id: str) -> Response:
        only(request)
        return Response(review_form(get_review(user=request.user, payload_id=payload_id)))

    def patch(self, request: Request, payload_id: str) -> Response:
        only(request)
        changes = body_of(request)
        review = save_review(user=request.user, payload_id=payload_id, changes=changes, now=timezone.now())
        return Response(review_form(review))


class PayloadApply(APIView):
    """POST a choice: applies it, once."""

    def post(self, request: Request, payload_id: str) -> HttpResponse:
        only(request)
        payload, applied = apply_payload(
            user=request.user, payload_id=payload_id, choice=body_of(request), now=timezone.now()
        )
        form = {
            "id": str(payload.pk),
            "status": payload.status,
            "content_hash": payload.content_hash,
            "moved_to": applied.moved_to,
            "moved_to_page": applied.moved_to_page,
            "next": next_form(payload),
        }
        answer = strictjson.dump_with(form, outcome=applied.outcome_text)
        return HttpResponse(answer, content_type="application/json")


class PayloadDismiss(APIView):
    """POST: no, thank you."""

    def post(self, request: Request, payload_id: str) -> Response:
        only(request)
        body_of(request, fields=())
        payload = dismiss_payload(user=request.user, payload_id=payload_id, now=timezone.now())
        return Response({"id": str(payload.pk), "status": payload.status})


def _wants_review(choice: Json) -> bool:
    """Takes `review` out of the choice. Raises Malformed."""
    wanted = choice.pop("review", False)
    if not isinstance(wanted, bool):
        raise Malformed(BOOLEAN_NEEDED(), code="not_a_boolean", path="review")
    if wanted and "edits" in choice:
        raise Malformed(EDITS_AND_REVIEW(), code="edits_and_review", path="edits")
    return wanted
