"""Guesses from names: the types and options of columns, the columns of a table, and sample values."""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, timedelta
from itertools import count as numbers_from
from random import Random
from typing import Any
from zlib import crc32

from chat.demo_model.english import match, normalize, split_list, title, unquote, without_article
from chat.demo_model.request import Column

Json = dict[str, Any]
# Words for a type, with the format of its columns if it has one.
_KINDS = """
text|string|single-line text = text
long text|multi-line text|markdown = text long
web address|website link|hyperlink|link|url = text url
email|e-mail|email address = text email
phone|phone number|telephone = text phone
number|numeric = number
currency|money = number currency
percent|percentage = number percent
rating|star rating|stars = number rating
duration = number duration
date|day = date
date and time|date with time|date-time|datetime|timestamp|time = date datetime
boolean|checkbox|yes/no = boolean
select|dropdown|choice|single select = select
multiple select|multi-select|multiselect|multi select|multiple choice = multi_select
autonumber|running number = autonumber
"""
_LINES = [line.split(" = ") for line in _KINDS.strip().split("\n")]
KINDS: dict[str, Json] = {
    word: dict(zip(("kind", "format"), kind.split(), strict=False))
    for words, kind in _LINES
    for word in words.split("|")
}
TYPE_WORDS = "|".join(sorted(map(re.escape, KINDS), key=len, reverse=True))
# Words for formats that also say what a column is about, and so are part of its name.
_NAMING_WORDS = re.compile(r"(?:email|e-mail|email address|phone|phone number|link|url|rating|duration)")
TYPES_WITH_OPTIONS = {"select", "multi_select"}
# Columns of other types, such as computed ones, stay empty in sample rows.
SAMPLED_TYPES = {each["kind"] for each in KINDS.values() if "auto" not in each["kind"]}
_OPTIONS = (
    (r"priorit|urgency", "High/Medium/Low"),
    (r"\bgenre", "Fiction/Non-fiction/Science/History"),
    (r"\bcategory|\bkind$|\btype$", "General/Important/Other"),
    (r"\bstatus|\bstage|\bphase", "To do/In progress/Done"),
)
_DATE = r"\b(date|deadline|due|birthday|day|renewal|follow-?up)\b|\b\w+ed on$|\b(start|end|since|until|applied)$"
_BOOLEAN = r"^(is|has|was|done|paid|remote|active|sent|received|booked|reimbursed|finished|read|approved|confirmed)\b"
_NUMBER = (
    r"\b(price|cost|amount|salary|count|quantity|qty|rating|score|age|budget|total|pages|year|hours|minutes|weight|height"
    r"|width|rent|revenue|rooms|stock|percent|attendees|guests|servings|distance|value|number of .+)$|^how many\b"
)
_PROSE = re.compile(r"\b(notes?|comments?|description|number|phone|id|link|url)$")
_NOT_A_NAME = re.compile(
    r"[:;,!?()“”\"]|\b(and|or|then|where|with|that|which|columns?|fields?|rows?|tables?|them|it|from|into|delete|remove|add"
    r"|set|rename|change|each|every|sums?|called|named|to|as|before|after|between|und|oder|mit|für|nach|zu|eine?|der|die|das|para|pour)\b",
    re.IGNORECASE,
)
_SUBJECTS = """
jobs?|applications? = Company, Position, Status (Applied/Interview/Offer/Rejected), Date Applied
vendors?|suppliers? = Vendor, Contact Person, Email, Status (Active/Inactive), Annual Cost, Renewal Date
leads?|deals?|prospects? = Name, Company, Email, Status (New/Contacted/Won/Lost), Deal Value
customers?|clients? = Name, Company, Email, Phone, Status (Active/Paused/Left), Notes
expenses?|spending|costs = Description, Category (Groceries/Transport/Housing/Other), Amount, Date, Paid Back
books?|reading list|library = Title, Author, Genre, Status (To read/Reading/Finished), Pages, Rating
tasks?|to-?dos?|projects? = Task, Status (To do/In progress/Done), Priority, Owner, Due Date, Notes
"""
_HEADS = "Northwind Halden Cobalt Arbor Polar Lumen Quarry Juniper Meridian Ember Vela Cedar Atlas Marlow".split()
_TAILS = "Labs Robotics Freight Bank Maps Health Studio Systems Foods Energy".split()
_FIRST = "Maya Jonas Priya Tom Elena Samir Grace Luca Nora Kofi Ines Daniel Aiko Peter Leila Oscar Hannah Mateo".split()
_LAST = "Okafor Lindqvist Sharma Becker Moreau Haddad Kim Rossi Novak Mensah Silva Fischer Tanaka Larsen Cohen".split()
# Limit of the search for labels that are not in use: more than there are names of companies or persons.
MAX_SKIPPED = 300
# Values for columns with one of these words in their name, or for the first column of such a table.
_POOLS = """
note|comment|remark = Looks promising, Ask for details, Waiting for an answer, Compare with others, Call back on Monday
position|role|job title = Product Designer, Software Engineer, Data Analyst, UX Researcher, Technical Writer
author = Jane Austen, Mary Shelley, Herman Melville, George Eliot, Bram Stoker, Charlotte Brontë, H. G. Wells
city|destination|town|venue|trip = Berlin, Lisbon, Toronto, Dublin, Copenhagen, Oslo, Barcelona, Vienna, Seattle
book|reading|librar = Pride and Prejudice, Frankenstein, Moby-Dick, Middlemarch, Dracula, Jane Eyre, The Time Machine
expense = Weekly groceries, Train ticket, Electricity bill, Dinner with friends, Phone bill, Coffee, Bus pass, Cinema
task|to-?do|project = Draft the plan, Review the budget, Book the venue, Update the website, Prepare the slides
"""
_RANGES = """
salary|income|wage = 42000 120000 500
rating|stars|room|bed = 1 5 1
value|revenue|budget = 1500 48000 250
price|cost|amount|fee|total = 4.5 320 0.5
"""
_FUTURE = re.compile(r"due|deadline|follow|next|renew|expir|event|view|start|end|finish")


def named_column(name: str, *, word: str) -> Json | None:
    """Return the column in "Contact email" or "email", with the word for its type as `word` or in its name, or None."""
    whole = f"{name} {word}".strip()
    for kind in (normalize(whole), normalize(word)):
        if _NAMING_WORDS.fullmatch(kind):
            return new_column(column_title(whole), **KINDS[kind])
    return None


def new_column(name: str, *, kind: str = "", options: tuple[str, ...] = (), **settings: str) -> Json:
    """Return a column of a proposal; without `kind` its type is guessed. `settings`: such as the format."""
    kind = kind or ("select" if options else _kind_of(normalize(name)))
    if kind not in TYPES_WITH_OPTIONS:
        return {"name": name[:255], "type": kind, **settings}
    filter_display = "tab" if re.search(r"status|stage", normalize(name)) else "dropdown"
    choices = list(options or _options_for(normalize(name)) or ("Option A", "Option B"))
    return {"name": name[:255], "type": kind, "options": choices, "filterDisplay": filter_display}


def _kind_of(folded: str) -> str:
    kinds = (("text", _PROSE), ("boolean", _BOOLEAN), ("date", _DATE), ("number", _NUMBER))
    found = next((kind for kind, pattern in kinds if re.search(pattern, folded)), "")
    return found or ("select" if _options_for(folded) else "text")


def _options_for(folded: str) -> tuple[str, ...]:
    return next((tuple(options.split("/")) for pattern, options in _OPTIONS if re.search(pattern, folded)), ())


def parse_column(item: str, *, known: dict[str, tuple[str, ...]] | None = None) -> Json | None:
    """Return the column in an item of a list, such as "status (new, won)" or "paid back?", or None."""
    item = without_article(item).strip(" .").replace("who said it", "said by")
    if found := match(r"(?:whether|if) (?:it|they|i|we) (?:was|were|is|are|have|has|had) (.+)", item):
        return new_column(title(found[1]), kind="boolean")
    if found := re.fullmatch(r"(.+?)\s*\(([^()]+)\)", item):
        options = () if normalize(found[2]) in KINDS else parse_options(found[2])
        kind = KINDS.get(normalize(found[2]), {"kind": "select"})
        valid = is_new_name(found[1]) and len(options) != 1
        return new_column(column_title(found[1]), options=options, **kind) if valid else None
    name = item.rstrip("? ")
    if not is_new_name(name):
        return None
    options = (known or {}).get(normalize(name), ())
    return new_column(column_title(name), kind="boolean" if item.endswith("?") else "", options=options)


def column_title(text: str) -> str:
    """Return the name of a column: in title case, unless it is in quotation marks."""
    return unquote(text) if unquote(text) != text.strip() else title(without_article(text))


def parse_options(text: str) -> tuple[str, ...]:
    """Return the options of "High, Medium and Low" or "open/closed", each once."""
    items = [unquote(item) for item in split_list(text.replace("/", ", "))]
    return tuple({normalize(item): item[:1].upper() + item[1:] for item in reversed(items)}.values())[::-1]


def is_new_name(text: str) -> bool:
    """Return whether a text can be a new name: any text in quotation marks, else a few words without keywords."""
    if unquote(text) != text.strip():
        return 0 < len(unquote(text)) <= 255
    name = without_article(f"{text} ")
    return 0 < len(name.split()) <= 4 and len(name) <= 60 and not _NOT_A_NAME.search(name)


def default_columns(text: str) -> list[Json]:
    """Return the usual columns of a table about the last words of a text; [] for an unknown subject."""
    subjects = (line.split(" = ") for line in _SUBJECTS.strip().split("\n"))
    found = next((names for pattern, names in subjects if re.search(rf"\b(?:{pattern})$", normalize(text))), "")
    return [one for item in split_list(found) if (one := parse_column(item))]


def sample_rows(
    columns: Sequence[Column],
    *,
    table: str,
    count: int,
    today: date,
    seed: int,
    existing: int = 0,
    known: Iterable[Any] = (),
) -> list[Json]:
    """Return rows of made-up values by column name; the same `seed` gives the same numbers, dates and options.

    The texts follow those of `existing` rows, and the first column has none of the `known` ones.
    """
    start = crc32(normalize(table).encode("utf-8", "replace")) % 89

    def text_of(column: Column, number: int) -> str | None:
        subject = normalize(table) if column is columns[0] else ""
        return _text(normalize(column.name), table=subject, number=number, start=start)

    def label_of(number: int) -> str | None:
        return text_of(columns[0], number) if columns and _has_texts(columns[0]) else None

    rows: list[Json] = []
    for at, number in zip(range(count), _unused_numbers(label_of, first=existing, known=known), strict=False):
        row = {
            one.name: text_of(one, number) if _has_texts(one) else _value(one, at=at, today=today, seed=seed)
            for one in columns
            if one.type in SAMPLED_TYPES
        }
        rows.append({name: value for name, value in row.items() if value is not None})
    return rows


def _has_texts(column: Column) -> bool:
    return column.type not in ("boolean", "date", "number", *TYPES_WITH_OPTIONS)


def _unused_numbers(label_of: Callable[[int], str | None], *, first: int, known: Iterable[Any]) -> Iterator[int]:
    """Yield the numbers from `first` on whose labels are neither known nor those of others, unless all are."""
    used, skipped = {normalize(str(each)) for each in known}, 0
    for number in numbers_from(first):
        label = normalize(label_of(number) or "")
        if label in used and label and skipped < MAX_SKIPPED:
            skipped += 1
            continue
        used.add(label)
        yield number


def _value(column: Column, *, at: int, today: date, seed: int) -> Any:
    name = normalize(column.name)
    random = Random(f"{seed} {at} {name}")
    if column.type in TYPES_WITH_OPTIONS:
        chosen = random.choice(column.options) if column.options else None
        return [chosen] if chosen and column.type != "select" else chosen
    if column.type == "boolean":
        return random.random() < 0.5
    if column.type == "date":
        days = at * 3 + random.randrange(1, 4)
        return (today + timedelta(days=days if _FUTURE.search(name) else -days)).isoformat()
    low, high, step = map(float, (_lookup(_RANGES, name) or "1 100 1").split(" "))
    number = low + step * random.randrange(int((high - low) / step) + 1)
    return int(number) if number == int(number) else number


def _text(name: str, *, table: str, number: int, start: int) -> str | None:
    index = number + start
    person = f"{_FIRST[index % len(_FIRST)]} {_LAST[(index * 4 + index // len(_FIRST)) % len(_LAST)]}"
    company = f"{_HEADS[index % len(_HEADS)]} {_TAILS[(index + index // len(_HEADS) * 3) % len(_TAILS)]}"
    for pattern, value in (
        (r"e-?mail", f"{person.casefold().replace(' ', '.')}@example.com"),
        (r"phone|mobile", f"+1 555 01{index % 100:02d}"),
        (r"url|link|website", f"https://{company.casefold().replace(' ', '-')}.example"),
        (r"company|vendor|supplier|employer|brand", company),
        (r"person|contact|customer|client|owner|assignee|\bby$|student|employee|(?:first|last|full) name|who", person),
    ):
        if re.search(pattern, name):
            return value
    if pool := _lookup(_POOLS, name) or _lookup(_POOLS, table):
        values = pool.split(", ")
        repeat = f" ({number // len(values) + 1})" if table and number >= len(values) else ""
        return values[index % len(values)] + repeat
    return person if "name" in name else f"Example {number + 1}" if table else None


def _lookup(lines: str, name: str) -> str:
    """Return the value of the first line of `pattern = value` whose pattern is in the name, or ""."""
    pairs = (line.split(" = ") for line in lines.strip().split("\n"))
    return next((value for pattern, value in pairs if name and re.search(pattern, name)), "")
