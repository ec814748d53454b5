"""What a person thinks of an answer."""
from __future__ import annotations

from typing import Any

from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

import strictjson
from chat.api.query import body_of, only
from chat.exceptions import Malformed
from chat.request_messages import TEXT_BETWEEN
from chat.services import give_feedback
from user_messages import declare

RATINGS = ("up", "down", None)
RATING_NEEDED = declare("rating_needed", "“up”, “down”, or null to remove the rating.")
REASON_WITHOUT_RATING = declare("reason_without_rating", "A reason goes with a rating of up or down.")
MOST_REASON = 2_000


class MessageFeedback(APIView):
    """POST `{"rating": "up" | "down", "reason"?}` replaces what was said before; a rating of null takes it back."""

    def post(self, request: Request, message_id: str) -> Response:
        only(request)
        body = body_of(request, fields=("rating", "reason"))
        rating, reason = _rating(body), _reason(body)
        if reason and rating is None:
            raise Malformed(REASON_WITHOUT_RATING(), path="reason")
        feedback = give_feedback(user=request.user, message_id=message_id, rating=rating, reason=reason)
        said = {"rating": feedback.rating, "reason": feedback.reason} if feedback else {"rating": None, "reason": ""}
        return Response({"message_id": message_id.lower(), **said})


def _rating(body: dict[str, Any]) -> str | None:
    rating = body.get("rating", "")
    if isinstance(rating, str | None) and rating in RATINGS:
        return rating
    raise Malformed(RATING_NEEDED(), path="rating")


def _reason(body: dict[str, Any]) -> str:
    """The reason without white space around it, "" where there is none."""
    reason = body.get("reason")
    if reason is None:
        return ""
    if not isinstance(reason, str) or not 0 < len(reason.strip()) <= MOST_REASON:
        raise Malformed(TEXT_BETWEEN(least=1, most=MOST_REASON), path="reason")
    strictjson.refuse_unstorable(reason, path="reason")
    return reason.strip()
