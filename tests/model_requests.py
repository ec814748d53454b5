"""What a request asks of the database; the number is the same in every second of every minute."""
from __future__ import annotations

from django.db import connection
from django.test.utils import CaptureQueriesContext


class Asked(CaptureQueriesContext):
    """The statements that were sent inside of `with Asked() as asked:`, without those that count the caller's calls.

    Calls are counted by the minute and many at once: whichever request is the first of a minute sends two statements
    more than all others, and they are none of the door's.
    """

    def __init__(self) -> None:
        super().__init__(connection)

    @property
    def captured_queries(self) -> list[dict[str, str]]:
        return [query for query in super().captured_queries if "accounts_callcount" not in query["sql"]]
