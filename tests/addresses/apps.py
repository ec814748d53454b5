"""Registers the type when the application is ready."""
from __future__ import annotations

from django.apps import AppConfig


class AddressesConfig(AppConfig):
    name = "tests.addresses"
    label = "addresses"

    def ready(self) -> None:
        from tables.column_types import register_column_type
        from tests.tables.column_types.email_type import Email

        register_column_type(Email(), script="addresses/email_type.js")
