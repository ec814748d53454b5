"""Columns as people describe them: type and options from a name or a hint; and the usual ones of a subject."""

import re
from typing import Any

from chat.demo_model.text import key, match, split_list, title, unquote, without_article

Json = dict[str, Any]
_TYPES = "text string number numeric date day boolean checkbox yes/no select dropdown choice".split()
_KINDS = "text text number number date date boolean boolean boolean select select select".split()
TYPES = dict(zip(_TYPES, _KINDS, strict=True))
TYPE_WORDS = "|".join(sorted(map(re.escape, TYPES), key=len, reverse=True))
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
_NO_NAME = re.compile(
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


def column(name: str, *, kind: str = "", options: tuple[str, ...] = ()) -> Json:
    """Return a column of a proposal; its type is guessed from the name where it is not said."""
    kind = kind or ("select" if options else _kind_of(key(name)))
    if kind != "select":
        return {"name": name[:255], "type": kind}
    display = "tab" if re.search(r"status|stage", key(name)) else "dropdown"
    choices = list(options or _options_for(key(name)) or ("Option A", "Option B"))
    return {"name": name[:255], "type": kind, "options": choices, "filterDisplay": display}


def _kind_of(folded: str) -> str:
    kinds = (("text", _PROSE), ("boolean", _BOOLEAN), ("date", _DATE), ("number", _NUMBER))
    found = next((kind for kind, pattern in kinds if re.search(pattern, folded)), "")
    return found or ("select" if _options_for(folded) else "text")


def _options_for(folded: str) -> tuple[str, ...]:
    return next((tuple(options.split("/")) for pattern, options in _OPTIONS if re.search(pattern, folded)), ())


def described(item: str, *, known: dict[str, tuple[str, ...]] | None = None) -> Json | None:
    """Return the column that an item of a list describes ("status (new, won)", "paid back?"); None where it is none."""
    item = without_article(item).strip(" .").replace("who said it", "said by")
    if found := match(r"(?:whether|if) (?:it|they|i|we) (?:was|were|is|are|have|has|had) (.+)", item):
        return column(title(found[1]), kind="boolean")
    if found := re.fullmatch(r"(.+?)\s*\(([^()]+)\)", item):
        options = () if key(found[2]) in TYPES else options_of(found[2])
        kind = TYPES.get(key(found[2]), "select")
        return column(named(found[1]), kind=kind, options=options) if is_name(found[1]) and len(options) != 1 else None
    name = item.rstrip("? ")
    if not is_name(name):
        return None
    return column(named(name), kind="boolean" if item.endswith("?") else "", options=(known or {}).get(key(name), ()))


def named(text: str) -> str:
    """Return a column's name as it is shown: in title case, unless it is in quotation marks."""
    return unquote(text) if unquote(text) != text.strip() else title(without_article(text))


def options_of(text: str) -> tuple[str, ...]:
    """Return the options of "High, Medium and Low" or "open/closed", each once."""
    items = [unquote(item) for item in split_list(text.replace("/", ", "))]
    return tuple({key(item): item[:1].upper() + item[1:] for item in reversed(items)}.values())[::-1]


def is_name(text: str) -> bool:
    """Return whether a text can be a new name: in quotation marks anything, else a few words without other meaning."""
    if unquote(text) != text.strip():
        return 0 < len(unquote(text)) <= 255
    name = without_article(f"{text} ")
    return 0 < len(name.split()) <= 4 and len(name) <= 60 and not _NO_NAME.search(name)


def usual_columns(text: str) -> list[Json]:
    """Return the usual columns of the subject that the last words of a text name, if it is known."""
    subjects = (line.split(" = ") for line in _SUBJECTS.strip().split("\n"))
    found = next((names for pattern, names in subjects if re.search(rf"\b(?:{pattern})$", key(text))), "")
    return [one for item in split_list(found) if (one := described(item))]
