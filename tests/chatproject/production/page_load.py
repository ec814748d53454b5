"""People who work all the time, each as the scripts of our pages do it: what was asked for is never given up."""
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
# What a page tries again: a connection that broke, or a proxy that found nobody.
BROKEN = (OSError, HTTPException)
AWAY = {502, 503, 504}
LIST = {"current_page": "tables_list"}
ENDINGS = {"complete", "error", "cancelled"}
# Between two requests of a person. More requests would only take the processor from the servers that restart.
PAUSE = 0.1
# However quick a machine is: in a minute nobody may ask for more than a thousand.
MOST_TURNS = 300


class Load:
    """Somebody writes rows, somebody reads them, somebody talks to the assistant, all at once, until the block ends.

    `browser` makes a browser; `rows` are the names of all rows that were written, `answers` the final events of turns.
    """

    def __init__(self, browser: Callable[[], Browser], *, table_id: int) -> None:
        self.rows: list[str] = []
        self.answers: list[Json] = []
        self.troubles: list[str] = []
        self._rows = f"/api/tables/{table_id}/rows/"
        self._over = threading.Event()
        self._moved = threading.Condition()
        # Made here: those at work have no database of their own.
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
        self._over.set()
        for thread in self._threads:
            thread.join(PATIENCE)
            assert not thread.is_alive()

    def moves_on(self) -> None:
        """Returns when each of them has begun and done something since."""
        with self._moved:
            # What they are at just now, they may have begun before.
            wanted = [done + 2 for done in self._done]

            def moved() -> bool:
                return all(done >= most for done, most in zip(self._done, wanted, strict=True))

            there = self._moved.wait_for(lambda: self.troubles or moved(), PATIENCE)
        assert there, "nothing moves"
        assert self.troubles == []

    def _work(self, number: int, job: Callable[[Browser, int], None], browser: Browser) -> None:
        try:
            while not self._over.is_set():
                job(browser, number)
                with self._moved:
                    self._done[number] += 1
                    self._moved.notify_all()
                self._over.wait(PAUSE)
        except Exception as error:
            with self._moved:
                self.troubles.append(f"{job.__name__}: {error!r}")
                self._moved.notify_all()

    def _write(self, browser: Browser, number: int) -> None:
        name = f"{number}.{self._done[number]}"
        key = {"Idempotency-Key": str(uuid4())}
        while True:
            try:
                with browser.open("POST", self._rows, {"Company": name}, **key) as answer:
                    status, said = answer.response.status, answer.response.read()
                if status not in AWAY:
                    break
            except BROKEN:
                pass
            self._over.wait(PAUSE)
        assert status == 201, said
        self.rows.append(name)

    def _read(self, browser: Browser, number: int) -> None:
        # Tried once: the proxy itself asks another process where one is gone, for reading twice does no harm.
        status, answer, _ = browser.request("GET", f"{self._rows}?limit=10")
        assert status == 200, answer

    def _talk(self, browser: Browser, number: int) -> None:
        if len(self.answers) >= MOST_TURNS:
            self._read(browser, number)
            return
        body = turn_body("Hello", context=LIST)
        seen: list[tuple[int, Json]] = []
        while not seen or seen[-1][1]["type"] not in ENDINGS:
            at = f"/api/chat/turns/{seen[0][1]['turn_id']}/stream/?after={seen[-1][0]}" if seen else STREAM
            try:
                with browser.open("GET" if seen else "POST", at, None if seen else body) as stream:
                    if stream.response.status in AWAY:
                        self._over.wait(PAUSE)
                        continue
                    assert stream.response.status == 200, stream.response.read()
                    for event in stream:
                        seen += [(stream.last_id, event)]
            except BROKEN:
                self._over.wait(PAUSE)
        assert [seq for seq, _ in seen] == list(range(1, len(seen) + 1)), json.dumps(seen)
        self.answers.append(seen[-1][1])

