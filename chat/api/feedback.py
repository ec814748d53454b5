"""What a person thinks of an answer."""
from __future__ import annotations

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chat.api.query import only, read_body
from chat.api.serializers import ANY_FEEDBACK_BODY, FEEDBACK_EXAMPLE, FeedbackBody, FeedbackSerializer
from chat.exceptions import Malformed
from chat.services import give_feedback
from user_messages import declare

REASON_WITHOUT_RATING = declare("reason_without_rating", "A reason goes with a rating of up or down.")


class MessageFeedback(APIView):
    """/api/chat/messages/{id}/feedback/"""

    @extend_schema(request=ANY_FEEDBACK_BODY, responses=FeedbackSerializer, examples=[FEEDBACK_EXAMPLE])
    def post(self, request: Request, message_id: str) -> Response:
        """Rate an answer, in place of an earlier rating; null takes it back."""
        only(request)
        body = read_body(request, form=FeedbackBody)
        if body["reason"] and body["rating"] is None:
            raise Malformed(REASON_WITHOUT_RATING(), path="reason")
        feedback = give_feedback(user=request.user, message_id=message_id, **body)
        said = {"rating": feedback.rating, "reason": feedback.reason} if feedback else {"rating": None, "reason": ""}
        return Response(FeedbackSerializer({"message_id": message_id.lower(), **said}).data)
