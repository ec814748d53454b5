"""Invoices in the archive of a user's data."""
from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Any

from accounts.owned_data import OwnedData, json_list


class OwnedInvoices(OwnedData):
    """The invoices of a user. They are deleted with the user, by their foreign key."""

    readme = "invoices.json       your invoices\n"

    def files(self, user: Any) -> Iterator[tuple[str, Iterable[str]]]:
        """Yield the file with the invoices."""
        yield "invoices.json", json_list("", user.invoices.values("id", "customer", "paid"), end="")
