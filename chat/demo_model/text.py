"""English text: courtesy, comparison of names, lists, numbers, and text that is safe in an answer."""

import re
import unicodedata

_QUOTED = re.compile(r"\"(.*)\"|“(.*)”|„(.*)[“”]|'(.*)'|‘(.*)’|`(.*)`", re.DOTALL)
_LEAD = re.compile(
    r"(?:please|pls|ok(?:ay)?|now|then|so|also|just|thanks|hi|hello|hey|(?:could|can|would|will) (?:you|we)"
    r"|i(?:'d| would) (?:like|love)(?: you)? to|i (?:want|need)(?: you)? to|let's|go ahead and|help me(?: to)?)"
    r"(?![\w'-])[\s,!:…-]*(?=\S)",
    re.IGNORECASE,
)
_TAIL = re.compile(r"(?:[\s,.!?…]+(?:please|pls|thanks|thank you|for me|right now))?[\s.!?…]*$", re.IGNORECASE)
_SMALL_NUMBERS = "zero one two three four five six seven eight nine ten eleven twelve".split()
COUNTS = {word: at for at, word in enumerate(_SMALL_NUMBERS)} | {"twenty": 20, "fifty": 50, "hundred": 100, "some": 5}
ORDINALS = {word: at for at, word in enumerate("first second third fourth fifth sixth".split(), start=1)}
NUMBER = r"[+-]?[$€£]?(?:\d{1,3}(?:,\d{3})+|\d+)(?:\.\d+)?[kKmM]?[€$£%]?"


def match(pattern: str, text: str) -> re.Match[str] | None:
    """Return the match of a pattern with the whole text, whatever its case."""
    return re.fullmatch(pattern, text, re.IGNORECASE)


def squeeze(text: str) -> str:
    """Return the text on one line with single spaces."""
    return " ".join(text.split())


def unquote(text: str) -> str:
    """Return the text without one pair of quotation marks around the whole."""
    found = _QUOTED.fullmatch(text.strip())
    return next(part for part in found.groups() if part is not None).strip() if found else text.strip()


def key(text: str) -> str:
    """Return what two spellings of one name have in common."""
    return squeeze(unicodedata.normalize("NFKC", unquote(text))).casefold()


def bare(text: str) -> str:
    """Return a request without courtesy and closing punctuation, or the text itself if nothing else is left."""
    text = squeeze(text.replace("’", "'"))
    rest = _TAIL.sub("", text, count=1)
    while found := _LEAD.match(rest):
        rest = rest[found.end() :]
    return rest or text


def without_article(text: str) -> str:
    """Return the text without a leading article."""
    return re.sub(r"^(?:the|my|our|an?|its?|their|new|another)\s+", "", text, flags=re.IGNORECASE).strip()


def singular(word: str) -> str:
    """Return the singular of an English noun, by rule."""
    if found := match(r"(.{2,})ies", word):
        return word[:-1] if key(word) in ("movies", "series") else f"{found[1]}y"
    if match(r".*(?:ss|sh|ch|x|us)es", word):
        return word[:-2]
    return word[:-1] if match(r".{2,}[^suis]s", word) else word


def title(text: str) -> str:
    """Return the text with a capital at the start of each word; words with capitals of their own stay as they are."""
    special = {"id": "ID", "url": "URL", "of": "of", "the": "the", "for": "for", "in": "in"}
    return " ".join(special.get(word) or word[:1].upper() + word[1:] for word in squeeze(text).split(" "))


def number(text: str) -> float | int | None:
    """Return the number that a text writes ("1,200", "80k", "$95,000", "twelve"), or None."""
    folded = key(text)
    if not re.fullmatch(NUMBER, text.strip()):
        return COUNTS.get(folded) if folded != "some" else None
    digits = re.sub(r"[,$€£%\s]", "", folded)
    value = float(digits.rstrip("km")) * {"k": 1_000, "m": 1_000_000}.get(digits[-1:], 1)
    return int(value) if value == int(value) else value


def count(text: str) -> int | None:
    """Return how many a text says ("8", "ten", "some"), or None."""
    return int(text) if text.isascii() and text.isdigit() else COUNTS.get(key(text))


def split_list(text: str) -> list[str]:
    """Return the items of "a, b (x, y) and c"; what is in brackets or quotation marks is not split."""
    parts = re.split(r"(\([^)]*\)|\"[^\"]*\"|“[^”]*”)", text)
    stop = re.compile(r"\s*[,;]\s*(?:(?:and|or)\s+)?|\s+(?:and|or|&)\s+")
    marked = "".join(part if at % 2 else stop.sub("\0", part) for at, part in enumerate(parts))
    return [item for part in marked.split("\0") if (item := squeeze(part).strip(" .;,"))]


def and_list(items: list[str]) -> str:
    """Return "a, b and c"."""
    return f"{', '.join(items[:-1])} and {items[-1]}" if len(items) > 1 else "".join(items)


def shown(value: object, *, limit: int = 80) -> str:
    """Return data as it may be part of an answer: one line, bounded, without Markdown or the start of an element."""
    if isinstance(value, int | float):
        return f"{value:,}" if not isinstance(value, bool) else "yes" if value else "no"
    text = squeeze(re.sub(r"[`*\[\]{}<>|#\\]", " ", squeeze(str(value))))
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def counted(number: int, noun: str = "row") -> str:
    """Return "1 row" or "3 rows"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
