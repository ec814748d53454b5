"""Chooses the model: the provider the settings name, else the demo model behind the very same client."""
from __future__ import annotations

from typing import TYPE_CHECKING

from django.conf import settings

from chat.engine import Engine
from chat.provider import is_demo
from chat.turns.host import Host
from chat.turns.seams import seams

if TYPE_CHECKING:
    from chat.agent.client import AnthropicModel


def demo_answers() -> bool:
    """Whether the demo model answers the turns of this process: it has no provider, so it costs nothing."""
    return seams.transport is None and is_demo()


def model_of(host: Host, *, engine: Engine) -> AnthropicModel:
    """Return the host's client. One client serves all of its turns, because creating one is as costly as a turn."""
    # Importing the SDK takes longer than the rest of the project; only processes that run turns need it.
    from chat.agent.abilities import is_anthropic
    from chat.agent.client import AnthropicModel

    transport = seams.transport
    limits = (engine.model, engine.call_seconds, engine.first_token_seconds, engine.retries, engine.retry_seconds)
    wanted = (transport, settings.ANTHROPIC_API_KEY, settings.ANTHROPIC_BASE_URL, *limits)
    if host.client is None or host.client[0] != wanted:
        if demo_answers():
            # It compiles hundreds of patterns, which no process with a provider needs.
            from chat.demo import demo_transport

            transport = demo_transport()
        client = AnthropicModel(
            # Servers that need no key still want the header.
            api_key=settings.ANTHROPIC_API_KEY or "not-needed",
            base_url=settings.ANTHROPIC_BASE_URL,
            model=engine.model,
            transport=transport,
            clock=host.clock,
            call_seconds=float(engine.call_seconds),
            first_token_seconds=(
                None if is_anthropic(settings.ANTHROPIC_BASE_URL) else float(engine.first_token_seconds)
            ),
            retries=engine.retries,
            retry_seconds=float(engine.retry_seconds),
        )
        host.client = (wanted, client)
    model: AnthropicModel = host.client[1]
    return model
