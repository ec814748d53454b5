"""Clients of the configured models, or of the demo model or a script behind the same client."""
from __future__ import annotations

import logging
from collections.abc import AsyncIterator, Collection, Iterator
from contextlib import asynccontextmanager, contextmanager
from functools import cache
from typing import TYPE_CHECKING, Any

from django.conf import settings
from django.utils import timezone

from chat.agent.client.server_features import is_anthropic
from chat.agent.clock import Clock
from chat.catalogue import Engine
from chat.provider.chat_models import ChatModel
from chat.provider.configured import DEMO_MODEL, SCRIPTED_MODEL, local_model, model_named
from chat.selectors.configuration.model_checks import known_lacks
from chat.services.configuration.model_checks import add_lacks
from chat.turns.database import in_database
from chat.turns.runtime import SharedClient, TurnRuntime

if TYPE_CHECKING:
    from chat.agent.client.anthropic_model import AnthropicModel
    from chat.scripted_model.transport import ReplyTransport

log = logging.getLogger(__name__)


class TransportOverride:
    """For tests: `transport` is an httpx2 transport for all models, or None for the configured ones."""

    def __init__(self) -> None:
        self.transport: Any = None


transport_override = TransportOverride()


@contextmanager
def use_transport(transport: Any) -> Iterator[None]:
    """Use this transport for all models within the block. For tests; the clock is an argument of `TurnRuntime`."""
    before, transport_override.transport = transport_override.transport, transport
    try:
        yield
    finally:
        transport_override.transport = before


def is_local() -> bool:
    """Whether the turns of this process are answered without a provider: by the demo model or a script."""
    return transport_override.transport is None and bool(local_model())


@asynccontextmanager
async def client_of(runtime: TurnRuntime, *, name: str, engine: Engine) -> AsyncIterator[AnthropicModel]:
    """Yield the runtime's client for the model of this name.

    It is shared by all turns, because creating one costs as much as a turn. After a change of the configuration the
    next turn replaces it, and it is closed when no turn uses it.
    """
    model = model_named(name)
    limits = (engine.call_seconds, engine.first_token_seconds, engine.retries, engine.retry_seconds)
    configuration = (transport_override.transport, model, *limits)
    shared = runtime.clients.get(name)
    if shared is None or shared.configuration != configuration or shared.client.lacks:
        # A later check may have found features that the server was known to lack.
        lacks = frozenset() if is_anthropic(model.base_url) else await in_database(known_lacks, model)
        shared = runtime.clients.get(name)
        if shared is not None and shared.configuration == configuration:
            shared.client.lacks = set(lacks)
        else:
            client = make_client(model, engine=engine, clock=runtime.clock, lacks=lacks)
            replaced, shared = shared, SharedClient(configuration, client)
            runtime.clients[name] = shared
            if replaced is not None and not replaced.turns:
                await replaced.client.aclose()
    shared.turns += 1
    try:
        yield shared.client
    finally:
        shared.turns -= 1
        if not shared.turns and runtime.clients.get(name) is not shared:
            await shared.client.aclose()


async def store_learned(client: AnthropicModel, *, name: str, before: Collection[str]) -> None:
    """Store the features that the model's server was found to lack during a turn, except those known `before`.

    These are not stored again, because a check may have cleared them in the meantime.
    """
    learned = client.lacks.difference(before)
    if not learned:
        return
    try:
        await in_database(add_lacks, model_named(name), lacks=learned, now=timezone.now())
    except Exception:
        # A failure is harmless: the next process detects the features again.
        log.exception("could not store the features that the model server lacks")


def demo_model_knows(page: str) -> bool:
    """Return whether the demo model understands requests on this page for which no answers are declared."""
    from chat.demo_model import knows_page  # as in make_client

    return knows_page(page)


def make_client(
    model: ChatModel, *, engine: Engine, clock: Clock, lacks: Collection[str] = (), waits_when_busy: bool = True
) -> AnthropicModel:
    """Return a new client for the model; `lacks` are features that its server is known to lack.

    Without `waits_when_busy` every refusal for lack of capacity is raised.
    """
    # Importing the SDK takes longer than the rest of the project; only processes that run turns need it.
    from chat.agent.client.anthropic_model import AnthropicModel

    transport = transport_override.transport
    if transport is None and local_model() == SCRIPTED_MODEL:
        transport = _script_transport(settings.CHAT_SCRIPT)
    elif transport is None and local_model() == DEMO_MODEL:
        # Imported here, because it compiles patterns that are not needed with a provider.
        from chat.demo_model import demo_transport

        transport = demo_transport(batches=settings.DATA_DIR / "demo_batches")
    return AnthropicModel(
        # Servers that need no key still require the header.
        api_key=model.api_key or "not-needed",
        base_url=model.base_url,
        headers=model.headers,
        model=model.model,
        transport=transport,
        clock=clock,
        call_seconds=float(engine.call_seconds),
        first_token_seconds=None if is_anthropic(model.base_url) else float(engine.first_token_seconds) or None,
        retries=engine.retries,
        retry_seconds=float(engine.retry_seconds),
        lacks=lacks,
        waits_when_busy=waits_when_busy,
    )


@cache
def _script_transport(file: str) -> ReplyTransport:
    """Return the transport of a script. It remembers what it has used, so that there is one per process."""
    from chat.scripted_model.script import ScriptFile
    from chat.scripted_model.transport import ReplyTransport

    return ReplyTransport(ScriptFile(file).answer, model="scripted")
