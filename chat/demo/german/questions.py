"""German questions about a table, as the English ones they stand for."""

from __future__ import annotations

import re

from chat.demo.german.conditions import ROW_NOUN, column_said, condition_said, rows_said
from chat.demo.german.sentences import said_with
from chat.demo.language.words import squeeze
from chat.demo.page import Page

_FLAGS = re.IGNORECASE | re.DOTALL
_HIGH = r"höchste[nrs]?|größte[nrs]?|teuerste[nrs]?|späteste[nrs]?|neueste[nrs]?|letzte[nrs]?|meiste[nrs]?"
_LOW = r"niedrigste[nrs]?|kleinste[nrs]?|billigste[nrs]?|günstigste[nrs]?|früheste[nrs]?|älteste[nrs]?|erste[nrs]?|wenigste[nrs]?"
_MEAN = r"durchschnittliche[nrs]?|mittlere[nrs]?|durchschnitt|mittelwert|schnitt"
_SUM = r"summe|gesamte[nrs]?|gesamt"
_FORMS = (
    (rf"(?:(?:wie hoch|was|welches|wann) ist |zeige? (?:mir )?|(?:wer|welche[rs]?(?: \w+)?) hat )?(?:der|die|das|den)?\s*(?P<high>{_HIGH})\s+(?P<what>.+)", "What is the highest {what}?"),
    (rf"(?:(?:wie hoch|was|welches|wann) ist |zeige? (?:mir )?|(?:wer|welche[rs]?(?: \w+)?) hat )?(?:der|die|das|den)?\s*(?P<low>{_LOW})\s+(?P<what>.+)", "What is the lowest {what}?"),
    (rf"(?:wie hoch ist |was ist |wie groß ist )?(?:der|die|das)?\s*(?:{_MEAN})\s+(?:von |beim? |des |der |an )?(?P<what>.+)", "What is the average {what}?"),
    (rf"(?:wie hoch ist |was ist |wie groß ist )?(?:der|die|das)?\s*(?:{_SUM})\s+(?:von |beim? |des |der |an )?(?P<what>.+)", "Total {what}"),
    (r"(?:wie groß ist )?(?:die )?(?:spanne|der bereich|bereich)\s+(?:von |beim? |des |der )?(?P<what>.+)", "Range of {what}"),
)  # fmt: skip
_GROUPED = (
    r"wie viele (?:\S+ )?(?:gibt es |sind es |zeilen )?(?:je|pro|nach)\s+(?P<by>.+)",
    r"(?:schlüssle|schlüsseln sie|gruppiere|gruppieren sie|teile|zähle|zählen sie)\s+(?:\S+\s+)*?(?:nach|je|pro)\s+(?P<by>.+?)(?:\s+auf)?",
    r"(?:zeige?n? (?:sie )?(?:mir )?)?(?:die )?(?:verteilung|aufteilung|übersicht|aufschlüsselung|anzahl)\s+(?:nach|je|pro|über|von|der|des)\s+(?P<by>.+)",
    r"wie verteil(?:t|en) sich (?:\S+ )?(?:(?:auf|nach|über) )?(?P<by>.+)",
    r"(?:aufgeschlüsselt|gruppiert) nach (?P<by>.+)",
    r"\S+ (?:nach|je|pro) (?P<by>\S+)",
)  # fmt: skip
_CHOSEN = r"(?:ausgewählt|markiert|angehakt|angekreuzt)"
_NOUNS = rf"(?:\s+(?:{ROW_NOUN}))?"
# "von den ausgewählten Zeilen", "der markierten", "diese", "in der Auswahl".
_SELECTED = re.compile(
    r"(?<![\w\"“„])(?:nur\s+)?(?P<into>(?:von|unter|bei|in|aus|für|der(?=\s))\s+)?(?:allen?\s+)?"
    rf"(?:(?:diese[rnms]?|die|den|der|meine[rn]?)\s+(?:hier\s+)?{_CHOSEN}(?:en|er|e)\b{_NOUNS}"
    rf"|(?<!\w){_CHOSEN}(?:en|er|e)\b{_NOUNS}"
    rf"|(?:diese[rn]?)\b(?!\s+(?:spalten?|felder?|optionen?|tabellen?|liste|ansicht|werte?|woche|monat|jahr|tage?)\b){_NOUNS}"
    r"|(?:der|die|meiner?|dieser?)\s+auswahl\b)",
    _FLAGS,
)
_PREDICATE = re.compile(rf"\s+(?:sind|ist|habe ich|hab ich|wurden)\s+(?:gerade\s+|jetzt\s+)?{_CHOSEN}\b(?=\s*(?:$|,|und\b))", _FLAGS)
# "Of them" may as well be all that was asked about before.
_OF_THEM = re.compile(r"(?<=\s)(?:davon|von (?:ihnen|denen))\b", _FLAGS)
_OPEN = re.compile(r"(?:^|\s)(?:wie viele|welche|was)$", _FLAGS)
_JOINED = re.compile(r"^\s*(?:,\s*)?und\s+(?=\S)", _FLAGS)


def questions(text: str, *, page: Page) -> str:
    """The English question, "" where this is none that is known."""
    rest = without_selection(text, page=page)
    if rest is None:
        return _question(text, page=page)
    # What is asked of the selected rows is asked as if of all, and then of "these".
    english = _question(rest, page=page)
    return f"{english.rstrip('?')} of these{'?' if english.endswith('?') else ''}" if english else ""


def _question(text: str, *, page: Page) -> str:
    readers = (_fixed, _grouped, _figures, _most, _counted, _shown)
    return next((english for reader in readers if (english := reader(text, page=page))), "")


def without_selection(text: str, *, page: Page) -> str | None:
    """The question without its words for the selected rows, None where it has none."""
    if found := _PREDICATE.search(text):
        before, after = text[: found.start()], _JOINED.sub("", text[found.end() :])
        return squeeze(f"{before} {'zeilen' if _OPEN.search(before) and not after else ''} {after}")
    found = _SELECTED.search(text) or (_OF_THEM.search(text) if page.ticked else None)
    if found is None:
        return None
    noun = "" if found.re is _OF_THEM or found["into"] or found[0].casefold().startswith("dieser ") else "alle zeilen"
    return squeeze(f"{text[: found.start()].rstrip(' ,')} {noun} {text[found.end() :].lstrip(' ,')}")


def _fixed(text: str, *, page: Page) -> str:
    if re.fullmatch(r"gibt es (?:hier )?(?:duplikate|dubletten|doppelte(?:\s\w+)?)|(?:finde|suche|zeige?) (?:mir )?(?:die )?(?:duplikate|dubletten)", text, _FLAGS):
        return "Are there duplicates?"
    longest = re.fullmatch(r"(?:was sind |welche sind |zeige? (?:mir )?)?(?:die|der|das)?\s*(?P<how>längste[nrs]?|kürzeste[nrs]?)\s+(?P<column>.+)", text, _FLAGS)
    column = column_said(longest["column"], page=page) if longest else None
    return f"{'Longest' if longest['how'].casefold().startswith('l') else 'Shortest'} {column.name}" if longest and column else ""


def _grouped(text: str, *, page: Page) -> str:
    for form in _GROUPED:
        found = re.fullmatch(form, text, _FLAGS)
        column = column_said(found["by"], page=page) if found else None
        if column is not None:
            return f"How many per {column.name}?"
    return ""


def _figures(text: str, *, page: Page) -> str:
    for form, english in _FORMS:
        found = re.fullmatch(form, text, _FLAGS)
        what = _measured(found["what"], page=page) if found else ""
        if what:
            return english.format(what=what)
    fused = re.fullmatch(r"(?:wie hoch ist |was ist )?(?:das|der|die)?\s*(?P<how>durchschnitts|gesamt|höchst|mindest)(?P<what>\w+)(?P<rest>.*)", text, _FLAGS)
    column = column_said(fused["what"], page=page) if fused else None
    if fused and column:
        rest = _measured(f"{column.name}{fused['rest']}", page=page)
        how = {"durchschnitts": "What is the average", "gesamt": "Total", "höchst": "What is the highest", "mindest": "What is the lowest"}
        return f"{how[fused['how'].casefold()]} {rest}" if rest else ""
    return ""


def _measured(said: str, *, page: Page) -> str:
    """ "Gehalt bei den abgelehnten je Status" → "Gehalt where Status is … per Status"."""
    words = said.split()
    for size in range(min(4, len(words)), 0, -1):
        column = column_said(" ".join(words[:size]), page=page)
        if column is None:
            continue
        rest = " ".join(words[size:])
        grouped = re.fullmatch(r"(?:je|pro|nach)\s+(?P<by>.+)", rest, _FLAGS)
        by = column_said(grouped["by"], page=page) if grouped else None
        if by is not None:
            return f"{column.name} per {by.name}"
        rows = rows_said(re.sub(r"^(?:bei|für|von)\s+(?=den\b|alle)", "", rest, flags=_FLAGS), page=page) if rest else ""
        condition = "" if not rest or rows == "all rows" else (rows or "").removeprefix("rows where ") or condition_said(rest, page=page)
        return column.name if not rest or rows == "all rows" else f"{column.name} where {condition}" if condition else ""
    return ""


def _most(text: str, *, page: Page) -> str:
    if re.fullmatch(r"wer zahlt (?:am )?(?:meisten|besten|das meiste)|(?:welche|welcher) \w+ zahlt (?:am )?(?:meisten|besten|das meiste)", text, _FLAGS):
        numbers = page.of_type("number")
        return f"What is the highest {numbers[0].name}?" if len(numbers) == 1 else "Who pays the most?"
    if re.fullmatch(r"(?:bei|auf|von) welche[rm]? \w+ (?:warte|wartete|habe) ich (?:schon )?am längsten(?: gewartet)?", text, _FLAGS):
        return "Which company have I waited for longest?"
    found = re.fullmatch(r"welche[rs]?\s+(?P<by>\w+)\s+(?:hat|haben|kommt|kommen)\s+(?:die\s+|am\s+)?(?:meisten|häufigsten)(?:\s+\w+)*", text, _FLAGS)
    column = column_said(found["by"], page=page) if found else None
    return f"Which {column.name} has the most?" if column else ""


def _counted(text: str, *, page: Page) -> str:
    found = re.fullmatch(r"(?:wie viele|zähle(?:n sie)?)\s+(?P<what>.+)", text, _FLAGS)
    if found is None:
        return ""
    what = re.sub(r"^(?:davon|zeilen|einträge|\w+en|der \w+)?\s*(?:haben|sind|gibt es|liegen|stehen|warten)\s+", "", found["what"], flags=_FLAGS)
    if not what or re.fullmatch(r"es|da|hier|insgesamt|zeilen|einträge", what, _FLAGS):
        return "How many rows are there?"
    rows = rows_said(what, page=page) or rows_said(found["what"], page=page)
    return f"How many {rows}?" if rows and rows.startswith("rows where") else "How many rows are there?" if rows else ""


def _shown(text: str, *, page: Page) -> str:
    body = said_with("show", text)
    asked = re.fullmatch(r"welche\s+(?:\w+\s+)?(?:sind|haben|liegen|wurden)\s+(?P<what>.+)", text, _FLAGS)
    what = asked["what"] if asked else body
    rows = rows_said(what, page=page) if what else None
    if rows and rows != "these":
        return "Show me all rows" if rows == "all rows" else f"Show me {rows}"
    find = re.fullmatch(r"(?:finde?n?|suche?n?)(?: sie)?\s+(?:nach\s+)?(?P<what>.+)", text, _FLAGS)
    return f"Find {find['what']}" if find else ""
