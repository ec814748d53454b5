"""German wishes about the rows of a table, as the English ones they stand for."""

from __future__ import annotations

import re

from chat.demo.german.conditions import column_said, condition_said, option_said, rows_said, truth_said
from chat.demo.german.days import english_day, english_numbers
from chat.demo.german.sentences import said_with
from chat.demo.language.words import key, unquote
from chat.demo.page import Column, Page

_FLAGS = re.IGNORECASE | re.DOTALL
_ROWS = re.compile(
    r"(?:,\s*|\s+)(?P<word>wo|wenn|falls|sofern|bei denen|deren|(?:überall|dort|da),? wo|für|bei|von|in|aller|überall)(?=\s|$)", _FLAGS
)
_FIRST = re.compile(r"^(?:wenn|falls|wo|bei|für)\s+(?P<rows>.+?),\s*(?:dann\s+)?(?P<rest>.+)$", _FLAGS)
_ONE_ROW = re.compile(
    r"^(?:eine?n?\s+)?(?:neuen?r?s?\s+|weiteren?\s+)?(?:zeile|eintrag|datensatz|bewerbung|kunden?|lieferanten?|kontakt|buch|ausgabe|aufgabe)\b"
    r"\s*(?P<join>:|für|mit|namens|bei)?\s*(?P<values>.*)$", _FLAGS,
)  # fmt: skip

_GAPS = (
    re.compile(r"^(?:fülle?n?\s+(?:sie\s+)?)?(?:die\s+)?(?:spalte\s+)?(?P<column>.+?)(?:\s+(?:der|in der)\s+tabelle\s+.+?)?\s+(?:in\s+den\s+zeilen\s+)?"
               r"(?:aus|füllen|ausfüllen),\s+(?:in\s+denen|wo)\s+sie\s+leer\s+(?:ist|sind)(?:[.,:;].*)?$", _FLAGS),
    re.compile(r"^(?:fülle?n?\s+(?:sie\s+)?)?(?:die\s+)?leeren\s+zellen\s+(?:der|in\s+der)\s+spalte\s+(?P<column>.+?)(?:\s+(?:aus|füllen|ausfüllen))?$", _FLAGS),
)  # fmt: skip


def about_rows(text: str, *, page: Page) -> str:
    """The English wish, "" where this is none about rows."""
    first = _FIRST.match(text)
    if first and (rest := about_rows(first["rest"], page=page)) and " where " not in rest:
        found = condition_said(first["rows"], page=page)
        return f"{rest} where {found}" if found else ""
    readers = (_set, _mark, _clear, _replace, _fill, _delete, _keep_one, _add)
    return next((english for reader in readers if (english := reader(text, page=page))), "")


def value_in_english(said: str, *, column: Column, page: Page) -> str:
    """A value as it is read here: options as they are written, numbers and days in English."""
    text = said.strip(" ,.")
    if key(text) in ("leer", "nichts"):
        return "empty"
    if column.type == "boolean":
        return {"ja": "yes", "nein": "no", "wahr": "yes", "falsch": "no"}.get(key(text), text)
    if column.type == "select":
        option = option_said(text, page=page)
        return column.option(text) or (option[1] if option and option[0] is column else text)
    if column.type == "number":
        return english_numbers(text)
    return (english_day(text) or text) if column.type == "date" else text


def _rows(said: str, *, word: str, page: Page) -> str:
    """What follows the values: "where Status is Offer", "for these rows"; "" where it cannot be read."""
    if re.match(r"(?:überall|aller)$", word, _FLAGS):
        said = f"alle {said}"
    rows = rows_said(said, page=page)
    if rows is None and word.casefold() in ("bei", "von", "in", "für"):
        found = condition_said(f"{'bei' if word.casefold() == 'für' else word} {said}", page=page)
        rows = f"rows where {found}" if found else None
    return "" if rows is None else rows.removeprefix("rows ") if rows.startswith("rows where") else f"for {rows}"


def _with_rows(said: str, *, page: Page) -> tuple[str, str]:
    """What is said of the value, and the rows that follow it in English."""
    for found in _ROWS.finditer(said):
        rows = _rows(said[found.end() :], word=found["word"], page=page)
        if rows:
            return said[: found.start()], rows
    return said, ""


def _set(text: str, *, page: Page) -> str:
    body = said_with("set", text)
    moved = re.match(r"^(?P<column>.+?)\s+von\s+(?P<old>.+?)\s+(?:auf|in|zu)\s+(?P<new>.+)$", body, _FLAGS)
    column = column_said(moved["column"], page=page) if moved else None
    if moved and column:
        old, new = (value_in_english(moved[name], column=column, page=page) for name in ("old", "new"))
        if column.type != "select" or column.option(old):
            return f"Change {column.name} from {old} to {new}"
    head, word, tail = _cut(body, words=("auf", "="))
    if not word:
        return _set_rows(body, page=page)
    rows = ""
    column = column_said(head, page=page)
    if column is None:
        head, rows = _with_rows(f" {head}", page=page)
        turned = re.match(r"^(?:bei|für)\s+(?P<rows>.+?)\s+(?P<column>(?:den|die|das)\s+\S+|\S+)$", head.strip(), _FLAGS)
        if turned and not rows:
            head, rows = turned["column"], _rows(turned["rows"], word="bei", page=page)
        column = column_said(head, page=page)
    if column is None or (not rows and head.strip() and column_said(head, page=page) is None):
        return _set_rows(body, page=page)
    values, said_rows = _with_rows(tail, page=page)
    rows = rows or said_rows
    further = re.match(r"^(?P<value>.+?)\s+und\s+(?P<column>.+?)\s+auf\s+(?P<more>.+)$", values, _FLAGS)
    other = column_said(further["column"], page=page) if further else None
    sets = value_in_english(further["value"] if further and other else values, column=column, page=page)
    more = f" and {other.name} to {value_in_english(further['more'], column=other, page=page)}" if further and other else ""
    return f"Set {column.name} to {sets}{more}{' ' + rows if rows else ''}"


def _cut(body: str, *, words: tuple[str, ...]) -> tuple[str, str, str]:
    found = re.search(rf"\s+(?P<word>{'|'.join(map(re.escape, words))})\s+", body, _FLAGS)
    return (body[: found.start()], found["word"], body[found.end() :]) if found else (body, "", "")


def _set_rows(body: str, *, page: Page) -> str:
    """ "alle Beworbenen auf Abgelehnt": a value whose column goes without saying."""
    head, word, tail = _cut(body, words=("auf", "zu", "in", "als"))
    rows = rows_said(head, page=page) if word else None
    value = _bare_value(tail, page=page) if rows else ""
    return f"Mark {rows} as {value}" if rows and value else ""


def _bare_value(said: str, *, page: Page) -> str:
    text = re.sub(r"^(?:als|auf|zu)\s+", "", said.strip(" ,."), flags=_FLAGS)
    no = re.match(r"^nicht\s+", text, _FLAGS)
    if option := option_said(text, page=page):
        return option[1]
    truth = truth_said(text[no.end() :] if no else text, page=page)
    return f"{'not ' if no else ''}{truth.name}" if truth else ""


def _mark(text: str, *, page: Page) -> str:
    body = said_with("mark", text)
    found = re.match(r"^(?P<rows>.+?)\s+als\s+(?P<value>.+)$", body, _FLAGS)
    rows = rows_said(found["rows"], page=page) if found else None
    value = _bare_value(found["value"], page=page) if found and rows else ""
    return f"Mark {rows} as {value}" if value else ""


def _clear(text: str, *, page: Page) -> str:
    head, rows = _with_rows(said_with("clear", text), page=page)
    column = column_said(head, page=page)
    return f"Clear {column.name} {rows}" if column and rows else ""


def _replace(text: str, *, page: Page) -> str:
    found = re.match(r"^(?:alle\s+)?(?P<old>.+?)\s+(?:durch|gegen|mit)\s+(?P<new>.+?)(?:\s+in\s+(?P<column>.+))?$", said_with("replace", text), _FLAGS)
    column = column_said(found["column"], page=page) if found and found["column"] else None
    if found is None or (found["column"] and column is None):
        return ""
    return f"Replace {unquote(found['old'])} with {unquote(found['new'])}" + (f" in {column.name}" if column else "")


def _fill(text: str, *, page: Page) -> str:
    using = re.match(r"^(?:nutze|verwende|nimm|nutzen sie|verwenden sie)\s+(?P<source>.+?),?\s+um\s+(?P<column>.+?)\s+(?:auszufüllen|zu füllen|zu setzen)$", text, _FLAGS)
    found = using or re.match(r"^(?P<column>.+?)\s+(?:anhand|aufgrund|nach|aus|mit)\s+(?P<source>.+)$", said_with("fill", text) or said_with("set", text), _FLAGS)
    column = column_said(found["column"], page=page) if found else None
    source = column_said(re.sub(r"^(?:von|der wörter in|dessen, was in)\s+", "", found["source"], flags=_FLAGS), page=page) if found else None
    return f"Fill {column.name} from {source.name}" if column and source else ""


def fill_gaps(text: str, *, page: Page) -> str:
    """The English wish where the empty cells of a column are to be filled, "" where it is another one."""
    found = next((match for form in _GAPS if (match := form.match(text))), None)
    column = column_said(found["column"], page=page) if found else None
    return f"Fill in the column “{column.name}” where it is empty" if column else ""


def _delete(text: str, *, page: Page) -> str:
    body = re.sub(r"\s+(?:aus|in|von) (?:der|dieser) (?:tabelle|liste)$", "", said_with("delete", text), flags=_FLAGS)
    if not body:
        return "Remove duplicate entries" if re.match(r"^duplikate bereinigen$", text, _FLAGS) else ""
    doubles = re.match(r"^(?:(?:die|alle)\s+)?(?:duplikate|doppelten?(?:\s+\w+)?|dubletten)(?:\s+(?:nach|in|bei)\s+(?P<column>.+))?$", body, _FLAGS)
    if doubles:
        column = column_said(doubles["column"], page=page) if doubles["column"] else None
        return f"Delete duplicates by {column.name}" if column else "" if doubles["column"] else "Delete the duplicates"
    same = re.match(r"^(?:die |alle )?(?:zeilen|einträge) (?:mit|die) (?:de[rm]selben|gleiche[rnm]?|derselben|dem gleichen) (?P<column>.+?)(?: haben)?$", body, _FLAGS)
    if same and (column := column_said(same["column"], page=page)):
        return f"Remove rows with the same {column.name}"
    rows = rows_said(body, page=page)
    return f"Delete {rows}" if rows else ""


def _keep_one(text: str, *, page: Page) -> str:
    found = re.match(r"^(?:behalte(?:n sie)?\s+)?(?:nur|je|jeweils)\s+(?:eine[nr]?|den ersten|die erste)\s+(?:\w+\s+)?(?:je|pro|von jede[rm])\s+(?P<column>.+?)(?:\s+behalten)?$", text, _FLAGS)
    column = column_said(found["column"], page=page) if found else None
    return f"Keep only one of each {column.name}" if column else ""


def _add(text: str, *, page: Page) -> str:
    body = said_with("add", text) or (text if re.match(r"^neuer?\s+", text, _FLAGS) else "")
    row = _ONE_ROW.match(body)
    if row and row["values"]:
        word = "for" if (row["join"] or "").casefold() == "für" else ":"
        return f"Add a row{word if word == ':' else ' ' + word} {_values(row['values'], page=page)}"
    if row and not row["values"]:
        return "Add a row"
    named = re.match(r"^(?P<a>[^,:]+?)\s+als\s+(?P<b>.+)$", body, _FLAGS)
    if named and not re.search(r"\b(?:spalten?|optionen?|auswahl)\b", body, _FLAGS):
        return f"Add {_values(named['a'], page=page)} as {_values(named['b'], page=page)}"
    return ""


def _values(said: str, *, page: Page) -> str:
    """A list of values, each of which may follow its column: "Firma Acme, Gehalt 80.000"."""
    parts = re.split(r",\s+|\s+und\s+(?=\S+\s)|\s+mit\s+", english_numbers(said))
    return ", ".join(_pair(part, page=page) for part in parts if part.strip())


def _pair(part: str, *, page: Page) -> str:
    words = part.split()
    for size in range(min(3, len(words) - 1), 0, -1):
        column = column_said(" ".join(words[:size]), page=page)
        if column is not None:
            value = re.sub(r"^(?:ist|=|:|von)\s+", "", " ".join(words[size:]), flags=_FLAGS)
            return f"{column.name}: {value_in_english(value, column=column, page=page)}"
    option = option_said(part, page=page)
    return option[1] if option else english_day(part) or part
