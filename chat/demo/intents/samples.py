"""Add N made-up rows: "add 8 sample applications", "give me some sample data"."""

from __future__ import annotations

import re

from chat.demo.intents.offers import offers_for
from chat.demo.knowledge.domains import find_domain
from chat.demo.knowledge.kinds import Kind
from chat.demo.knowledge.rows import make_rows
from chat.demo.language.numbers import COUNT, count
from chat.demo.language.words import key, shown
from chat.demo.page import Page
from chat.demo.reply import Reply, propose_data, say
from chat.demo.request import Turn

MOST = 200
_DEFAULT = 5
_VERB = (
    r"(?:add|create|generate|insert|make(?: up)?|invent|give(?: me| us)?|put(?: in)?|fill(?: in| up)?|populate"
    r"|produce|show me|i (?:need|want)"
    r"|need|want|throw in|come up with|write|seed|include|prefill)"
)
_MADE_UP = (
    r"(?:sample|example|dummy|demo|test|fake|made[- ]up|random|placeholder|mock|fictional|invented|fictitious"
    r"|realistic|seed|starter)"
)
_ROWS = r"(?:rows?|records?|entries|entry|lines?|items?|data|values?|content|examples?|samples?|ones?)"
_SAYS_SAMPLE = re.compile(rf"\b{_MADE_UP}s?\b", re.IGNORECASE)
_STARTS = re.compile(rf"^{_VERB}\b", re.IGNORECASE)
_COUNTED = re.compile(
    rf"^{_VERB}\s+(?:me\s+|us\s+)?(?:in\s+|up\s+)?(?:another\s+|about\s+|around\s+|exactly\s+|at least\s+|roughly\s+)?"
    rf"(?P<count>{COUNT})\s+(?:more\s+|new\s+|additional\s+|other\s+|of\s+|extra\s+|different\s+)*(?P<what>[\w' -]+)$",
    re.IGNORECASE,
)
_WITH = re.compile(
    rf"\b(?:with|using)\s+(?:(?P<count>{COUNT})\s+)?(?:some\s+|a few\s+)?{_MADE_UP}?\s*{_ROWS}\b|^(?:fill"
    rf"|populate|seed|prefill)\b",
    re.IGNORECASE,
)
_BARE = re.compile(
    rf"^(?:another\s+|some more\s+)?(?:(?P<count>{COUNT})\s+)?(?:more\s+)?(?:{_MADE_UP}s?(?:\s+(?P<what>[\w "
    rf"]+))?|rows)$",
    re.IGNORECASE,
)
_ANY_COUNT = re.compile(rf"\b(?P<count>{COUNT})\b", re.IGNORECASE)
# What is given for the cells does not say what is wanted: "add a row: Max, max@example.org".
_GIVEN = re.compile(r":.*$|\S*@\S*|https?://\S*|\"[^\"]*\"|“[^”]*”", re.IGNORECASE | re.DOTALL)
_ASKS_COLUMN = re.compile(
    r"\bcolumns?\b|\bfields?\b|\boptions?\b|\bcalled\b|\btable\b.*\b(?:for|of)\b(?!.*\brows?\b)", re.IGNORECASE
)


def add_samples(turn: Turn) -> Reply | None:
    """A proposal with so many made-up rows."""
    wanted = _wanted(turn.wish, page=turn.page)
    if wanted is None:
        return None
    if not turn.page.takes_data:
        return say(
            "Rows are added in an open table. Open one from Tables and tell me again; "
            "a table that I propose here brings its own sample rows.",
            offers=offers_for(turn),
        )
    if not turn.page.columns:
        return say("This table has no columns yet. Tell me which to add, and rows can follow.")
    if wanted < 1:
        return say("That would be no rows at all. Tell me how many you would like.", offers=offers_for(turn))
    if wanted > MOST:
        return say(
            f"I make up to {MOST} rows at a time; {wanted:,} would be too many to look through.",
            offers=["Add 10 sample rows", "Add 50 sample rows", f"Add {MOST} sample rows"],
        )
    return _propose(turn, wanted=wanted)


def without_values(wish: str) -> str:
    """The wish without the values that it gives for cells."""
    return _GIVEN.sub("", wish).strip()


def _wanted(wish: str, *, page: Page) -> int | None:
    """How many rows a wish asks for, or None if it asks for something else."""
    wish = without_values(wish)
    if _ASKS_COLUMN.search(wish):
        return None
    text = re.sub(
        r"\s+(?:to|in|into|for|on) (?:the|this|my) (?:table|list|\w+ table)$|\s+here$|,? so .*$",
        "",
        wish,
        flags=re.IGNORECASE,
    )
    bare = _BARE.match(text)
    if bare:
        return _number(bare["count"])
    counted = _COUNTED.match(text)
    if counted and (_SAYS_SAMPLE.search(text) or _names_rows(counted["what"], page=page)):
        return _number(counted["count"])
    if _SAYS_SAMPLE.search(text) and _STARTS.match(text):
        found = _ANY_COUNT.search(
            re.sub(r"^(?:put|fill|make|add|give|show)\s+(?:me\s+)?", "", text, flags=re.IGNORECASE)
        )
        if re.match(rf"^{_VERB}\s+(?:me\s+)?(?:an?|one)\s+(?:single\s+)?{_MADE_UP}", text, re.IGNORECASE):
            return _DEFAULT if re.search(r"\bdata\b", text, re.IGNORECASE) else 1
        return _number(found["count"] if found else None)
    if (
        _STARTS.match(text)
        and (filled := _WITH.search(text))
        and re.search(rf"{_MADE_UP}|{_ROWS}", text, re.IGNORECASE)
    ):
        found = _ANY_COUNT.search(text)
        return _number(filled["count"] or (found["count"] if found else None))
    return None


def _number(text: str | None) -> int:
    found = count(text) if text else None
    return _DEFAULT if found is None else found


def _names_rows(what: str, *, page: Page) -> bool:
    """Whether "add ten X" means rows: X is "rows", or what the table is about ("companies", "applications")."""
    if re.search(rf"\b{_ROWS}$", what, re.IGNORECASE):
        return True
    last = key(what).split(" ")[-1]
    about = key(page.table_name)
    named = [word for column in page.columns for word in key(column.name).split(" ")]
    singular = last.removesuffix("s")
    irregular = last[:-3] + "y" if last.endswith("ies") else last
    domain, said = find_domain(about), find_domain(last)
    same_subject = domain is not None and said is not None and domain.id == said.id
    return last.endswith("s") and (
        last in about or singular in about or singular in named or irregular in named or same_subject
    )


def _propose(turn: Turn, *, wanted: int) -> Reply:
    page = turn.page
    kinds = [Kind(name=c.name, type=c.type, options=c.options, required=c.required) for c in page.columns]
    domain = find_domain(page.table_name) or find_domain(" ".join(column.name for column in page.columns))
    naming = next(iter(page.of_type("text")), None)
    rows = make_rows(
        kinds=kinds,
        about=domain.id if domain else "",
        count=wanted,
        seed=turn.seed,
        today=page.today,
        taken=page.texts(naming) if naming else set(),
    )
    many = "1 sample row" if wanted == 1 else f"{wanted} sample rows"
    it = "It is" if wanted == 1 else "They are"
    return propose_data(
        f"I made up {many} for {shown(page.table_name) or 'this table'}. {it} invented: look through, then "
        f"apply what you like.",
        reasoning=f"Adding {many}, made up by the demo model",
        operations=[{"action": "add", "data": row} for row in rows],
    )
