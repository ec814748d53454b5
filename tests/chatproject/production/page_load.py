"""Users who work continuously and retry failed requests, as the scripts of the pages do."""
from __future__ import annotations

import json
import threading
from collections.abc import Callable
from http.client import HTTPException
from typing import Any
from uuid import uuid4

from tests.chat.stream_client import STREAM, Browser, turn_body
from tests.chatproject.production.cluster import PATIENCE

Json = dict[str, Any]
# Failures that a page retries: a broken connection, or a proxy without a server.
BROKEN = (OSError, HTTPException)
UNAVAILABLE = {502, 503, 504}
LIST = {"current_page": "tables_list"}
FINAL_EVENTS = {"complete", "error", "cancelled"}
# Seconds between two requests of a user. More requests would only slow down the restarting servers.
PAUSE = 0.3
# Stays below the limit of 1,000 turns a minute on a fast machine.
MAX_TURNS = 300


class Load:
    """Write rows, read them and talk to the assistant concurrently until the block ends.

    `browser` creates a browser; `rows` has the names of all written rows, `final_events` those of turns.
    """

    def __init__(self, browser: Callable[[], Browser], *, table_id: int) -> None:
        self.rows: list[str] = []
        self.final_events: list[Json] = []
        self.errors: list[str] = []
        self._rows = f"/api/tables/{table_id}/rows/"
        self._stopped = threading.Event()
        self._progress = threading.Condition()
        # Browsers are created here, because the threads have no database connection.
        jobs = [(job, browser()) for job in (self._write, self._write, self._read, self._talk)]
        self._done = [0] * len(jobs)
        self._threads = [
            threading.Thread(target=self._work, args=(number, *job), daemon=True) for number, job in enumerate(jobs)
        ]

    def __enter__(self) -> Load:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._stopped.set()
        for thread in self._threads:
            thread.join(PATIENCE)
            assert not thread.is_alive()

    def wait_for_progress(self) -> None:
        """Return when each thread has started and finished a job since this call."""
        with self._progress:
            # The current job may have started earlier, so that two jobs have to end.
            expected = [done + 2 for done in self._done]

            def progressed() -> bool:
                return all(done >= count for done, count in zip(self._done, expected, strict=True))

            in_time = self._progress.wait_for(lambda: self.errors or progressed(), PATIENCE)
        assert in_time, "no progress"
        assert self.errors == []

    def _work(self, number: int, job: Callable[[Browser, int], None], browser: Browser) -> None:
        try:
            while not self._stopped.is_set():
                job(browser, number)
                with self._progress:
                    self._done[number] += 1
                    self._progress.notify_all()
                self._stopped.wait(PAUSE)
        except Exception as error:
            with self._progress:
                self.errors.append(f"{job.__name__}: {error!r}")
                self._progress.notify_all()

    def _write(self, browser: Browser, number: int) -> None:
        name = f"{number}.{self._done[number]}"
        key = {"Idempotency-Key": str(uuid4())}
        while True:
            try:
                with browser.open("POST", self._rows, {"Company": name}, **key) as response:
                    status, content = response.response.status, response.response.read()
                if status not in UNAVAILABLE:
                    break
            except BROKEN:
                pass
            self._stopped.wait(PAUSE)
        assert status == 201, content
        self.rows.append(name)

    def _read(self, browser: Browser, number: int) -> None:
        # Not retried: the proxy sends reads to the other server when one is down.
        status, response, _ = browser.request("GET", f"{self._rows}?limit=10")
        assert status == 200, response

    def _talk(self, browser: Browser, number: int) -> None:
        if len(self.final_events) >= MAX_TURNS:
            self._read(browser, number)
            return
        body = turn_body("Hello", context=LIST)
        events: list[tuple[int, Json]] = []
        while not events or events[-1][1]["type"] not in FINAL_EVENTS:
            url = f"/api/chat/turns/{events[0][1]['turn_id']}/stream/?after={events[-1][0]}" if events else STREAM
            try:
                with browser.open("GET" if events else "POST", url, None if events else body) as stream:
                    if stream.response.status in UNAVAILABLE:
                        self._stopped.wait(PAUSE)
                        continue
                    assert stream.response.status == 200, stream.response.read()
                    for event in stream:
                        events += [(stream.last_id, event)]
            except BROKEN:
                self._stopped.wait(PAUSE)
        assert [seq for seq, _ in events] == list(range(1, len(events) + 1)), json.dumps(events)
        self.final_events.append(events[-1][1])

