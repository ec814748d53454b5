"""Conversations and their messages."""
from __future__ import annotations

from django.utils import timezone
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from chat.api.forms import message_form
from chat.api.query import MOST_SEARCH, MOST_WORDS, flag, following, number, only, page_of, read_body, text, words
from chat.api.schemas import MESSAGES
from chat.api.serializers import ConversationSerializer, ConversationsSerializer, TitleBody
from chat.links import links_of_texts
from chat.selectors import (
    conversations_for,
    conversations_with,
    get_conversation,
    page_of_messages,
    tip_and_running,
)
from chat.services import delete_conversation, end_stale_turns, rename_conversation, restore_conversation
from chat.turns.request import get_page, read_id
from rest.parameters import OFFSET, limit, query
from rest.schemas import FLAG, PAGE, TEXT, UUID
from rest.serializers import EmptyBody
from user_messages.request_language import as_read

MOST_MESSAGES = 200
SHORT = {**TEXT, "maxLength": 64}
CONVERSATION_LIST = [
    query("page", PAGE, "Of this page."),
    query("object_id", SHORT, "About this object."),
    query("table", SHORT, "About this table."),
    query(
        "search",
        {**TEXT, "maxLength": MOST_SEARCH, "format": "words"},
        f"Every word, at most {MOST_WORDS}, must be in the title or the messages.",
    ),
    query("trashed", FLAG, "What you deleted in the last 30 days."),
    limit(100),
    OFFSET,
]
MESSAGE_LIST = [
    limit(MOST_MESSAGES),
    query("before", UUID, "Only messages before this one."),
    query("through", UUID, "Those of the branch through this one, to its latest; not needed with before."),
]


class ConversationList(APIView):
    """/api/chat/conversations/"""

    @extend_schema(parameters=CONVERSATION_LIST, responses=ConversationsSerializer)
    def get(self, request: Request) -> Response:
        """Your conversations, the latest first."""
        only(request, CONVERSATION_LIST)
        offset, size = page_of(request, CONVERSATION_LIST)
        found = conversations_for(
            request.user, page=_page(request), object_ids=_object_ids(request), trashed=flag(request, "trashed")
        )
        searched = words(request, "search")
        if searched:
            hits = conversations_with(searched, among=found)
            count, shown = len(hits), hits[offset : offset + size]
        else:
            count, shown = found.count(), list(found[offset : offset + size])
        following_offset = following(offset=offset, limit=size, count=count)
        page = {"conversations": shown, "count": count, "next": following_offset}
        return Response(ConversationsSerializer(page).data)


class ConversationDetail(APIView):
    """/api/chat/conversations/{id}/"""

    @extend_schema(responses=ConversationSerializer)
    def get(self, request: Request, conversation_id: str) -> Response:
        """A conversation."""
        only(request)
        return Response(ConversationSerializer(get_conversation(request.user, conversation_id)).data)

    @extend_schema(request=TitleBody, responses=ConversationSerializer)
    def patch(self, request: Request, conversation_id: str) -> Response:
        """Rename a conversation."""
        only(request)
        title = read_body(request, form=TitleBody)["title"]
        renamed = rename_conversation(user=request.user, conversation_id=conversation_id, title=title)
        return Response(ConversationSerializer(renamed).data)

    @extend_schema(responses={204: None})
    def delete(self, request: Request, conversation_id: str) -> Response:
        """Delete a conversation; for 30 days it can be restored. A running turn stops."""
        only(request)
        delete_conversation(user=request.user, conversation_id=conversation_id, now=timezone.now())
        return Response(status=204)


class ConversationRestore(APIView):
    """/api/chat/conversations/{id}/restore/"""

    @extend_schema(request=EmptyBody, responses=ConversationSerializer)
    def post(self, request: Request, conversation_id: str) -> Response:
        """Restore a deleted conversation."""
        only(request)
        read_body(request, form=EmptyBody)
        restored = restore_conversation(user=request.user, conversation_id=conversation_id)
        return Response(ConversationSerializer(restored).data)


class MessageList(APIView):
    """/api/chat/conversations/{id}/messages/"""

    @extend_schema(parameters=MESSAGE_LIST, responses={200: MESSAGES})
    def get(self, request: Request, conversation_id: str) -> Response:
        """The last messages of the branch that is shown, and the running turn to join.

        `earlier` names the message before which there are more, `beside` of a message all that are in its position.
        """
        only(request, MESSAGE_LIST)
        most = number(request, "limit", MESSAGE_LIST, usual=MOST_MESSAGES)
        before = read_id({"before": text(request, "before")}, "before")
        through = read_id({"through": text(request, "through")}, "through")
        end_stale_turns(user=request.user, now=timezone.now())
        conversation = get_conversation(request.user, conversation_id)
        # Before the messages: a turn that ends meanwhile is one the client joins, to get its last event.
        conversation.tip_id, running = tip_and_running(conversation)
        page = page_of_messages(conversation, before=before, through=through, most=most)
        answers = [each.text if each.role == "assistant" else "" for each in page.messages]
        links = links_of_texts(answers, user=request.user)
        with as_read(request):
            messages = [
                message_form(each, beside=page.beside.get(each.pk, ()), links=leading)
                for each, leading in zip(page.messages, links, strict=True)
            ]
        return Response(
            {
                "messages": messages,
                "earlier": str(page.earlier) if page.earlier else None,
                "running_turn_id": str(running) if running else None,
                "tip": str(conversation.tip_id) if conversation.tip_id else None,
            }
        )


def _page(request: Request) -> str:
    """The page the list is of, "" for all. Raises Malformed."""
    page = text(request, "page")
    return get_page(page, path="page").page if page else ""


def _object_ids(request: Request) -> list[str]:
    """What the list is about, by either name: both together have to say the same."""
    return [value for name in ("object_id", "table") if (value := text(request, name)) is not None]
