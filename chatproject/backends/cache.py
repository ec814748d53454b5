"""A cache in Redis that falls back to the memory of the process while Redis is unavailable."""
from __future__ import annotations

import json
import logging
import time
from collections.abc import Callable
from typing import Any, ClassVar

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.backoff import NoBackoff
from redis.exceptions import RedisError
from redis.retry import Retry

from chatproject.config.environment import MAX_LOCAL_ENTRIES

log = logging.getLogger(__name__)
# After an error Redis is not used for this long.
RETRY_AFTER_SECONDS = 5.0


class JsonSerializer:
    """Stores values as JSON, because reading pickles can run code."""

    def dumps(self, value: Any) -> Any:
        return value if type(value) is int else json.dumps(value)

    def loads(self, stored: Any) -> Any:
        return json.loads(stored)


class SharedCache(RedisCache):
    """Django's Redis cache with a fallback if Redis is down, slow, full or read-only."""

    now: Callable[[], float] = staticmethod(time.monotonic)
    # By server: until when it is not used. Shared by the cache objects of all threads.
    _unavailable_until: ClassVar[dict[str, float]] = {}

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        options = {"serializer": JsonSerializer, "retry": Retry(NoBackoff(), 0), **params.get("OPTIONS", {})}
        super().__init__(server, {**params, "OPTIONS": options})
        self._server = str(server)
        self._fallback = LocMemCache("fallback", {"max_entries": MAX_LOCAL_ENTRIES})

    def add(self, key: Any, value: Any, timeout: Any = None, version: Any = None) -> Any:
        return self._try("add", super().add, key, value, timeout, version)

    def get(self, key: Any, default: Any = None, version: Any = None) -> Any:
        return self._try("get", super().get, key, default, version)

    def set(self, key: Any, value: Any, timeout: Any = None, version: Any = None) -> Any:
        return self._try("set", super().set, key, value, timeout, version)

    def delete(self, key: Any, version: Any = None) -> Any:
        return self._try("delete", super().delete, key, version)

    def _try(self, name: str, call: Callable[..., Any], *args: Any) -> Any:
        if self.now() >= self._unavailable_until.get(self._server, 0.0):
            try:
                result = call(*args)
                self._unavailable_until.pop(self._server, None)
                return result
            except RedisError as error:
                if self._server not in self._unavailable_until:
                    log.warning("limits are counted by each process without Redis: %s", " ".join(str(error).split()))
                self._unavailable_until[self._server] = self.now() + RETRY_AFTER_SECONDS
        return getattr(self._fallback, name)(*args)
