"""Secrets that stand in links: long enough that nobody guesses one, kept only as a hash."""
from __future__ import annotations

import hashlib
import secrets


def new_token() -> str:
    """256 random bits, as they stand in an address."""
    return secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """What the database keeps. A plain hash is enough: there is nothing to guess in 256 random bits."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
