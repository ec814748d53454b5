"""Django app of accounts."""
from __future__ import annotations

from django.apps import AppConfig, apps


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from accounts import receivers  # needs the models
        from accounts.sessions import credentials

        credentials.connect()
        receivers.connect()
        if apps.is_installed("tables"):
            from accounts import owned_tables

            owned_tables.connect()
