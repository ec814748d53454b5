"""What is wrong with one value, name or definition; whoever catches it knows the path."""
from __future__ import annotations


class ValueFault(Exception):
    """`code` is stable; `detail` is a sentence that says what would be allowed.

    `part` is where in a definition it is (`default`, `options[2]`), "" for the whole and for values.
    """

    def __init__(self, code: str, detail: str, *, part: str = "") -> None:
        super().__init__(detail)
        self.code = code
        self.detail = detail
        self.part = part

    def at(self, part: str) -> ValueFault:
        """The same fault, of this part of a definition."""
        return ValueFault(self.code, self.detail, part=part)


def shown(value: object, *, most: int = 60) -> str:
    """A value as an error sentence quotes it: short, on one line; what is no text as it stands in JSON."""
    if isinstance(value, dict | list | tuple):
        return "An object" if isinstance(value, dict) else "A list"
    if value is None or isinstance(value, bool):
        return {None: "null", True: "true", False: "false"}[value]
    # Spaces stay as they are: what is refused may be wrong by nothing else.
    said = value if isinstance(value, str) else _digits(value)
    text = "".join(" " if sign.isspace() else sign for sign in said[: most + 1])
    text = text if len(text) <= most else text[: most - 1] + "…"
    return f"“{text}”" if isinstance(value, str) else text


def _digits(value: object) -> str:
    """A number's; Python refuses to write out very long ones."""
    long = isinstance(value, int) and abs(value) >= 10**60
    return "A number of more than 60 digits" if long else str(value)
