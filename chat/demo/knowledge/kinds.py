"""Kinds of columns: which type, and which options, a name suggests."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from chat.demo.language.words import key, tokens

Json = dict[str, Any]


@dataclass(frozen=True)
class Kind:
    """What a column is to be, before it has an id."""

    name: str
    type: str = "text"
    options: tuple[str, ...] = ()
    required: bool = False

    def as_column(self) -> Json:
        """As a proposal writes it."""
        column: Json = {"name": self.name, "type": self.type, "required": self.required}
        if self.type == "select":
            column["options"] = list(self.options)
            column["filterDisplay"] = (
                "tab" if _IS_STATUS.search(key(self.name)) and len(self.options) <= 8 else "dropdown"
            )
        return column


_IS_STATUS = re.compile(r"\b(status|stage|state|phase)\b")
STATUS_OPTIONS = ("To do", "In progress", "Done")

_DATE = re.compile(
    r"\b(dates?|deadlines?|due|birthdays?|birth ?day|dob|anniversary|day|when|expiry|expires|expiration|expir\w+ on|renewal|renews"
    r"|follow[ -]?ups?|starts?|ends?|started|ended|finished|completed|begins|since|until|eta|last contact(?:ed)?|last visit(?:ed)?"
    r"|last seen|next contact|next step date|check[ -]?in|check[ -]?out|arrival|departure|checkup|hired|joined)\b"
    r"|\b\w+(?:ed|ght|id|nt) (?:on|at)$|\bon$"
)
_NOT_DATE = re.compile(
    r"\b(time|notes?|by|with|who|start(?:ing)? price|point|location|place|city|weekday|city|reason|salary|method)\b"
)
_BOOLEAN = re.compile(
    r"^(?:is|are|has|have|had|was|were|did|does|do|can|should|must|will|needs?|wants?|whether|if) "
    r"|\?$|^(?:done|paid|completed?|finished|read|remote|active|archived|approved|sent|received|bought|purchased|confirmed"
    r"|attending|replied|responded|resolved|verified|subscribed|favou?rite|furnished|parking|balcony|elevator|garden"
    r"|in stock|returned|reimbursed|reimbursable|recurring|public|vegetarian|vegan|gluten[ -]?free|pets?(?: allowed)?|urgent|billable"
    r"|delivered|shipped|sold|signed|watched|visited|owned|available|enabled|rsvp|tried|invoiced|packed|booked|reviewed|published"
    r"|tax[ -]deductible|opt(?:ed)?[ -]?in|applied\?|cover letter sent|already \w+|yes ?/ ?no)$|\ballowed$|\b(?:required|included)$"
)
_NUMBER = re.compile(
    r"\b(price|costs?|amount|salary|wage|pay|count|number|no of|qty|quantity|rating|score|stars|age|budget|total|subtotal|pages?|year"
    r"|hours?|minutes?|duration|weight|height|length|width|depth|rent|revenue|income|rooms?|bedrooms?|bathrooms?|beds|calories|kcal"
    r"|protein|carbs|fat|servings|portions|votes|upvotes|stock|level in stock|reorder (?:level|point)|units?|percent(?:age)?|discount|tax|vat|fee|fees|deposit"
    r"|balance|distance|km|miles|kg|size|area|sqm|square (?:meters|metres|feet)|capacity|attendees|guests|seats|headcount|employees"
    r"|mileage|speed|temperature|points|grade|gpa|probability|deal (?:size|value)|value|spend|spent|citations|population|floor"
    r"|reps|sets|steps|effort|estimate|estimated hours|story points|expected salary|copies|nights|interest|quota|target|mrr|arr)\b|%|\bm2\b|\bm²"
)
_NOT_NUMBER = re.compile(
    r"\b(phone|telephone|mobile|fax|order number|invoice number|serial|account number|room number|flight|tracking|reference|id|plate|iban"
    r"|currency|page url|link|name|notes?|code|card|passport|license|(?<!reorder )level|numbers?$(?<=phone numbers)|zip|postal|unit of|price range|type|unit$|size$|grade$)\b"
)
_NUMBER_OF = re.compile(
    r"^(?:number|count|total|amount) of\b|^(?:no|nr|num)\.? of\b|^how (?:many|much|long|old)\b|^# ?(?:of )?"
)

_OPTIONS: tuple[tuple[re.Pattern[str], tuple[str, ...]], ...] = tuple(
    (re.compile(pattern), options)
    for pattern, options in (
        (r"\bpriorit", ("High", "Medium", "Low")),
        (r"\bseverit", ("Critical", "Major", "Minor", "Trivial")),
        (r"\burgency\b", ("High", "Medium", "Low")),
        (r"\bimpact\b|\blikelihood\b|\brisk\b", ("High", "Medium", "Low")),
        (r"\bdifficulty\b", ("Easy", "Medium", "Hard")),
        (r"\bsentiment\b", ("Positive", "Neutral", "Negative")),
        (r"\b(work mode|work type|location type|arrangement|remote or|on-?site or)\b", ("Remote", "Hybrid", "On-site")),
        (r"\bpayment (?:method|type)\b|\bpaid with\b", ("Card", "Cash", "Transfer")),
        (r"\bfrequency\b|\binterval\b|\bbilling (?:cycle|period)\b", ("Daily", "Weekly", "Monthly", "Yearly")),
        (r"\bcurrency\b", ("USD", "EUR", "GBP")),
        (r"\bgenre\b", ("Fiction", "Non-fiction", "Science", "History", "Biography")),
        (r"\bcuisine\b", ("Italian", "Indian", "Mexican", "Japanese", "French")),
        (r"\bcourse\b|\bmeal\b", ("Breakfast", "Lunch", "Dinner", "Dessert")),
        (r"\bdepartment\b|\bteam$", ("Engineering", "Sales", "Marketing", "Operations")),
        (r"\bsource\b|\bchannel\b", ("Website", "Referral", "E-mail", "Event", "Other")),
        (r"\bplatform\b", ("Web", "iOS", "Android")),
        (r"\bformat\b", ("Paper", "E-book", "Audio")),
        (r"\b(t-?shirt )?size$", ("S", "M", "L", "XL")),
        (r"\brole type\b|\bemployment type\b|\bcontract type\b", ("Full-time", "Part-time", "Contract", "Internship")),
        (r"\bseniority\b", ("Junior", "Mid", "Senior", "Lead")),
        (r"\benergy (?:class|rating)\b", ("A", "B", "C", "D", "E")),
        (r"\bcondition\b", ("New", "Good", "Worn")),
        (r"\bgrade$", ("A", "B", "C", "D", "F")),
        (r"\b(categor\w+|type|kind|classification|topic|tag)$", ("General", "Important", "Other")),
        (r"\blevel$", ("Beginner", "Intermediate", "Advanced")),
        (r"\b(status|stage|state|phase|progress)\b", STATUS_OPTIONS),
    )
)


def guess(name: str, *, domain_options: dict[str, tuple[str, ...]] | None = None) -> Kind:
    """The kind that a column's name suggests; `domain_options` are what a subject knows better, by folded name."""
    folded = key(name)
    known = (domain_options or {}).get(folded)
    if known:
        return Kind(name=name, type="select", options=known)
    kind = _type_of(folded)
    if kind == "select":
        return Kind(name=name, type="select", options=options_for(folded))
    return Kind(name=name, type=kind)


def _type_of(folded: str) -> str:
    if _NUMBER_OF.search(folded):
        return "number"
    says_date = re.search(r"\bdate\b|\bdeadline\b|\bon$", folded) or (
        _DATE.search(folded) and not _NOT_DATE.search(folded)
    )
    if says_date and not (folded.endswith("?") or re.fullmatch(r"finished|completed", folded)):
        return "date"
    if _BOOLEAN.search(folded):
        return "boolean"
    if _NUMBER.search(folded) and not _NOT_NUMBER.search(folded):
        return "number"
    return "select" if options_for(folded) else "text"


def options_for(folded: str) -> tuple[str, ...]:
    """Sensible options for a column of that folded name, or none."""
    # A state of the country is no stage of a process; a progress note is prose.
    if re.search(r"\bnotes?\b|\bcomments?\b|\bdescription\b|\bstate (?:or|and) |\bresource\b", folded):
        return ()
    return next((options for pattern, options in _OPTIONS if pattern.search(folded)), ())


def is_identifier(name: str) -> bool:
    """Whether a column of that name can tell one row from another for a person."""
    words = set(tokens(name))
    naming = {
        "name", "title", "company", "vendor", "supplier", "employer", "organisation", "organization", "item", "product", "task", "book",
        "summary", "subject", "description", "event", "recipe", "dish", "paper", "address", "person", "contact", "customer", "client",
        "project", "expense", "bug", "issue", "author", "apartment", "lead", "feature", "movie", "film", "plant", "website", "url", "feedback",
        "student", "employee", "candidate", "course", "restaurant", "place", "destination", "merchant", "who", "what", "account", "email",
        "habit", "exercise", "workout", "song", "album", "game", "goal", "idea", "question", "word", "asset", "device", "part", "tool",
        "position", "role", "job", "activity", "topic", "city", "country", "pet", "patient", "guest", "member", "subscription", "service",
    }  # fmt: skip
    return bool(words & naming)
