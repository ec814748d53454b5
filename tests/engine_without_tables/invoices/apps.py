"""Configuration of the application."""
from __future__ import annotations

from django.apps import AppConfig


class InvoicesConfig(AppConfig):
    name = "tests.engine_without_tables.invoices"
    label = "invoices"

    def ready(self) -> None:
        from accounts.owned_data import register_owned_data
        from tests.engine_without_tables.invoices.owned_data import OwnedInvoices

        register_owned_data(OwnedInvoices())
