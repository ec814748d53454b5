"""Chooses the model: the provider the settings name, else the demo model behind the very same client."""
from __future__ import annotations

from django.conf import settings

from chat.agent.client import AnthropicModel
from chat.demo import demo_transport
from chat.engine import Engine
from chat.turns.host import Host
from chat.turns.seams import seams


def is_demo() -> bool:
    """Whether the demo model answers: neither a key nor a server is configured."""
    return not (settings.ANTHROPIC_API_KEY or settings.ANTHROPIC_BASE_URL)


def model_of(host: Host, *, engine: Engine) -> AnthropicModel:
    """The host's client; one serves all of its turns, for a client costs as much as a turn's other work."""
    transport = seams.transport
    limits = (engine.model, engine.call_seconds, engine.retries, engine.retry_seconds)
    wanted = (transport, settings.ANTHROPIC_API_KEY, settings.ANTHROPIC_BASE_URL, *limits)
    if host.client is None or host.client[0] != wanted:
        if transport is None and is_demo():
            transport = demo_transport()
        client = AnthropicModel(
            # Servers that need no key still want the header.
            api_key=settings.ANTHROPIC_API_KEY or "not-needed",
            base_url=settings.ANTHROPIC_BASE_URL,
            model=engine.model,
            transport=transport,
            clock=host.clock,
            call_seconds=float(engine.call_seconds),
            retries=engine.retries,
            retry_seconds=float(engine.retry_seconds),
        )
        host.client = (wanted, client)
    model: AnthropicModel = host.client[1]
    return model
