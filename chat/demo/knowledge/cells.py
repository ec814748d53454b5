"""Made-up cells: one generator for each kind of column, chosen by the column's name and type."""

from __future__ import annotations

import re
from collections.abc import Callable
from datetime import date, timedelta
from random import Random
from typing import Any

from chat.demo.knowledge import pools
from chat.demo.knowledge.facts import fact
from chat.demo.language.words import key

Number = int | float
_LOWEST: tuple[tuple[str, Number, Number, Number], ...] = (
    (r"salary|wage|income", 52_000, 148_000, 500),
    (r"rating|stars", 1, 5, 1),
    (r"\bage\b", 21, 64, 1),
    (r"\byear\b", 1990, 2026, 1),
    (r"score|percent|probability|%|grade", 40, 100, 5),
    (r"bed|room|bath|floor", 1, 5, 1),
    (r"\brent\b", 720, 2_450, 10),
    (r"\barea\b|sqm|square", 32, 140, 1),
    (r"revenue|deal|annual|budget|\bvalue\b|target|mrr|arr", 1_500, 48_000, 250),
    (r"pages", 120, 640, 1),
    (r"minute|duration", 10, 120, 5),
    (r"hour|effort|estimate|days|nights", 1, 16, 1),
    (r"attendee|guest|capacity|headcount|employees|seats", 8, 240, 2),
    (r"serving|portion|reps|sets", 1, 8, 1),
    (r"population", 20_000, 900_000, 1_000),
    (r"reorder", 2, 20, 1),
    (r"distance|\bkm\b|mile", 2, 42, 1),
    (r"price|cost|amount|fee|spent|spend|total|deposit|bill|balance|discount|tax", 4.5, 320, 0.5),
    (r"quantit|qty|stock|unit|count|level|copies|votes|citation|number", 1, 120, 1),
)
_FUTURE = re.compile(
    r"due|deadline|follow|next|renew|expir|event|view|start|end|book|plan|depart|arriv|check-?in|check-?out|^date$|eta|until"
)
_BEGINS, _ENDS = re.compile(r"start|begin|depart|check-?in|\bfrom\b"), re.compile(r"\bend|return|check-?out|until")
_PAST = re.compile(
    r"applied|created|added|received|reported|contacted|finished|completed|watched|since|hired|joined|issued|purchase|last"
)


def number(name: str, *, rng: Random) -> Number:
    """A number such as a column of that name may hold."""
    folded = key(name)
    for pattern, low, high, step in _LOWEST:
        if re.search(pattern, folded):
            value = low + step * rng.randrange(int((high - low) / step) + 1)
            return int(value) if value == int(value) else value
    return rng.randrange(1, 101)


def day(name: str, *, rng: Random, today: date, index: int, about: str = "") -> str:
    """An ISO day near today: ahead for what is to come, back for what has happened; rows lie on different days."""
    folded = key(name)
    if re.search(r"birth|dob", folded):
        return (today - timedelta(days=rng.randrange(22 * 365, 60 * 365))).isoformat()
    ahead = bool(_FUTURE.search(folded)) and not _PAST.search(folded)
    if (folded == "date" and about not in ("events", "trips")) or about in ("employees", "students"):
        ahead = False
    step = 1 + index * 3 + rng.randrange(3) if index < 60 else rng.randrange(180, 400)
    if ahead and _ENDS.search(folded) and not _BEGINS.search(folded):
        step += 4  # after the day on which it begins, whichever that is
    if about == "employees":
        step *= 97
    return (today + timedelta(days=step if ahead else -step)).isoformat()


class Invention:
    """The row being made up: what its cells have in common. `index` never repeats, so the names differ from row to row."""

    def __init__(self, *, rng: Random, index: int, offset: int, about: str) -> None:
        self.rng = rng
        self.index = index
        self.offset = offset
        self.about = about
        # What the row is called: other cells may have to fit to it.
        self.thing = ""

    def turn(self, pool: tuple[str, ...]) -> str:
        """The next of a pool; once round, numbered so that it stays distinct."""
        lap, place = divmod(self.index, len(pool))
        # Each pool in an order of its own, so that companies and positions do not always come in the same pairs.
        order = Random(f"{self.offset} {pool[0]}").sample(range(len(pool)), len(pool))
        return pool[order[place]] + (f" {lap + 1}" if lap else "")

    def company(self) -> str:
        heads, tails = pools.COMPANY_HEADS, pools.COMPANY_TAILS
        place = self.index + self.offset
        return f"{heads[place % len(heads)]} {tails[(place + place // len(heads)) % len(tails)]}"

    def person(self) -> str:
        first, last = pools.FIRST_NAMES, pools.LAST_NAMES
        place = self.index + self.offset
        return f"{first[place % len(first)]} {last[(place * 5 + place // len(first)) % len(last)]}"

    def colleague(self) -> str:
        """Somebody else than the person whom the row is about."""
        first, last = pools.FIRST_NAMES, pools.LAST_NAMES
        place = self.index * 3 + self.offset + 11
        return f"{first[place % len(first)]} {last[(place * 7 + place // len(first)) % len(last)]}"

    def proper_name(self) -> str:
        return self.turn(pools.PROPER_NAMES)

    def note(self) -> str:
        return self.turn(pools.NOTES_ABOUT.get(self.about, pools.NOTES))

    def spot(self) -> str:
        return self.turn({"inventory": pools.SHELVES, "plants": pools.SPOTS}.get(self.about, pools.CITIES))

    def email(self) -> str:
        first, last = self.person().casefold().split(" ")
        return f"{first}.{last}@example.com"

    def book(self) -> tuple[str, str, int, int]:
        return pools.BOOKS[(self.index + self.offset) % len(pools.BOOKS)]

    def book_title(self) -> str:
        lap = self.index // len(pools.BOOKS)
        return self.book()[0] + (f", volume {lap + 1}" if lap else "")

    def street(self) -> str:
        place = self.index + self.offset
        return f"{place % 90 + 2} {pools.STREETS[place % len(pools.STREETS)]}, {pools.CITIES[place // 3 % len(pools.CITIES)]}"

    def paper_authors(self) -> str:
        return f"{self.person()} and others"

    def phone(self) -> str:
        return f"+1 555 01{(self.index + self.offset) % 100:02d} {self.index * 37 % 1000:03d}"

    def url(self) -> str:
        return f"https://{self.company().casefold().replace(' ', '-')}.example"

    def code(self) -> str:
        return f"{'INV' if 'invoice' in self.about else 'NO'}-{1000 + self.offset % 900 + self.index}"


_Text = Callable[[Invention], str]


def _from(pool: tuple[str, ...]) -> _Text:
    return lambda row: row.turn(pool)


_BY_SUBJECT: dict[str, _Text] = {
    "books": Invention.book_title,
    "movies": _from(pools.FILMS),
    "papers": _from(pools.PAPER_TOPICS),
    "inventory": _from(pools.ITEMS),
    "expenses": _from(pools.EXPENSES),
    "tasks": _from(pools.TASKS),
    "bugs": _from(pools.BUGS),
    "feedback": _from(pools.FEEDBACK),
    "recipes": _from(pools.RECIPES),
    "events": _from(pools.EVENTS),
    "subscriptions": _from(pools.SERVICES),
    "workouts": _from(pools.EXERCISES),
    "plants": _from(pools.PLANTS),
    "vendors": Invention.company,
    "trips": _from(pools.CITIES),
    "apartments": Invention.street,
    "job_applications": Invention.company,
    "invoices": Invention.code,
}
_BY_NAME: tuple[tuple[re.Pattern[str], _Text], ...] = tuple(
    (re.compile(pattern), make)
    for pattern, make in (
        (r"e-?mail", Invention.email),
        (r"phone|mobile|\btel\b|fax", Invention.phone),
        (r"website|\burl\b|\blink\b|homepage|linkedin", Invention.url),
        (r"number|\bid\b|\bcode\b|reference|sku|serial|isbn", Invention.code),
        (r"note|comment|remark|next step|reason|feedback given|description of", Invention.note),
        (r"company|organi[sz]ation|employer|vendor|supplier|merchant|manufacturer|agency|publisher|business|\bfirm\b|\bbrand\b", Invention.company),
        (r"^authors$", Invention.paper_authors),
        (r"^author", lambda row: row.book()[1]),
        (r"journal|venue of publication", _from(pools.JOURNALS)),
        (r"position|\brole\b|\bjob\b|job title|occupation", _from(pools.POSITIONS)),
        (r"assignee|owner|manager|recruiter|responsible", Invention.colleague),
        (r"contact|person|reported by|reporter|lead|who|\bby$|attendee|guest|customer|client"
         r"|student|employee|candidate|first name|last name|full name|member|friend|patient", Invention.person),
        (r"address|street", Invention.street),
        (r"country|nationality", _from(pools.COUNTRIES)),
        (r"city|location|town|place|where|destination|venue", Invention.spot),
        (r"theme|topic|subject area", _from(pools.THEMES)),
        (r"book", Invention.book_title),
        (r"movie|film|show", _from(pools.FILMS)),
        (r"paper|article", _from(pools.PAPER_TOPICS)),
        (r"task|to-?do|action|activity|milestone|goal", _from(pools.TASKS)),
        (r"bug|issue|problem|ticket|error", _from(pools.BUGS)),
        (r"feedback|review|quote|testimonial", _from(pools.FEEDBACK)),
        (r"recipe|dish|meal", _from(pools.RECIPES)),
        (r"project|campaign|initiative", _from(pools.PROJECTS)),
        (r"event|meeting|conference", _from(pools.EVENTS)),
        (r"item|product|equipment|asset|part|device|article", _from(pools.ITEMS)),
        (r"expense|purchase", _from(pools.EXPENSES)),
        (r"service|subscription|software|tool", _from(pools.SERVICES)),
        (r"exercise|workout", _from(pools.EXERCISES)),
        (r"plant", _from(pools.PLANTS)),
    )
)  # fmt: skip
_SAYS_WHAT = re.compile(r"^(?:\w+ )?(?:name|title|description|summary|subject|what|feedback|item|details?)$")


def text_maker(name: str, *, about: str, first: bool) -> _Text:
    """How text for a column is made up; `about` is the subject's id, `first` whether it names the row."""
    folded = key(name)
    names_person = bool(re.search(r"first name|last name|full name|contact|customer|client", folded))
    if _SAYS_WHAT.search(folded) and not names_person:
        if about in _BY_SUBJECT:
            return _BY_SUBJECT[about]
        if re.search(r"name", folded) and about not in ("generic", ""):
            return Invention.person
    for pattern, make in _BY_NAME:
        if pattern.search(folded):
            return make
    if first and about in _BY_SUBJECT:
        return _BY_SUBJECT[about]
    if folded in ("name", "full name"):
        return Invention.person
    # A name fits whatever it is; what else is said of something unknown would only be noise.
    return Invention.proper_name if first else lambda row: ""


def cell(name: str, *, kind: str, options: tuple[str, ...], row: Invention, today: date, first: bool) -> Any:
    """One made-up value of the type a column has."""
    known = fact(row.thing, column=key(name), kind=kind, options=options, rng=row.rng)
    if known is not None:
        return known[0]
    if kind == "number":
        if row.about == "trips" and key(name) == "budget":
            return row.rng.randrange(6, 60) * 50
        book = row.about == "books" and key(name) in ("pages", "year")
        return row.book()[3 if key(name) == "pages" else 2] if book else number(name, rng=row.rng)
    if kind == "date":
        return day(name, rng=row.rng, today=today, index=row.index, about=row.about)
    if kind == "boolean":
        return row.rng.random() < 0.5
    if kind == "select":
        return row.rng.choice(options) if options else None
    return text_maker(name, about=row.about, first=first)(row) or None
