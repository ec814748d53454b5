"""A channel layer in Redis whose sockets stay open and can be opened while Redis is unavailable.

Messages are lost meanwhile, also those within a process. Sockets find changes in the database, within two seconds.
"""
from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any

from channels_redis.pubsub import RedisPubSubChannelLayer, RedisPubSubLoopLayer, RedisSingleShardConnection
from redis.asyncio.retry import Retry
from redis.backoff import NoBackoff
from redis.exceptions import RedisError

from chatproject.observability.metrics.definitions import REDIS_DOWN

log = logging.getLogger(__name__)
RECONNECT_SECONDS = 1.0
ERRORS = (RedisError, OSError, asyncio.TimeoutError)


class SharedChannelLayer(RedisPubSubChannelLayer):
    """Channels' publish/subscribe layer. Its methods raise no errors of the connection; an outage is logged once."""

    def __init__(self, **settings: Any) -> None:
        hosts = [{**host, "retry": Retry(NoBackoff(), 0)} for host in settings.pop("hosts")]
        super().__init__(**settings, hosts=hosts)
        self._is_down = False

    async def check(self) -> None:
        """Raise an error if Redis is unavailable. A process without sockets notices an outage only here."""
        try:
            await self._get_layer().connection.check()
        except ERRORS as error:
            self.report_failure(error)
            raise
        self.report_success()

    def report_failure(self, error: BaseException) -> None:
        """Log the beginning of an outage."""
        if not self._is_down:
            self._is_down = True
            REDIS_DOWN.set(1)
            reason = " ".join(str(error).split())
            log.error("Redis is not available; live updates take up to two seconds: %s", reason)

    def report_success(self) -> None:
        """Log the end of an outage."""
        if self._is_down:
            self._is_down = False
            REDIS_DOWN.set(0)
            log.warning("Redis is available again")

    def _get_layer(self) -> LoopLayer:
        loop = asyncio.get_running_loop()
        if loop not in self._layers:
            # Creates the layer of Channels, which arranges that it is closed with its loop.
            super()._get_layer()
            self._layers[loop] = LoopLayer(*self._args, **self._kwargs, channel_layer=self)
        layer: LoopLayer = self._layers[loop]
        return layer


class LoopLayer(RedisPubSubLoopLayer):
    """The layer of one event loop."""

    def __init__(self, hosts: list[dict[str, Any]], *, channel_layer: SharedChannelLayer, **settings: Any) -> None:
        super().__init__(hosts=hosts, channel_layer=channel_layer, **settings)
        self._shards = [Connection(host, self) for host in hosts]

    @property
    def connection(self) -> Connection:
        """The connection to the only server."""
        shard: Connection = self._shards[0]
        return shard


class Connection(RedisSingleShardConnection):
    """A connection that is established again after an outage, with all its subscriptions."""

    def __init__(self, host: dict[str, Any], layer: LoopLayer) -> None:
        super().__init__(host, layer)
        self._owner: SharedChannelLayer = layer.channel_layer
        self._wanted: set[str] = set()
        self._restoring: asyncio.Task[None] | None = None

    async def check(self) -> None:
        """Raise an error if the server does not answer."""
        async with self._lock:
            self._ensure_redis()
            await self._redis.ping()

    async def publish(self, channel: str, message: bytes) -> None:
        await self._use(lambda: self._redis.publish(channel, message))

    async def subscribe(self, channel: str) -> None:
        self._wanted.add(channel)
        await self._use(self._subscribe_to_wanted)

    async def unsubscribe(self, channel: str) -> None:
        self._wanted.discard(channel)
        await self._use(lambda: self._unsubscribe_from(channel))

    async def flush(self) -> None:
        if self._restoring is not None:
            self._restoring.cancel()
            self._restoring = None
        await super().flush()

    async def _use(self, action: Callable[[], Awaitable[Any]]) -> None:
        """Run an action with the connection, or nothing during an outage."""
        async with self._lock:
            if self._restoring is not None:
                return
            try:
                self._ensure_redis()
                await action()
            except ERRORS as error:
                self._lose(error)
            else:
                self._owner.report_success()

    async def _subscribe_to_wanted(self) -> None:
        new = self._wanted - self._subscribed_to
        if new:
            self._ensure_receiver()
            await self._pubsub.subscribe(*new)
            self._subscribed_to |= new

    async def _unsubscribe_from(self, channel: str) -> None:
        if channel in self._subscribed_to:
            await self._pubsub.unsubscribe(channel)
            self._subscribed_to.discard(channel)

    async def _do_receiving(self) -> None:
        try:
            while True:
                if self._pubsub.subscribed:
                    self._receive_message(await self._pubsub.get_message(ignore_subscribe_messages=True, timeout=0.1))
                else:
                    await asyncio.sleep(0.1)
        except Exception as error:
            self._lose(error)

    def _lose(self, error: BaseException) -> None:
        self._owner.report_failure(error)
        if self._restoring is None:
            self._restoring = asyncio.ensure_future(self._restore())

    async def _restore(self) -> None:
        while True:
            await asyncio.sleep(RECONNECT_SECONDS)
            await super().flush()
            async with self._lock:
                try:
                    self._ensure_redis()
                    await self._redis.ping()
                    await self._subscribe_to_wanted()
                except ERRORS:
                    continue
                self._restoring = None
            self._owner.report_success()
            return
