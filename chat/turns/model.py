"""Chooses the model: the provider the settings name, else the demo model behind the very same client."""
from __future__ import annotations

import logging
from collections.abc import Collection
from typing import TYPE_CHECKING

from django.utils import timezone

from chat.agent.abilities import is_anthropic
from chat.agent.clock import Clock
from chat.engine import Engine
from chat.provider import ChatModel, is_demo, model_named
from chat.selectors.model_checks import known_lacks
from chat.services.model_checks import add_lacks
from chat.turns.database import in_database
from chat.turns.host import Host
from chat.turns.seams import seams

if TYPE_CHECKING:
    from chat.agent.client import AnthropicModel

log = logging.getLogger(__name__)


def demo_answers() -> bool:
    """Whether the demo model answers the turns of this process: it has no provider, so it costs nothing."""
    return seams.transport is None and is_demo()


async def client_of(host: Host, *, name: str, engine: Engine) -> AnthropicModel:
    """Return the host's client for the model of this name. It serves all turns, because creating one is as costly as a
    turn."""
    model = model_named(name)
    limits = (engine.call_seconds, engine.first_token_seconds, engine.retries, engine.retry_seconds)
    wanted = (seams.transport, model, *limits)
    known = host.clients.get(name)
    if known is None or known[0] != wanted:
        lacks = frozenset() if is_anthropic(model.base_url) else await in_database(known_lacks, model)
        known = host.clients[name] = (wanted, make_client(model, engine=engine, clock=host.clock, lacks=lacks))
    client: AnthropicModel = known[1]
    return client


async def keep_learned(client: AnthropicModel, *, name: str, before: Collection[str]) -> None:
    """Store what a turn's calls have found out about the model's server, beside what was known `before`."""
    if client.lacks <= set(before):
        return
    try:
        await in_database(add_lacks, model_named(name), lacks=frozenset(client.lacks), now=timezone.now())
    except Exception:
        # It is only a hint for administrators, and found out again by the next process.
        log.exception("what the model's server lacks could not be stored")


def make_client(model: ChatModel, *, engine: Engine, clock: Clock, lacks: Collection[str] = ()) -> AnthropicModel:
    """Return a new client for the model; `lacks` is what its server is known to lack."""
    # Importing the SDK takes longer than the rest of the project; only processes that run turns need it.
    from chat.agent.client import AnthropicModel

    transport = seams.transport
    if demo_answers():
        # It compiles its grammar and patterns, which no process with a provider needs.
        from chat.demo_model import demo_transport

        transport = demo_transport()
    return AnthropicModel(
        # Servers that need no key still want the header.
        api_key=model.api_key or "not-needed",
        base_url=model.base_url,
        model=model.model,
        transport=transport,
        clock=clock,
        call_seconds=float(engine.call_seconds),
        first_token_seconds=None if is_anthropic(model.base_url) else float(engine.first_token_seconds) or None,
        retries=engine.retries,
        retry_seconds=float(engine.retry_seconds),
        lacks=lacks,
    )
