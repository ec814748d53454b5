"""Django app of accounts."""
from __future__ import annotations

from django.apps import AppConfig


class AccountsConfig(AppConfig):
    name = "accounts"

    def ready(self) -> None:
        from accounts import credentials, invitations, sessions  # needs the models

        credentials.connect()
        invitations.connect()
        sessions.connect()
