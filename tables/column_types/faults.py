"""What is wrong with one value, name or definition; whoever catches it knows the path."""
from __future__ import annotations


class ValueFault(Exception):
    """`code` is stable; `detail` is a sentence that says what would be allowed."""

    def __init__(self, code: str, detail: str) -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail


def shown(value: object, *, most: int = 60) -> str:
    """A value as an error sentence quotes it: short, on one line."""
    text = value if isinstance(value, str) else repr(value)
    text = " ".join(text[: most * 2].split())
    return f"“{text if len(text) <= most else text[: most - 1] + '…'}”"
