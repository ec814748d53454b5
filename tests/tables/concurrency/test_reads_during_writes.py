"""Who only reads a page waits for nobody who writes: on SQLite a transaction around reads would take its one lock."""
from __future__ import annotations

from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from threading import Event

import pytest
from django.db import connections, transaction

from tables.models import Row
from tests.conftest import Api
from tests.tables.concurrency.threads import SECONDS
from tests.tables.shared_table import make_table

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def somebody_writing() -> Iterator[None]:
    """In a transaction that is open as long as this."""
    begun, over = Event(), Event()

    def write() -> None:
        try:
            with transaction.atomic():
                Row.objects.update(version=7)
                begun.set()
                over.wait(SECONDS)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as thread:
        writing = thread.submit(write)
        try:
            assert begun.wait(SECONDS)
            yield
        finally:
            over.set()
        writing.result()


def test_pages_are_read_while_somebody_writes(api: Api) -> None:
    table = make_table(api).removeprefix("/api")
    pages = ["/tables/", "/tables/?search=jobs", table, f"{table}?search=acme&sort=Company", f"{table}edit/",
             f"{table}history/", f"{table}sharing/", "/profile/", "/tables/import/"]  # fmt: skip
    with somebody_writing():
        assert [api.get(page).status_code for page in pages] == [200] * len(pages)
