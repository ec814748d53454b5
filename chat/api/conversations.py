"""Endpoints of conversations, their messages and ratings of answers."""

from __future__ import annotations

from typing import Any

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chat.api.query import (
    MAX_SEARCH_LENGTH,
    MAX_SEARCH_WORDS,
    boolean_parameter,
    check_parameters,
    integer_parameter,
    offset_and_limit,
    read_request,
    search_words,
    text_parameter,
)
from chat.api.representations import message_json
from chat.api.schemas import MESSAGES, object_parameters
from chat.api.serializers import (
    ANY_FEEDBACK_BODY,
    FEEDBACK_EXAMPLE,
    MAX_REASON_LENGTH,
    ConversationSerializer,
    ConversationsSerializer,
    FeedbackBody,
    FeedbackSerializer,
    TitleBody,
)
from chat.exceptions import Malformed
from chat.links import links_of_texts
from chat.selectors import (
    conversations_for,
    get_conversation,
    message_page,
    search_conversations,
    tip_and_running_turn,
)
from chat.services import (
    delete_conversation,
    end_stale_turns,
    give_feedback,
    rename_conversation,
    restore_conversation,
)
from chat.turns.request import get_page, read_id, read_together
from shared.rest.openapi import BOOLEAN, OFFSET, PAGE, TEXT, UUID, limit, query
from shared.rest.paging import next_page_url
from shared.rest.serializers import EmptyBody
from shared.user_messages import declare
from shared.user_messages.request_language import reader_language

REASON_WITHOUT_RATING = declare("reason_without_rating", "A reason needs a rating of up or down.")
MAX_MESSAGES = 200
SHORT = {**TEXT, "maxLength": 64}
CONVERSATION_LIST = [
    query("page", PAGE, "Only conversations of this page."),
    query("object_id", SHORT, "Only conversations about this object."),
    query(
        "search",
        {**TEXT, "maxLength": MAX_SEARCH_LENGTH, "format": "words"},
        f"Each word, at most {MAX_SEARCH_WORDS}, must be in the title or the messages.",
    ),
    query("trashed", BOOLEAN, "Conversations that you deleted in the last 30 days."),
    limit(100, default=50),
    OFFSET,
]
MESSAGE_LIST = [
    limit(
        MAX_MESSAGES,
        default=MAX_MESSAGES,
        description="The number of messages; a page has one more if it would start with an answer otherwise.",
    ),
    query("before", UUID, "Only messages before this one."),
    query("through", UUID, "Messages of the branch through this message, to its end; not needed with before."),
]


class ConversationList(APIView):
    """/api/chat/conversations/"""

    @extend_schema(parameters=CONVERSATION_LIST, responses=ConversationsSerializer)
    def get(self, request: Request) -> Response:
        """List your conversations, the latest first."""
        _, (offset, size), page, object_ids, trashed, searched = read_together(
            lambda: check_parameters(request, CONVERSATION_LIST, aliases=object_parameters()),
            lambda: offset_and_limit(request, CONVERSATION_LIST),
            lambda: _page(request),
            lambda: _object_ids(request),
            lambda: boolean_parameter(request, "trashed"),
            lambda: search_words(request, "search"),
        )
        found = conversations_for(request.user, page=page, object_ids=object_ids, trashed=trashed)
        if searched:
            matches = search_conversations(searched, among=found)
            count, listed = len(matches), matches[offset : offset + size]
        else:
            count, listed = found.count(), list(found[offset : offset + size])
        following = next_page_url(request, shown=offset + size, count=count)
        body = {"conversations": listed, "count": count, "next": following}
        return Response(ConversationsSerializer(body).data)


class ConversationDetail(APIView):
    """/api/chat/conversations/{id}/"""

    @extend_schema(responses=ConversationSerializer)
    def get(self, request: Request, conversation_id: str) -> Response:
        """Get a conversation."""
        check_parameters(request)
        return Response(ConversationSerializer(get_conversation(request.user, conversation_id)).data)

    @extend_schema(request=TitleBody, responses=ConversationSerializer)
    def patch(self, request: Request, conversation_id: str) -> Response:
        """Rename a conversation."""
        title = read_request(request, form=TitleBody)["title"]
        renamed = rename_conversation(user=request.user, conversation_id=conversation_id, title=title)
        return Response(ConversationSerializer(renamed).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, conversation_id: str) -> Response:
        """Delete a conversation; it can be restored for 30 days. A running turn is stopped."""
        check_parameters(request)
        delete_conversation(user=request.user, conversation_id=conversation_id, now=timezone.now())
        return Response(status=204)


class ConversationRestore(APIView):
    """/api/chat/conversations/{id}/restore/"""

    @extend_schema(request=EmptyBody, responses=ConversationSerializer)
    def post(self, request: Request, conversation_id: str) -> Response:
        """Restore a deleted conversation."""
        read_request(request, form=EmptyBody)
        restored = restore_conversation(user=request.user, conversation_id=conversation_id)
        return Response(ConversationSerializer(restored).data)


class MessageList(APIView):
    """/api/chat/conversations/{id}/messages/"""

    @extend_schema(parameters=MESSAGE_LIST, responses={200: MESSAGES})
    def get(self, request: Request, conversation_id: str) -> Response:
        """List the last messages of the current branch, and the running turn to join.

        `earlier` is the message before which there are more. `beside` of a message has all messages at its position.
        """
        _, limit, before, through = read_together(
            lambda: check_parameters(request, MESSAGE_LIST),
            lambda: integer_parameter(request, "limit", MESSAGE_LIST),
            lambda: read_id({"before": text_parameter(request, "before")}, "before"),
            lambda: read_id({"through": text_parameter(request, "through")}, "through"),
        )
        end_stale_turns(user=request.user, now=timezone.now())
        conversation = get_conversation(request.user, conversation_id)
        # Read before the messages: the client joins a turn that ends in between, and receives its final event.
        conversation.tip_id, running = tip_and_running_turn(conversation)
        page = message_page(conversation, before=before, through=through, limit=limit)
        texts = [message.text if message.role == "assistant" else "" for message in page.messages]
        links = links_of_texts(texts, user=request.user)
        with reader_language(request):
            messages = [
                message_json(message, beside=page.beside.get(message.pk, ()), links=message_links)
                for message, message_links in zip(page.messages, links, strict=True)
            ]
        return Response(
            {
                "messages": messages,
                "earlier": str(page.earlier) if page.earlier else None,
                "running_turn_id": str(running) if running else None,
                "tip": str(conversation.tip_id) if conversation.tip_id else None,
            }
        )


class MessageFeedback(APIView):
    """/api/chat/messages/{id}/feedback/"""

    @extend_schema(request=ANY_FEEDBACK_BODY, responses=FeedbackSerializer, examples=[FEEDBACK_EXAMPLE])
    def post(self, request: Request, message_id: str) -> Response:
        """Rate an answer, replacing an earlier rating; null removes it."""
        body = read_request(request, form=FeedbackBody, check=_check_feedback)
        feedback = give_feedback(user=request.user, message_id=message_id, **body)
        stored = {"rating": feedback.rating, "reason": feedback.reason} if feedback else {"rating": None, "reason": ""}
        return Response(FeedbackSerializer({"message_id": message_id.lower(), **stored}).data)


def _check_feedback(body: dict[str, Any]) -> None:
    """Raise Malformed for a valid reason without a rating."""
    reason = body.get("reason")
    if isinstance(reason, str) and 0 < len(reason.strip()) <= MAX_REASON_LENGTH and body.get("rating", "") is None:
        raise Malformed(REASON_WITHOUT_RATING(), path="reason")


def _page(request: Request) -> str:
    """Return the page to filter by, "" for all pages. Raises Malformed."""
    page = text_parameter(request, "page")
    return get_page(page, path="page").page if page else ""


def _object_ids(request: Request) -> list[str]:
    """Return the object ids to filter by, from all parameters for it."""
    given = (text_parameter(request, name) for name in ("object_id", *object_parameters()))
    return [value for value in given if value is not None]
