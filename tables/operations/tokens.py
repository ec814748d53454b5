"""Random tokens for links. Only their hashes are stored."""
from __future__ import annotations

import hashlib
import secrets


def new_token() -> str:
    """Return 256 random bits, URL-safe."""
    return secrets.token_urlsafe(32)


def token_hash(token: str) -> str:
    """Return the stored hash. It needs no salt, because 256 random bits cannot be guessed."""
    return hashlib.sha256(token.encode("utf-8", "surrogatepass")).hexdigest()
