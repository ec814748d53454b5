"""App config, which imports the catalogue and the `chat_entries` of other apps."""
from __future__ import annotations

from importlib import import_module

from django.apps import AppConfig, apps
from django.utils.module_loading import autodiscover_modules


class ChatConfig(AppConfig):
    name = "chat"

    def ready(self) -> None:
        from chat.consumers.chat_socket import connect_signals

        connect_signals()
        table_application = ("payloads", "pages") if apps.is_installed("tables") else ()
        for part in ("tools", *table_application, "checks"):
            import_module(f"chat.{part}")
        autodiscover_modules("chat_entries")
