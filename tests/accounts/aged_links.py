"""Links that were made a while ago."""
from __future__ import annotations

import time

from django.core import signing


class _Earlier(signing.TimestampSigner):
    seconds = 0

    def timestamp(self) -> str:
        return signing.b62_encode(int(time.time()) - self.seconds)


def made_earlier(link: str, *, salt: str, seconds: int) -> str:
    """The same link as if it had been made so many seconds ago."""
    before, _, token = link.rstrip("/").rpartition("/")
    signer = _Earlier(salt=salt)
    signer.seconds = seconds
    return f"{before}/{signer.sign_object(signing.loads(token, salt=salt))}/"
