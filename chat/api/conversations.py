"""Conversations and their messages."""
from __future__ import annotations

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chat.api.forms import conversation_form, message_form
from chat.api.query import body_of, following, only, page_of, text
from chat.exceptions import Malformed
from chat.selectors import conversations_for, get_conversation, messages_of, running_turn_of
from chat.services import delete_conversation, end_stale_turns, rename_conversation

TITLE_LENGTH = 255


class ConversationList(APIView):
    """GET: this person's conversations (`page`, `object_id` or `table`), the latest first."""

    def get(self, request: Request) -> Response:
        only(request, "page", "object_id", "table", "limit", "offset")
        offset, limit = page_of(request)
        object_id = text(request, "object_id")
        found = conversations_for(
            request.user,
            page=text(request, "page") or "",
            object_id=object_id if object_id is not None else text(request, "table"),
        )
        conversations = [conversation_form(conversation) for conversation in found[offset : offset + limit]]
        return Response(
            {"conversations": conversations, "next": following(offset=offset, limit=limit, count=found.count())}
        )


class ConversationDetail(APIView):
    """GET, PATCH (`title`), DELETE one conversation."""

    def get(self, request: Request, conversation_id: str) -> Response:
        only(request)
        return Response(conversation_form(get_conversation(request.user, conversation_id)))

    def patch(self, request: Request, conversation_id: str) -> Response:
        only(request)
        title = body_of(request, fields=("title",)).get("title")
        if not isinstance(title, str) or not 0 < len(title.strip()) <= TITLE_LENGTH:
            raise Malformed(f"A title of 1 to {TITLE_LENGTH} characters.", path="title")
        renamed = rename_conversation(user=request.user, conversation_id=conversation_id, title=title.strip())
        return Response(conversation_form(renamed))

    def delete(self, request: Request, conversation_id: str) -> Response:
        only(request)
        delete_conversation(user=request.user, conversation_id=conversation_id, now=timezone.now())
        return Response(status=204)


class MessageList(APIView):
    """GET: the messages of the branch that is shown, and the running turn to join."""

    def get(self, request: Request, conversation_id: str) -> Response:
        only(request)
        end_stale_turns(user=request.user, now=timezone.now())
        conversation = get_conversation(request.user, conversation_id)
        # The running turn first: if it ends meanwhile, the client joins an ended turn and gets its last event.
        running = running_turn_of(conversation)
        return Response(
            {
                "messages": [message_form(message) for message in messages_of(conversation)],
                "running_turn_id": str(running.pk) if running else None,
                "tip": str(conversation.tip_id) if conversation.tip_id else None,
            }
        )
