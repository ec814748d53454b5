"""A table with 100,000 rows, for tests of what must not depend on the number of rows."""
from __future__ import annotations

from typing import Any

from playwright.sync_api import Browser

from tests.browser.app_process import RunningApp
from tests.browser.small_table import create_small_table

COUNT = 100_000
FILL = """
from django.db import transaction
from django.utils import timezone
from tables.models import Table
from tables.selectors import table_shape
from tables.services.pipeline.row_writing import insert_rows
table = Table.objects.get(pk={table})
columns = table_shape(table).columns
company, status, salary = (column.id for column in columns[:3])
def cells(n):
    return {{company: f"C {{n}}", status: "Applied" if n % 1000 else "Offer", salary: n}}
with transaction.atomic():
    for start in range(0, {count}, 10_000):
        rows = [cells(n) for n in range(start, min(start + 10_000, {count}))]
        insert_rows(table, rows, columns=columns, user=table.owner, now=timezone.now())
    table.counted_rows, table.counted_version = {count}, table.version
    table.save()
"""


def create_large_table(app: RunningApp, *, cookies: list[Any], browser: Browser, count: int = COUNT) -> str:
    """Create a table for the user of the cookies, with rows "C 0", "C 1" and so on; return its URL."""
    context = browser.new_context()
    context.add_cookies(cookies)
    address = create_small_table(context, app, rows=[])
    context.close()
    app.manage("shell", "--no-imports", "-c", FILL.format(table=address.rstrip("/").split("/")[-1], count=count))
    return address
