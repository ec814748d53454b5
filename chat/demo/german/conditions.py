"""Which rows a German phrase picks, in the English that is read here: "die abgelehnten", "wo das Gehalt über 80.000 liegt"."""

from __future__ import annotations

import re

from chat.demo.german.days import COUNT, english_count, english_numbers, english_span
from chat.demo.german.words import COLUMNS, OPTIONS, PHRASES
from chat.demo.language.numbers import number
from chat.demo.language.words import key, squeeze, unquote
from chat.demo.page import Column, Page

_FLAGS = re.IGNORECASE
_ARTICLE = r"(?:der|die|das|den|dem|des|eine?[rmns]?|mein[ersmn]*|ihre?[nmrs]?|deren|alle[nrs]?|jede[nrs]?)"
ROW_NOUN = (
    r"(?:zeilen?|eintr[aä]ge?n?|datens[aä]tze?n?|bewerbungen|stellen|lieferanten|kunden|kontakte?n?|aufgaben|b[üu]cher|ausgaben|rechnungen"
    r"|r[üu]ckmeldungen|fehler|pflanzen|rezepte?n?|produkte?n?|artikeln?|bestellungen|projekte?n?|termine?n?|filme?n?|abos?)"
)  # fmt: skip
_NOUN = re.compile(ROW_NOUN, _FLAGS)
SELECTED = re.compile(
    r"(?:nur )?(?:diese[rnms]?|(?:die |den |der |meine )?(?:ausgewählten|markierten|angehakten|gewählten)|(?:die )?auswahl)"
    r"(?: (?:zeilen|einträgen?|hier))?", _FLAGS,
)  # fmt: skip
_ALL = re.compile(r"(?:überall|alle[snr]?(?: anderen)?|sämtliche|jede[rn]?|die ganze tabelle|der ganzen tabelle)(?: (?:\w+))?", _FLAGS)
_NUMBERED = re.compile(r"(?:den |die )?zeilen? (?:nummer )?(\d+(?:(?:, | und )\d+)*)", _FLAGS)
_LEAD = re.compile(r"^(?:,|wo|wenn|falls|bei denen|in denen|für die|bei welchen|deren|dessen|sofern|solange|die|was|welche|das|und)\s+(?=\S)", _FLAGS)
_VERB = re.compile(
    r"\s+(?:ist|sind|war|waren|liegt|liegen|beträgt|hat|haben|steht|lautet|wurden?|worden sind|stammen|kommen|sein soll)$", _FLAGS
)
_BOUND = (
    ("at least", r"mindestens|wenigstens|≥|>="), ("at most", r"höchstens|maximal|nicht mehr als|≤|<="),
    ("over", r"über|mehr als|größer als|höher als|>"), ("under", r"unter|weniger als|kleiner als|niedriger als|<"),
)  # fmt: skip
_PLACES = {
    "bei": r"firma|company|unternehmen|arbeitgeber|lieferant|vendor|kunde|customer|stelle", "in": r"ort|stadt|city|location|land|country|kategorie",
    "aus": r"stadt|city|land|country|ort|location", "von": r"autor|author|person|zuständig|owner|assignee|kunde|customer|firma|company",
}  # fmt: skip
_SPLIT = re.compile(r"zwischen\s+.+?\s+und\s+\S+|\"[^\"]*\"|„[^“”]*[“”]|(?P<cut>\s+(?P<word>und|oder|aber)\s+|,\s*(?P<comma>))", _FLAGS)


def column_said(said: str, *, page: Page) -> Column | None:
    """The column that a German phrase names: as it is called, or by the English that it is called in."""
    text = squeeze(unquote(said.strip(" ,.:"))).strip()
    while (shorter := re.sub(rf"^(?:{_ARTICLE}|spalte|feld|werte?)\s+(?=\S)", "", text, flags=_FLAGS)) != text:
        text = shorter
    for name in (text, re.sub(r"e?s$", "", text), text + "e", re.sub(r"n$", "", text)):
        for wanted in (name, PHRASES.get(key(name), name)):
            exact = next((column for column in page.columns if key(column.name) == key(wanted)), None)
            if exact is not None:
                return exact
    same = [column for column in page.columns if key(COLUMNS.get(column.name, "")) == key(text)]
    return same[0] if len(same) == 1 else None


def option_said(said: str, *, page: Page) -> tuple[Column, str] | None:
    """The select column and its option that a German word means, however it is inflected: "abgelehnten"."""
    text = re.sub(rf"^{_ARTICLE}\s+", "", unquote(said.strip(" ,.")), flags=_FLAGS)
    for stem in (text, *(text[: -len(end)] for end in ("en", "em", "er", "es", "e", "n") if text.casefold().endswith(end) and len(text) > 4)):
        found = [(column, option) for column in page.of_type("select") for option in column.options
                 if key(stem) in (key(option), key(OPTIONS.get(option, option)), key(option) + "e")]  # fmt: skip
        if len(found) == 1:
            return found[0]
    return None


def truth_said(said: str, *, page: Page) -> Column | None:
    """The yes-or-no column that a German word names."""
    text = unquote(said.strip(" ,."))
    stems = [text, *(text[: -len(end)] for end in ("en", "er", "es", "e") if text.casefold().endswith(end))]
    found = [column for column in page.of_type("boolean") for stem in stems if column is column_said(stem, page=page)]
    return found[0] if found else None


def rows_said(said: str, *, page: Page) -> str | None:
    """The rows in English: "these", "all rows", "rows 3 and 5", "rows where …"; None where they cannot be read."""
    text = squeeze(said.strip(" ,.;!?"))
    if SELECTED.fullmatch(text):
        return "these"
    if numbered := _NUMBERED.fullmatch(text):
        return f"rows {numbered[1].replace(' und ', ' and ')}"
    if (whole := _ALL.fullmatch(text)) and (text.count(" ") == 0 or _is_noun(text.split()[-1], page=page) or "ganze" in whole[0]):
        return "all rows"
    found = condition_said(_without_noun(text, page=page), page=page)
    return f"rows where {found}" if found else None


def condition_said(said: str, *, page: Page) -> str:
    """The conditions of a phrase in English, joined as they were; "" where one of them cannot be read."""
    parts, joins, start = [], [], 0
    for found in _SPLIT.finditer(said):
        if found["cut"]:
            parts.append(said[start : found.start()])
            joins.append("or" if (found["word"] or "").casefold() == "oder" else "and")
            start = found.end()
    clauses: list[str] = []
    before: Column | None = None
    for part in (*parts, said[start:]):
        clause, before = _clause(part, page=page, before=before)
        if not clause:
            return ""
        clauses.append(clause)
    return clauses[0] + "".join(f" {join} {clause}" for join, clause in zip(joins, clauses[1:], strict=True))


def _clause(said: str, *, page: Page, before: Column | None) -> tuple[str, Column | None]:
    text = squeeze(said.strip(" ,."))
    while (shorter := _VERB.sub("", _LEAD.sub("", text))) != text:
        text = shorter
    lacks = re.fullmatch(r"(?:ohne|(?:die )?keine?n?r?)\s+(?P<name>.+)", text, _FLAGS)
    if lacks and (column := column_said(lacks["name"], page=page)):
        return (f"{column.name} is no" if column.type == "boolean" else f"{column.name} is empty"), column
    having = re.sub(r"^mit\s+(?:eine[mr]\s+)?", "", text, flags=_FLAGS)
    words = having.split()
    for size in range(min(5, len(words)), 0, -1):
        column = column_said(" ".join(words[:size]), page=page)
        if column is not None and (size < len(words) or column.type == "boolean" or having != text):
            return _predicate(column, " ".join(words[size:]), page=page), column
    free = _free(text, page=page)
    return (free, before) if free or before is None else (_predicate(before, text, page=page), before)


def _predicate(column: Column, rest: str, *, page: Page) -> str:
    rest = re.sub(r"^(?:ist|sind|war|waren|liegt|hat|=|:|gleich|lautet)\s+(?=\S)", "", rest.strip(" ,"), flags=_FLAGS)
    negated = re.match(r"^(?:noch\s+)?(?:nicht|ungleich|kein[en]*|!=)\s+(?=\S)", rest, _FLAGS)
    rest, no = rest[negated.end() :] if negated else rest, "not " if negated else ""
    if not rest:
        return f"{column.name} is {'yes' if column.type == 'boolean' else 'not empty'}"
    if re.fullmatch(r"leer|frei|unbekannt|fehlt|ausgefüllt|gesetzt|vorhanden", rest, _FLAGS):
        there = re.fullmatch(r"ausgefüllt|gesetzt|vorhanden", rest, _FLAGS) is not None
        return f"{column.name} is {'' if there == bool(negated) else 'not '}empty"
    begins = re.fullmatch(r"mit (?P<a>.+?) (?:beginnt|beginnen|anfängt|anfangen)|(?:beginnt|fängt) mit (?P<b>.+?)(?: an)?", rest, _FLAGS)
    if begins and not negated:
        return f"{column.name} starts with {unquote(begins['a'] or begins['b'])}"
    holds = re.fullmatch(r"(?P<a>.+?) (?:enthält|enthalten|erwähnt)|(?:enthält|erwähnt) (?P<no>nicht )?(?P<b>.+)", rest, _FLAGS)
    if holds:
        word = "does not contain" if negated or holds["no"] else "contains"
        return f"{column.name} {word} {unquote(holds['a'] or holds['b'])}"
    if column.type == "date":
        span = english_span(rest)
        return f"{column.name} is {no}{span}" if span else ""
    if column.type == "number":
        return _bounded(column, rest, no=no)
    if column.type == "boolean":
        truth = {"ja": "yes", "nein": "no", "wahr": "yes", "falsch": "no", "angehakt": "yes", "leer": "empty"}.get(key(rest))
        return f"{column.name} is {no}{truth}" if truth else ""
    option = option_said(rest, page=page) if column.type == "select" else None
    value = column.option(rest) or (option[1] if option and option[0] is column else "")
    if column.type == "select":
        return f"{column.name} is {no}{value}" if value else ""
    return f"{column.name} is {no}{rest}"


def _bounded(column: Column, rest: str, *, no: str) -> str:
    rest = english_numbers(rest)
    between = re.fullmatch(r"(?:zwischen|von)\s+(?P<low>.+?)\s+(?:und|bis)\s+(?P<high>.+)", rest, _FLAGS)
    if between and not no:
        return f"{column.name} is between {_amount(between['low'])} and {_amount(between['high'])}"
    for english, german in (*_BOUND, ("at least", "ab"), ("at most", "bis(?: zu)?")):
        bound = re.fullmatch(rf"(?:{german})\s*(?P<amount>.+)", rest, _FLAGS)
        if bound and number(_amount(bound["amount"])) is not None and not no:
            return f"{column.name} is {english} {_amount(bound['amount'])}"
    return f"{column.name} is {no}{_amount(rest)}" if number(_amount(rest)) is not None else ""


def _amount(said: str) -> str:
    return english_count(said) if re.fullmatch(COUNT, said, _FLAGS) and not said[0].isdigit() else said.strip()


def _free(text: str, *, page: Page) -> str:
    """What names no column: an option, a yes or no, a place, a day, a bound, a cell that is shown."""
    negated = re.match(r"^(?:noch\s+)?nicht\s+(?=\S)", text, _FLAGS)
    rest, no = text[negated.end() :] if negated else text, "not " if negated else ""
    if option := option_said(rest, page=page):
        return f"{option[0].name} is {no}{option[1]}"
    if truth := truth_said(rest, page=page):
        return f"{truth.name} is {'no' if negated else 'yes'}"
    if negated:
        return ""
    placed = re.fullmatch(r"(?P<word>bei|in|aus|von)\s+(?P<name>.+?)(?:\s+(?P<more>(?:vor|nach|seit|ohne|mit|über|unter|älter)\s.+))?", text, _FLAGS)
    if placed and not english_span(text) and (found := _placed(placed["word"].casefold(), placed["name"], page=page)):
        more = condition_said(placed["more"], page=page) if placed["more"] else ""
        return found if not placed["more"] else f"{found} and {more}" if more else ""
    days, numbers = page.of_type("date"), page.of_type("number")
    stripped = re.sub(r"\s+(?:beworben|erhalten|gekauft|bestellt|angelegt|fällig)$", "", text, flags=_FLAGS)
    if days and (span := english_span(stripped)):
        return span if re.match(r"before|after|since|until|older|newer|in the|overdue|between", span) else f"{days[0].name} is {span}"
    if len(numbers) == 1 and re.match(rf"(?:{'|'.join(german for _, german in _BOUND)})\s", text, _FLAGS):
        return _bounded(numbers[0], text, no="")
    if cell := page.with_cell(text):
        return f"{cell[0].name} is {cell[1]}"
    words = text.split()
    each = [_free(word, page=page) for word in words] if 1 < len(words) <= 3 else []
    return " and ".join(each) if each and all(each) else ""


def _placed(word: str, name: str, *, page: Page) -> str:
    if cell := page.with_cell(name):
        return f"{cell[0].name} is {cell[1]}"
    column = next((column for column in page.of_type("text") if re.search(_PLACES[word], column.name, _FLAGS)), None)
    column = column or (next(iter(page.of_type("text")), None) if word == "bei" else None)
    return f"{column.name} contains {unquote(name)}" if column and len(name.split()) <= 5 else ""


def _is_noun(word: str, *, page: Page) -> bool:
    low = key(word)
    return bool(_NOUN.fullmatch(low)) or (len(low) > 3 and key(page.table_name).startswith(low[:-1]))


def _without_noun(text: str, *, page: Page) -> str:
    """ "alle abgelehnten Bewerbungen bei Acme" → "abgelehnten und bei Acme"."""
    text = re.sub(r"^(?:alles|alle|die|diejenigen|jene),?\s+(?:was|die|welche)\s+", "", text, flags=_FLAGS)
    text = re.sub(rf"^(?:nur\s+)?(?:(?:{_ARTICLE}|all|sämtliche)\s+)+(?=\S)", "", text, flags=_FLAGS)
    words = text.split()
    for place, word in enumerate(words):
        if _is_noun(word.strip(","), page=page):
            head, tail = " ".join(words[:place]), " ".join(words[place + 1 :]).lstrip(", ")
            return f"{head} und {tail}" if head and tail else head or tail
        if re.fullmatch(r"mit|ohne|bei|wo|die|deren|vor|nach|seit|über|unter|älter|in|zwischen", word.strip(","), _FLAGS):
            head = " ".join(words[:place]).strip(", ")
            return f"{head} und {' '.join(words[place:])}" if head and _free(head, page=page) else text
    return text
