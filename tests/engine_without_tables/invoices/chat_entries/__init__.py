"""Registry entries of the application. Importing this package registers them."""
from tests.engine_without_tables.invoices.chat_entries import invoices, open_invoices, payments

__all__ = ["invoices", "open_invoices", "payments"]
