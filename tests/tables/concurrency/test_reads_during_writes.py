"""Reading pages does not wait for writers; on SQLite a transaction around reads would take the write lock."""
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
def open_write_transaction() -> Iterator[None]:
    """Hold a transaction with a write open."""
    started, finished = Event(), Event()

    def write() -> None:
        try:
            with transaction.atomic():
                Row.objects.update(version=7)
                started.set()
                finished.wait(SECONDS)
        finally:
            connections.close_all()

    with ThreadPoolExecutor(1) as thread:
        writing = thread.submit(write)
        try:
            assert started.wait(SECONDS)
            yield
        finally:
            finished.set()
        writing.result()


def test_reads_do_not_wait_for_writers(api: Api) -> None:
    table = make_table(api).removeprefix("/api")
    pages = ["/tables/", "/tables/?search=jobs", table, f"{table}?search=acme&sort=Company", f"{table}edit/",
             f"{table}history/", f"{table}sharing/", "/profile/", "/tables/import/"]  # fmt: skip
    with open_write_transaction():
        assert [api.get(page).status_code for page in pages] == [200] * len(pages)
