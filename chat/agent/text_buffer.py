"""A text that comes in pieces of a few characters, kept as long as what it says."""
from __future__ import annotations


class GrowingText:
    """Takes pieces at its end. A list of them would keep ten times as much for as long as it lives: each piece by
    itself has fifty bytes beside its characters."""

    __slots__ = ("_bytes",)

    def __init__(self) -> None:
        self._bytes = bytearray()

    def add(self, piece: str) -> None:
        """Any characters at all, halves of surrogate pairs too."""
        self._bytes += piece.encode("utf-8", "surrogatepass")

    def __str__(self) -> str:
        return self._bytes.decode("utf-8", "surrogatepass")
