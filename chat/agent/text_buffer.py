"""Text that arrives in pieces of a few characters."""
from __future__ import annotations


class TextBuffer:
    """Text that grows at its end, stored as bytes.

    A list of the pieces would use ten times the memory: each string has an overhead of about fifty bytes.
    """

    __slots__ = ("_bytes",)

    def __init__(self) -> None:
        self._bytes = bytearray()

    def add(self, piece: str) -> None:
        """Append any characters, including single surrogates."""
        self._bytes += piece.encode("utf-8", "surrogatepass")

    def __str__(self) -> str:
        return self._bytes.decode("utf-8", "surrogatepass")
