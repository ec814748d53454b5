"""The catalogue as it is now: the code's entries, the settings' limits."""
from __future__ import annotations

from dataclasses import replace

from django.conf import settings

from chat.catalogue import CODE, Catalogue
from chat.engine import Engine


def current_catalogue() -> Catalogue:
    """What a turn that begins now goes by."""
    return replace(CODE, engine=engine_of_settings())


def engine_of_settings() -> Engine:
    """The limits as the environment sets them."""
    return Engine().with_values(
        {
            "model": settings.CHAT_MODEL,
            "max_tokens": settings.CHAT_MAX_TOKENS,
            "max_iterations": settings.CHAT_MAX_ITERATIONS,
            "max_tool_calls": settings.CHAT_MAX_TOOL_CALLS,
            "call_seconds": settings.CHAT_CALL_SECONDS,
            "turn_seconds": settings.CHAT_TURN_SECONDS,
            "context_tokens": settings.CHAT_CONTEXT_TOKENS,
            "tokens_a_day": settings.CHAT_TOKENS_A_DAY,
            "turns_a_minute": settings.CHAT_TURNS_A_MINUTE,
            "streams_a_user": settings.CHAT_STREAMS_A_USER,
        }
    )
