"""URLs under /api/chat/. Ids are matched as text, so an invalid id gives the same 404 as an unknown one."""

from __future__ import annotations

from django.urls import path

from chat.api import actions, capabilities, conversations, payloads, turns
from chat.api.event_language import localizer_for

# The stream views do not know the user's language.
LOCALIZED = {"localizer": localizer_for}

urlpatterns = [
    path("stream/", turns.stream_turn, LOCALIZED, name="chat_stream"),
    path("turns/<str:turn_id>/", turns.TurnDetail.as_view(), name="chat_turn"),
    path("turns/<str:turn_id>/trace/", turns.TurnTrace.as_view(), name="chat_turn_trace"),
    path("turns/<str:turn_id>/stream/", turns.join_turn, LOCALIZED, name="chat_turn_stream"),
    path("turns/<str:turn_id>/cancel/", turns.cancel_turn, name="chat_turn_cancel"),
    path("conversations/", conversations.ConversationList.as_view(), name="chat_conversations"),
    path(
        "conversations/<str:conversation_id>/",
        conversations.ConversationDetail.as_view(),
        name="chat_conversation",
    ),
    path(
        "conversations/<str:conversation_id>/messages/",
        conversations.MessageList.as_view(),
        name="chat_messages",
    ),
    path(
        "conversations/<str:conversation_id>/restore/",
        conversations.ConversationRestore.as_view(),
        name="chat_restore",
    ),
    path("messages/<str:message_id>/feedback/", conversations.MessageFeedback.as_view(), name="chat_feedback"),
    path("payloads/<str:payload_id>/", payloads.PayloadDetail.as_view(), name="chat_payload"),
    path("payloads/<str:payload_id>/operations/", payloads.PayloadOperations.as_view(), name="chat_operations"),
    path("payloads/<str:payload_id>/preview/", payloads.PayloadPreview.as_view(), name="chat_preview"),
    path("payloads/<str:payload_id>/review/", payloads.PayloadReview.as_view(), name="chat_review"),
    path("payloads/<str:payload_id>/apply/", payloads.PayloadApply.as_view(), name="chat_apply"),
    path("payloads/<str:payload_id>/dismiss/", payloads.PayloadDismiss.as_view(), name="chat_dismiss"),
    path("payloads/<str:payload_id>/undo/", payloads.PayloadUndo.as_view(), name="chat_undo"),
    path("actions/<str:action>/", actions.Action.as_view(), name="chat_action"),
    path("payload-types/", capabilities.PayloadTypeList.as_view(), name="chat_payload_types"),
    path("pages/<str:page>/", capabilities.PageDetail.as_view(), name="chat_page"),
]
