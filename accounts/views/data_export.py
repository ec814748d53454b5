"""Download of the archive of a user's data."""
from __future__ import annotations

from collections.abc import Iterator
from tempfile import TemporaryFile
from typing import IO, Any

from django.conf import settings
from django.contrib.auth.decorators import login_required
from django.core.handlers.asgi import ASGIRequest
from django.http import HttpRequest, HttpResponse, HttpResponseBase, StreamingHttpResponse
from django.shortcuts import render
from django.utils import timezone
from django.views.decorators.cache import never_cache
from django.views.decorators.http import require_POST

from accounts.data_export import write_own_data
from accounts.exceptions import TooMany
from accounts.rate_limits import count_download
from shared.websockets.clock import SYSTEM_CLOCK
from shared.websockets.credentials import credential_of, is_valid
from shared.websockets.file_stream import CHUNK, FileStream


@never_cache
@login_required
@require_POST
def own_data(request: HttpRequest) -> HttpResponseBase:
    """Return the archive. It is written to a temporary file first, so that a failure is answered by an error page."""
    now, checked_at = timezone.now(), SYSTEM_CLOCK.monotonic()
    try:
        count_download(request.user, now=now)
    except TooMany as error:
        return _too_often(request, error)
    # DATA_DIR is not in memory, as /tmp may be.
    file = TemporaryFile(dir=settings.DATA_DIR)  # noqa: SIM115  the answer reads it, and closes it at its end
    try:
        write_own_data(file, user=request.user, now=now)
        size = file.tell()
        file.seek(0)
    except BaseException:
        file.close()
        raise
    credential = credential_of(request, user=request.user)
    stream = FileStream(file, has_access=lambda: is_valid(credential), clock=SYSTEM_CLOCK, checked_at=checked_at)
    # Under ASGI a synchronous iterator would be read completely before the first byte is sent.
    pieces: Any = stream if isinstance(request, ASGIRequest) else _read(file)
    name = f"table-chat-{now:%Y-%m-%d}.zip"
    return _FromFile(
        pieces,
        file=file,
        content_type="application/zip",
        headers={"Content-Disposition": f'attachment; filename="{name}"', "Content-Length": str(size)},
    )


class _FromFile(StreamingHttpResponse):
    """A response that closes its file at the end, also if the client disconnects."""

    def __init__(self, pieces: Any, *, file: IO[bytes], **options: Any) -> None:
        super().__init__(pieces, **options)
        self._file = file

    def close(self) -> None:
        super().close()
        self._file.close()


def _read(file: IO[bytes]) -> Iterator[bytes]:
    while piece := file.read(CHUNK):
        yield piece


def _too_often(request: HttpRequest, error: TooMany) -> HttpResponse:
    wait = error.extra["retry_after"]
    response = render(request, "accounts/too_often.html", {"wait": wait}, status=429)
    response["Retry-After"] = str(wait)
    return response
