"""Starts the chat: the catalogue declares its entries, then every other app's `chat_entries`."""
from __future__ import annotations

from importlib import import_module

from django.apps import AppConfig
from django.utils.module_loading import autodiscover_modules


class ChatConfig(AppConfig):
    name = "chat"

    def ready(self) -> None:
        from chat.consumers import announcing

        announcing.connect()
        for part in ("tools", "payloads", "pages", "checks"):
            import_module(f"chat.{part}")
        autodiscover_modules("chat_entries")
