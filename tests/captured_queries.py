"""Queries of a request, without those that are sent once a minute."""
from __future__ import annotations

from django.db import connection
from django.test.utils import CaptureQueriesContext


class CapturedQueries(CaptureQueriesContext):
    """Queries sent in a `with CapturedQueries() as queries:` block, without those that count the caller's requests.

    Requests are counted by the minute and written together, so the first request of a minute sends two more queries.
    """

    def __init__(self) -> None:
        super().__init__(connection)

    @property
    def captured_queries(self) -> list[dict[str, str]]:
        return [query for query in super().captured_queries if "accounts_requestcount" not in query["sql"]]
