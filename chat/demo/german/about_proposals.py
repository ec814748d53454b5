"""German wishes for another form of the proposal that is open, as the English ones they stand for."""

from __future__ import annotations

import re

from chat.demo.german.about_columns import about_columns
from chat.demo.german.about_rows import value_in_english
from chat.demo.german.conditions import column_said, condition_said, option_said, truth_said
from chat.demo.german.days import english_count, english_numbers
from chat.demo.german.sentences import said_with
from chat.demo.german.values import german_value
from chat.demo.knowledge.pools import CITIES, COUNTRIES
from chat.demo.page import Page

_FLAGS = re.IGNORECASE | re.DOTALL
_ORDINALS = dict(zip("erste zweite dritte vierte fünfte sechste siebte achte neunte zehnte letzte".split(),
                     "first second third fourth fifth sixth seventh eighth ninth tenth last".split(), strict=True))  # fmt: skip
_PLACE = rf"(?P<place>{'|'.join(_ORDINALS)})[nrs]?"
_COUNT = r"\d{1,4}|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn"
_PLACES = re.compile(r"stadt|\bort|land\b|city|location|country", _FLAGS)
_THEM = r"(?:sie alle|alle davon|alle|sie|allen|ihnen allen|ihnen)"


def about_proposal(text: str, *, page: Page, of_rows: bool) -> str:
    """The English wish, "" where this is none about a proposal; `of_rows` tells which kind it is."""
    if not of_rows:
        left = re.fullmatch(r"(?:ohne|lass(?:e|en sie)?)\s+(?:die\s+)?(?:spalten?\s+)?(?P<names>.+?)(?:\s+weg)?", text, _FLAGS)
        if left and not about_columns(text, page=page):
            return "leave out " + " and ".join(re.split(r",\s*|\s+und\s+", left["names"]))
        return about_columns(text, page=page)
    readers = (_fewer, _other)
    return next((english for reader in readers if (english := reader(text, page=page))), "")


def places_said(said: str) -> str:
    """Places in a row in English: "die ersten drei" → "the first three"; "" where it names none."""
    text = re.sub(r"\s+(?:zeilen?|eintr[aä]ge?n?|vorschläge)$", "", said.strip(" ,."), flags=_FLAGS)
    if several := re.fullmatch(rf"(?:die|der|den|bei den)?\s*(?P<end>ersten|letzten)\s+(?P<count>{_COUNT})", text, _FLAGS):
        return f"the {'first' if several['end'].casefold() == 'ersten' else 'last'} {english_count(several['count'])}"
    if numbered := re.fullmatch(r"(?:die\s+)?(?:nummer|nr\.?)\s*(\d{1,4}(?:(?:,| und) \d{1,4})*)", text, _FLAGS):
        return f"number {numbered[1].replace(' und ', ' and ')}"
    parts = re.split(r",\s*|\s+und\s+", text)
    found = [re.fullmatch(rf"(?:die|der|das|den|dem)?\s*{_PLACE}", part, _FLAGS) for part in parts]
    named = [f"the {_ORDINALS[each['place'].casefold()]}" for each in found if each]
    return " and ".join(named) + " one" if named and len(named) == len(parts) and len(named) == 1 else " and ".join(named) if len(named) == len(parts) else ""


def _rows(said: str, *, page: Page) -> str:
    if found := places_said(said):
        return found
    text = re.sub(r"^(?:die|der|das|den|diejenigen|jene),?\s+(?=\S)", "", said, flags=_FLAGS)
    found = condition_said(text, page=page)
    return f"the ones where {found}" if found else ""


def _fewer(text: str, *, page: Page) -> str:
    many = re.fullmatch(rf"(?:nicht mehr als|höchstens|maximal|nur)\s+(?P<count>{_COUNT})(?:\s+(?:davon|zeilen|einträge|stück))?", text, _FLAGS)
    if many:
        return f"No more than {english_count(many['count'])}"
    but = re.fullmatch(r"alle(?:s)?\s+(?:außer|bis auf|ohne)\s+(?P<rows>.+)", text, _FLAGS)
    if but and (rows := places_said(but["rows"])):
        return f"All but {rows}"
    keep = re.fullmatch(r"(?:nur|bloß|lediglich)\s+(?:noch\s+)?(?P<rows>.+?)(?:\s+behalten)?", text, _FLAGS)
    kept = keep["rows"] if keep else said_with("keep", text) if re.match(r"behalt", text, _FLAGS) else ""
    if kept and (rows := _rows(re.sub(r"^nur\s+", "", kept, flags=_FLAGS), page=page)):
        return f"Only {rows}"
    without = re.fullmatch(r"ohne\s+(?P<rows>.+)", text, _FLAGS)
    out = without["rows"] if without else said_with("leave", text)
    if out and (rows := _rows(out, page=page)):
        return f"Leave out {rows}"
    dropped = said_with("delete", text)
    return f"Drop {rows}" if dropped and (rows := places_said(dropped)) else ""


def _other(text: str, *, page: Page) -> str:
    of_column = re.fullmatch(rf"(?:setze?n?|stelle?n?|ändere?|ändern)(?: sie)?\s+(?P<column>.+?)\s+(?:von|bei|der|des)?\s*(?P<rows>{_THEM}|(?:die|der|den|dem)\s+.+?|ihre[nr]?)?\s+auf\s+(?P<value>.+)", text, _FLAGS)
    if of_column and (found := _of_column(of_column, page=page)):
        return found
    given = re.fullmatch(rf"gib\s+(?P<rows>{_THEM}|.+?)\s+(?:ein(?:e|en)?|das|den|die)\s+(?P<column>\S+)\s+von\s+(?P<value>.+)", text, _FLAGS)
    if given and (column := column_said(given["column"], page=page)):
        return f"Set {column.name} of {_which(given['rows'])} to {value_in_english(given['value'], column=column, page=page)}"
    used = re.fullmatch(rf"(?:nimm|verwende|nutze|trage)\s+(?P<value>.+?)\s+als\s+(?P<column>.+?)(?:\s+(?:für|bei)\s+{_THEM})?(?:\s+ein)?", text, _FLAGS)
    if used and (column := column_said(used["column"], page=page)):
        return f"Set {column.name} of all of them to {value_in_english(used['value'], column=column, page=page)}"
    should = re.fullmatch(rf"(?P<rows>{_THEM}|die .+?|der .+?)\s+soll(?:en|te|ten)?\s+(?:alle\s+)?(?P<value>.+?)\s+(?:sein|werden|liegen)", text, _FLAGS)
    rows, value = (_which(should["rows"]), should["value"]) if should else _made(text)
    if rows and value:
        return _value_of(rows, value=value, page=page)
    everywhere = re.fullmatch(r"alle\s+(?P<value>in .+)", text, _FLAGS)
    return _value_of("all of them", value=everywhere["value"], page=page) if everywhere else ""


def _made(text: str) -> tuple[str, str]:
    """ "Mach die ersten zwei abgelehnt": the rows, as many words as name them, and the value."""
    words = re.sub(r"^(?:mache?n?|setze?n?|markiere?n?|ändere?|stelle?n?)(?:\s+sie(?=\s+(?:die|sie|alle)\b))?\s+", "", text, flags=_FLAGS)
    said = words.split() if words != text else []
    for size in range(len(said) - 1, 0, -1):
        if rows := _which(" ".join(said[:size])):
            return rows, re.sub(r"^(?:auf|zu|als|nach)\s+(?=\S)", "", " ".join(said[size:]), flags=_FLAGS)
    return "", ""


def _value_of(rows: str, *, value: str, page: Page) -> str:
    """A value whose column was not said: of a place there may be but one."""
    text = re.sub(r"^(?:in|aus)\s+", "", value, flags=_FLAGS)
    places = [column for column in page.of_type("text") if _PLACES.search(column.name)]
    is_place = text != value or any(text in (city, german_value(city)) for city in (*CITIES, *COUNTRIES))
    if is_place and len(places) == 1:
        return f"Set {places[0].name} of {rows} to {text}"
    return f"{rows} should be {_value(value, page=page)}"


def _of_column(found: re.Match[str], *, page: Page) -> str:
    said = re.sub(r"^ihre[nr]?\s+", "", found["column"], flags=_FLAGS)
    column = column_said(said, page=page)
    rows = "all of them" if said != found["column"] or not found["rows"] else _which(found["rows"])
    return f"Set {column.name} of {rows} to {value_in_english(found['value'], column=column, page=page)}" if column and rows else ""


def _which(said: str) -> str:
    return "all of them" if re.fullmatch(_THEM, said.strip(), _FLAGS) else places_said(said)


def _value(said: str, *, page: Page) -> str:
    no = re.match(r"^nicht\s+", said, _FLAGS)
    text = said[no.end() :] if no else said
    option, truth = option_said(text, page=page), truth_said(text, page=page)
    return ("not " if no else "") + (option[1] if option else truth.name if truth else english_numbers(text))
