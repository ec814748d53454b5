"""The cache in Redis, which is a cache of this process while Redis is away: limits count on, and users sign in."""
from __future__ import annotations

import logging
from collections.abc import Callable
from typing import Any

from django.core.cache.backends.locmem import LocMemCache
from django.core.cache.backends.redis import RedisCache
from redis.exceptions import ConnectionError as NoConnection
from redis.exceptions import TimeoutError as NoAnswer

log = logging.getLogger(__name__)


class SharedCache(RedisCache):
    """Django's cache in Redis with a fallback."""

    def __init__(self, server: Any, params: dict[str, Any]) -> None:
        super().__init__(server, params)
        self._fallback = LocMemCache("fallback", {})

    def add(self, key: Any, value: Any, timeout: Any = None, version: Any = None) -> Any:
        return self._try("add", super().add, key, value, timeout, version)

    def get(self, key: Any, default: Any = None, version: Any = None) -> Any:
        return self._try("get", super().get, key, default, version)

    def set(self, key: Any, value: Any, timeout: Any = None, version: Any = None) -> Any:
        return self._try("set", super().set, key, value, timeout, version)

    def delete(self, key: Any, version: Any = None) -> Any:
        return self._try("delete", super().delete, key, version)

    def _try(self, name: str, call: Callable[..., Any], *args: Any) -> Any:
        try:
            return call(*args)
        except (NoConnection, NoAnswer) as error:
            log.warning("Redis is away: %s", " ".join(str(error).split()))
            return getattr(self._fallback, name)(*args)
