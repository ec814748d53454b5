"""The page of the user's invoices."""
from __future__ import annotations

from chat.page_config import ContextBlock, PageConfig, PageContext, register_page
from tests.engine_without_tables.invoices.models import Invoice


def build_context(context: PageContext) -> ContextBlock:
    """Return the number of invoices."""
    count = Invoice.objects.filter(owner=context.user).count()
    return ContextBlock(text="The user is viewing their invoices.", data={"invoices": count})


register_page(
    PageConfig(
        page="invoices",
        identity="Help the user to keep track of their invoices.",
        context_builder=build_context,
        tools=("open_invoices",),
        payloads=("payments",),
    )
)
