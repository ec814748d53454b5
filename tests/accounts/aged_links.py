"""Signed links with a creation time in the past."""
from __future__ import annotations

import time

from django.core import signing


class _EarlierSigner(signing.TimestampSigner):
    seconds = 0

    def timestamp(self) -> str:
        return signing.b62_encode(int(time.time()) - self.seconds)


def age_link(link: str, *, salt: str, seconds: int) -> str:
    """Return the same link as if it had been created `seconds` ago."""
    before, _, token = link.rstrip("/").rpartition("/")
    signer = _EarlierSigner(salt=salt)
    signer.seconds = seconds
    return f"{before}/{signer.sign_object(signing.loads(token, salt=salt))}/"
