"""Conversations and their messages."""
from __future__ import annotations

import re
from typing import Any

from django.utils import timezone
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

import strictjson
from chat.api.forms import conversation_form, message_form
from chat.api.query import body_of, flag, following, number, only, page_of, text, words
from chat.exceptions import Malformed
from chat.links import links_of_texts
from chat.request_messages import TITLE_NEEDED
from chat.selectors import (
    conversations_for,
    conversations_with,
    get_conversation,
    page_of_messages,
    tip_and_running,
)
from chat.services import delete_conversation, end_stale_turns, rename_conversation, restore_conversation
from chat.turns.request import get_page, read_id
from user_messages.request_language import as_read

TITLE_LENGTH = 255
MOST_MESSAGES = 200
CONTROL = re.compile(r"[\x00-\x1f\x7f-\x9f]")


class ConversationList(APIView):
    """GET: this person's conversations (`page`, `object_id` or `table`, `search`), the latest first; what they
    deleted with `trashed`."""

    def get(self, request: Request) -> Response:
        only(request, "page", "object_id", "table", "search", "trashed", "limit", "offset")
        offset, limit = page_of(request)
        found = conversations_for(
            request.user, page=_page(request), object_ids=_object_ids(request), trashed=flag(request, "trashed")
        )
        searched = words(request, "search")
        if searched:
            hits = conversations_with(searched, among=found)
            count, shown = len(hits), hits[offset : offset + limit]
        else:
            count, shown = found.count(), list(found[offset : offset + limit])
        conversations = [conversation_form(conversation) for conversation in shown]
        following_offset = following(offset=offset, limit=limit, count=count)
        return Response({"conversations": conversations, "count": count, "next": following_offset})


class ConversationDetail(APIView):
    """GET, PATCH (`title`), DELETE one conversation."""

    def get(self, request: Request, conversation_id: str) -> Response:
        only(request)
        return Response(conversation_form(get_conversation(request.user, conversation_id)))

    def patch(self, request: Request, conversation_id: str) -> Response:
        only(request)
        title = _title(body_of(request, fields=("title",)).get("title"))
        renamed = rename_conversation(user=request.user, conversation_id=conversation_id, title=title)
        return Response(conversation_form(renamed))

    def delete(self, request: Request, conversation_id: str) -> Response:
        only(request)
        delete_conversation(user=request.user, conversation_id=conversation_id, now=timezone.now())
        return Response(status=204)


class ConversationRestore(APIView):
    """POST: takes a deleted one out of the trash."""

    def post(self, request: Request, conversation_id: str) -> Response:
        only(request)
        body_of(request, fields=())
        restored = restore_conversation(user=request.user, conversation_id=conversation_id)
        return Response(conversation_form(restored))


class MessageList(APIView):
    """GET: the last messages of the branch that is shown, or those before one of them, or those of the branch that goes
    through another message; and the running turn to join."""

    def get(self, request: Request, conversation_id: str) -> Response:
        only(request, "limit", "before", "through")
        most = number(request, "limit", usual=MOST_MESSAGES, least=1, most=MOST_MESSAGES)
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


def _title(value: Any) -> str:
    """A title on one line, without white space around it. Raises Malformed."""
    title = value.strip() if isinstance(value, str) and not CONTROL.search(value) else ""
    if not 0 < len(title) <= TITLE_LENGTH:
        raise Malformed(TITLE_NEEDED(count=TITLE_LENGTH), path="title")
    strictjson.refuse_unstorable(title, path="title")
    return title
