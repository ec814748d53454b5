"""Translation of the application's messages in stream events.

Stored events, and those for API clients, are in English. Text by the model is not translated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils import translation

from shared.user_messages.rendering import localize_closing, stored_text
from shared.user_messages.request_language import response_language

Json = dict[str, Any]


def localizer_for(request: HttpRequest) -> Callable[[Json], Json] | None:
    """Return a function that translates an event for the user of the request; None if their language is English."""
    language = response_language(request)
    if language == settings.LANGUAGE_CODE:
        return None

    def localize(event: Json) -> Json:
        # Per event, because other requests run on this thread between two events.
        with translation.override(language):
            return _localized(event)

    return localize


def _localized(event: Json) -> Json:
    match event["type"]:
        case "text_delta" if "closing" in event:
            return {**event, "text": localize_closing(event["text"], closing=event["closing"])}
        case "status" | "error":
            stored = {"code": event.get("message_code"), "params": event.get("params")}
            return {**event, "message": stored_text(stored, text=event["message"])}
        case "complete":
            return {**event, "payload": _localized_payload(event["payload"])}
        case _:
            return event


def _localized_payload(payload: Json) -> Json:
    message = localize_closing(payload["message"], closing=payload.get("closing"))
    if "warning" not in payload:
        return {**payload, "message": message}
    warning = stored_text(payload.get("warning_coded"), text=payload["warning"])
    return {**payload, "message": message, "warning": warning}
