"""Batches of the demo model: the Message Batches API with files in a folder, which all processes of the machine share.

A batch ends ten seconds after its creation. Its answers are computed when they are requested. Its file, which has the
requests, is deleted after a day.
"""
from __future__ import annotations

import json
import re
import time
import uuid
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, Literal

import httpx2

from chat.scripted_model.transport import BATCHES

Json = dict[str, Any]
# Answers the parameters of a call with a message, or with an error.
Answer = Callable[[Json], tuple[Literal["message", "error"], Json]]
WORK_SECONDS = 10.0
KEPT_SECONDS = 24 * 60 * 60.0
BATCH_ID = re.compile(r"msgbatch_[0-9a-f]{32}")


class DemoBatches:
    """The batches in `folder`. `now` returns the seconds since 1970.
    """

    def __init__(self, folder: Path, *, answer: Answer, now: Callable[[], float] = time.time) -> None:
        self._folder, self._answer, self._now = folder, answer, now

    def respond(self, method: str, path: str, body: bytes) -> httpx2.Response:
        """Answer a request about batches."""
        name, _, action = path.partition(BATCHES)[2].strip("/").partition("/")
        if not name:
            return self._create(json.loads(body)["requests"]) if method == "POST" else self._list()
        stored = self._read(name)
        if stored is None:
            error = {"type": "not_found_error", "message": "There is no such batch."}
            return httpx2.Response(404, json={"type": "error", "error": error})
        if action == "cancel" and not self._has_ended(stored):
            stored["cancelled"] = True
            self._write(stored)
        if action == "results":
            return httpx2.Response(200, content=b"".join(self._results(stored)))
        return httpx2.Response(200, json=self._state(stored))

    def _create(self, requests: list[Json]) -> httpx2.Response:
        self._delete_old()
        stored = {
            "id": f"msgbatch_{uuid.uuid4().hex}", "created": self._now(), "requests": requests, "cancelled": False,
        }  # fmt: skip
        self._write(stored)
        return httpx2.Response(200, json=self._state(stored))

    def _list(self) -> httpx2.Response:
        self._delete_old()
        found = [stored for file in self._files() if (stored := self._read(file.stem)) is not None]
        found.sort(key=lambda stored: -stored["created"])
        page = {"data": [self._state(each) for each in found], "has_more": False, "first_id": None, "last_id": None}
        return httpx2.Response(200, json=page)

    def _results(self, stored: Json) -> Iterator[bytes]:
        for request in stored["requests"] if self._has_ended(stored) else ():
            result: Json = {"type": "canceled"}
            if not stored["cancelled"]:
                kind, answered = self._answer(request["params"])
                result = {"type": "succeeded" if kind == "message" else "errored", kind: answered}
            yield json.dumps({"custom_id": request["custom_id"], "result": result}).encode() + b"\n"

    def _state(self, stored: Json) -> Json:
        counts = dict.fromkeys(("processing", "succeeded", "errored", "canceled", "expired"), 0)
        has_ended = self._has_ended(stored)
        ending = "canceled" if stored["cancelled"] else "succeeded"
        counts[ending if has_ended else "processing"] = len(stored["requests"])
        created = datetime.fromtimestamp(stored["created"], UTC).isoformat()
        expires = datetime.fromtimestamp(stored["created"] + KEPT_SECONDS, UTC).isoformat()
        return {
            "id": stored["id"], "type": "message_batch", "request_counts": counts, "created_at": created,
            "processing_status": "ended" if has_ended else "in_progress", "expires_at": expires, "ended_at": None,
            "archived_at": None, "cancel_initiated_at": created if stored["cancelled"] else None, "results_url": None,
        }  # fmt: skip

    def _has_ended(self, stored: Json) -> bool:
        return bool(stored["cancelled"] or self._now() >= stored["created"] + WORK_SECONDS)

    def _files(self) -> list[Path]:
        return [file for file in self._folder.glob("*.json") if BATCH_ID.fullmatch(file.stem)]

    def _read(self, name: str) -> Json | None:
        if not BATCH_ID.fullmatch(name):
            return None
        try:
            stored: Json = json.loads((self._folder / f"{name}.json").read_bytes())
        except FileNotFoundError:
            return None
        return stored

    def _write(self, stored: Json) -> None:
        """Replace the file of a batch, which only the user of the process may read, as it has cells of tables."""
        self._folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        new = self._folder / f"{stored['id']}.{uuid.uuid4().hex}"
        new.touch(mode=0o600, exist_ok=False)
        new.write_text(json.dumps(stored))
        new.replace(self._folder / f"{stored['id']}.json")

    def _delete_old(self) -> None:
        for file in self._files():
            try:
                if file.stat().st_mtime < self._now() - KEPT_SECONDS:
                    file.unlink()
            except FileNotFoundError:
                continue  # another process has deleted it
