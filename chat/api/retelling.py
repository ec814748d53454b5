"""What the application itself has said of a turn, told again in the language of whoever reads it. What is kept, and
what programs read, is English; what the model wrote stays.
"""
from __future__ import annotations

from collections.abc import Callable
from typing import Any

from django.conf import settings
from django.http import HttpRequest
from django.utils import translation

from retold import closing_retold, retold
from user_messages.request_language import reading_language

Json = dict[str, Any]


def retelling_for(request: HttpRequest) -> Callable[[Json], Json] | None:
    """What tells the events of a stream again to whoever asked for it; None where they are read as they are."""
    language = reading_language(request)
    if language == settings.LANGUAGE_CODE:
        return None

    def tell(event: Json) -> Json:
        # Only around each: between two events others speak.
        with translation.override(language):
            return _event_retold(event)

    return tell


def _event_retold(event: Json) -> Json:
    match event["type"]:
        case "text_delta":
            # A sentence that closes an answer comes in one piece.
            return {**event, "text": closing_retold(event["text"])}
        case "error":
            return {**event, "message": retold(event["message"])}
        case "complete":
            payload = event["payload"]
            told = {"message": closing_retold(payload["message"])}
            told |= {"warning": retold(payload["warning"])} if "warning" in payload else {}
            return {**event, "payload": {**payload, **told}}
        case _:
            return event
