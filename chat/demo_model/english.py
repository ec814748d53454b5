"""English text: polite phrases, names, lists, numbers and dates, and values in answers."""

import re
import unicodedata
from calendar import monthrange
from datetime import date, timedelta

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
Span = tuple[date, date]
_MONTHS = "jan feb mar apr may jun jul aug sep oct nov dec".split()
_MONTH = (
    r"(?P<month>january|february|march|april|may|june|july|august|september|october|november|december"
    r"|(?:jan|feb|mar|apr|jun|jul|aug|sept?|oct|nov|dec)\.?)"
)
_COUNT = rf"(?P<count>\d{{1,4}}|an?|{'|'.join(COUNTS)})"
_UNIT = r"(?P<unit>day|week|month|year)s?"
_YEAR = r"(?:,?\s+(?P<year>(?:19|20)\d\d))?"
_PATTERNS = tuple(
    re.compile(rf"(?<!\w){pattern}(?!\w)", re.IGNORECASE)
    for pattern in (
        r"(?P<iso>\d{4}-\d\d-\d\d)",
        rf"{_MONTH}\s+(?P<day>\d{{1,2}})(?:st|nd|rd|th)?{_YEAR}",
        rf"(?P<day>\d{{1,2}})(?:st|nd|rd|th)?\.?\s+(?:of\s+)?{_MONTH}{_YEAR}",
        rf"{_MONTH}{_YEAR}",
        r"(?P<named>today|yesterday|tomorrow)",
        r"(?P<which>this|last|next)\s+(?P<single>week|month|year)",
        rf"(?:the\s+)?(?P<span>last|past|next)\s+{_COUNT}\s+{_UNIT}",
        rf"{_COUNT}\s+{_UNIT}\s+ago",
    )
)
_AGE = re.compile(rf"(older|newer|younger)\s+than\s+{_COUNT}\s+{_UNIT}(?:\s+(?:ago|old))?(?!\w)", re.IGNORECASE)


def match(pattern: str, text: str) -> re.Match[str] | None:
    """Return the match of a pattern with the whole text, whatever its case."""
    return re.fullmatch(pattern, text, re.IGNORECASE)


def collapse_spaces(text: str) -> str:
    """Return the text on one line with single spaces."""
    return " ".join(text.split())


def unquote(text: str) -> str:
    """Return the text without one pair of quotation marks around the whole."""
    found = _QUOTED.fullmatch(text.strip())
    return next(part for part in found.groups() if part is not None).strip() if found else text.strip()


def normalize(text: str) -> str:
    """Return a name in the form in which it is compared: unquoted, in NFKC, casefolded, with single spaces."""
    return collapse_spaces(unicodedata.normalize("NFKC", unquote(text))).casefold()


def strip_courtesy(text: str) -> str:
    """Return a request without polite phrases and final punctuation, or the text itself if nothing else is left."""
    text = collapse_spaces(text.replace("’", "'"))
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
        return word[:-1] if normalize(word) in ("movies", "series") else f"{found[1]}y"
    if match(r".*(?:ss|sh|ch|x|us)es", word):
        return word[:-2]
    return word[:-1] if match(r".{2,}[^suis]s", word) else word


def title(text: str) -> str:
    """Return the text with a capital at the start of each word; words with other capitals do not change."""
    special = {"id": "ID", "url": "URL", "of": "of", "the": "the", "for": "for", "in": "in"}
    return " ".join(special.get(word) or word[:1].upper() + word[1:] for word in collapse_spaces(text).split(" "))


def parse_number(text: str) -> float | int | None:
    """Return the number in a text ("1,200", "80k", "$95,000", "twelve"), or None."""
    folded = normalize(text)
    if not re.fullmatch(NUMBER, text.strip()):
        return COUNTS.get(folded) if folded != "some" else None
    digits = re.sub(r"[,$€£%\s]", "", folded)
    value = float(digits.rstrip("km")) * {"k": 1_000, "m": 1_000_000}.get(digits[-1:], 1)
    return int(value) if value == int(value) else value


def parse_count(text: str) -> int | None:
    """Return the count in a text ("8", "ten", "some"), or None."""
    return int(text) if text.isascii() and text.isdigit() else COUNTS.get(normalize(text))


def split_list(text: str) -> list[str]:
    """Return the items of "a, b (x, y) and c"; text in brackets or quotation marks is not split."""
    parts = re.split(r"(\([^)]*\)|\"[^\"]*\"|“[^”]*”)", text)
    stop = re.compile(r"\s*[,;]\s*(?:(?:and|or)\s+)?|\s+(?:and|or|&)\s+")
    marked = "".join(part if at % 2 else stop.sub("\0", part) for at, part in enumerate(parts))
    return [item for part in marked.split("\0") if (item := collapse_spaces(part).strip(" .;,"))]


def join_and(items: list[str]) -> str:
    """Return "a, b and c"."""
    return f"{', '.join(items[:-1])} and {items[-1]}" if len(items) > 1 else "".join(items)


def display(value: object, *, limit: int = 80) -> str:
    """Return a value for an answer: on one line, truncated, without Markdown or the start of an element.

    Of objects in lists, such as files, it has the names.
    """
    if isinstance(value, list):
        value = ", ".join(str(each.get("name")) if isinstance(each, dict) else str(each) for each in value)
    if isinstance(value, int | float):
        return f"{value:,}" if not isinstance(value, bool) else "yes" if value else "no"
    text = collapse_spaces(re.sub(r"[`*\[\]{}<>|#\\]", " ", collapse_spaces(str(value))))
    return text if len(text) <= limit else f"{text[: limit - 1].rstrip()}…"


def quantity(number: int, noun: str = "row") -> str:
    """Return "1 row" or "3 rows"."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def parse_span_at(text: str, start: int, *, today: date) -> tuple[int, Span] | None:
    """Return the end of a date phrase that begins at `start`, and its first and last day."""
    for pattern in _PATTERNS:
        if found := pattern.match(text, start):
            try:
                return found.end(), _span_of(found, today)
            except (ValueError, OverflowError):
                continue
    return None


def find_distant_date(text: str, *, today: date) -> tuple[str, Span] | None:
    """Return the first day or month without a year in a text that is closer to today in another year."""
    for found in (found for pattern in _PATTERNS[1:4] for found in pattern.finditer(text) if not found["year"]):
        if (span := parse_span(found[0], today=today)) and abs(span[0] - today) > timedelta(days=183):
            return found[0], span
    return None


def parse_span(text: str, *, today: date) -> Span | None:
    """Return the first and last day of a date phrase that is the whole text; it can be a year."""
    found = parse_span_at(text.strip(), 0, today=today)
    if found and found[0] == len(text.strip()):
        return found[1]
    year = int(text) if re.fullmatch(r"(?:19|20)\d\d", text.strip()) else 0
    return (date(year, 1, 1), date(year, 12, 31)) if year else None


def parse_age_at(text: str, start: int, *, today: date) -> tuple[int, str, date] | None:
    """Return the end of "older than 30 days" at `start`, its operator, and the day to compare with."""
    found = _AGE.match(text, start)
    if not found:
        return None
    day = _subtract(today, _unit_count(found["count"].lower()), unit=found["unit"].lower())
    return found.end(), "lt" if found[1].lower() == "older" else "gt", day


def _subtract(day: date, number: int, *, unit: str) -> date:
    """Return the day that many days, weeks, months or years before a day; negative numbers go forward."""
    if unit in ("day", "week"):
        return day - timedelta(days=number * (7 if unit == "week" else 1))
    year, month = divmod(day.year * 12 + day.month - 1 - number * (12 if unit == "year" else 1), 12)
    return date(year, month + 1, min(day.day, monthrange(year, month + 1)[1]))


def _unit_count(text: str) -> int:
    return int(text) if text.isdigit() else COUNTS.get(text, 1)


def _enclosing_span(unit: str, day: date) -> Span:
    """Return the week, month or year of a day."""
    if unit == "week":
        monday = day - timedelta(days=day.weekday())
        return monday, monday + timedelta(days=6)
    if unit == "year":
        return date(day.year, 1, 1), date(day.year, 12, 31)
    return day.replace(day=1), day.replace(day=monthrange(day.year, day.month)[1])


def _span_of(match: re.Match[str], today: date) -> Span:
    found = {name: (value or "").lower() for name, value in match.groupdict().items()}
    day = today
    if found.get("iso"):
        day = date.fromisoformat(found["iso"])
    elif found.get("month"):
        month = _MONTHS.index(found["month"][:3]) + 1
        # Without a year it is the current one, as for dates typed into the grid (column_types/date_text.js).
        day = date(int(found.get("year") or today.year), month, int(found.get("day") or 1))
        if not found.get("day"):
            return _enclosing_span("month", day)
    elif found.get("named"):
        day = today + timedelta(days={"today": 0, "yesterday": -1, "tomorrow": 1}[found["named"]])
    elif found.get("single"):
        back = {"this": 0, "last": 1, "next": -1}[found["which"]]
        day = today if found["single"] == "week" else today.replace(day=1)
        return _enclosing_span(found["single"], _subtract(day, back, unit=found["single"]))
    elif found.get("span") == "next":
        return today, _subtract(today, -_unit_count(found["count"]), unit=found["unit"]) - timedelta(days=1)
    elif found.get("span"):
        return _subtract(today, _unit_count(found["count"]), unit=found["unit"]) + timedelta(days=1), today
    else:
        day = _subtract(today, _unit_count(found["count"]), unit=found["unit"])
    return day, day
