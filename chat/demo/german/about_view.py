"""German wishes about how the table looks, and what its page can open, as the English ones they stand for."""

from __future__ import annotations

import re

from chat.demo.german.conditions import column_said, rows_said
from chat.demo.page import Page

_FLAGS = re.IGNORECASE | re.DOTALL
_POLITE = r"(?:\s+(?:sie|du|mir|uns|bitte|mal|nun|jetzt|mir mal))*"
_IT = r"(?:\s+(?:die|diese|alle|meine)?\s*(?:tabelle|zeilen|einträge|daten|liste)|\s+sie|\s+alles|\s+das)?"
_REMOVE = r"(?:entferne?n?|lösche?n?|hebe?n?|beende?n?|setze?n?)"
_END = r"(?:\s+(?:auf|zurück|entfernen|aufheben|löschen|beenden|zurücksetzen))?"
_FIXED = (
    (rf"(?:{_REMOVE}{_POLITE}\s+)?(?:die )?sortierung{_END}", "Clear the sorting"),
    (rf"(?:{_REMOVE}{_POLITE}\s+)?(?:den |die |alle )?filter{_END}", "Clear the filters"),
    (rf"(?:{_REMOVE}{_POLITE}\s+)?(?:die )?suche{_END}", "Clear the search"),
    (rf"(?:{_REMOVE}{_POLITE}\s+)?(?:die )?ansicht(?:\s+(?:zurück|zurücksetzen))", "Reset the view"),
    (rf"drucke?n?{_POLITE}{_IT}(?:\s+aus)?|(?:die |diese )?tabelle (?:aus)?drucken", "Print"),
    (rf"(?:(?:zeige?n?|öffne?n?){_POLITE}\s+)?(?:den |die )?(?:verlauf|historie|änderungsverlauf)(?:\s+(?:an|zeigen|anzeigen|öffnen))?",
     "Show the history"),
    (rf"teile?n?{_POLITE}{_IT}|(?:die |diese )?tabelle (?:teilen|freigeben)|gib{_POLITE} (?:die |diese )?tabelle frei", "Share the table"),
    (rf"mach(?:e|en)?{_POLITE} (?:die |meine )(?:letzte )?änderung (?:wieder )?rückgängig"
     r"|(?:die )?letzte änderung rückgängig(?: machen)?|nimm die letzte änderung zurück", "Undo the last change"),
    (rf"rückgängig|mach(?:e|en)?{_POLITE} (?:das|es) (?:wieder )?rückgängig"
     r"|das rückgängig(?: machen)?|nimm (?:das|es) zurück|rückgängig machen", "Undo that"),
    (r"wiederhole?n?(?: sie)? (?:das|sie|die (?:letzte )?änderung)|wiederherstellen", "Redo that"),
    (rf"(?:zeige?n?{_POLITE}|blende?n?{_POLITE})\s+(?:wieder )?alle spalten(?: wieder)?(?:\s+(?:an|ein))?|alle spalten (?:wieder )?(?:ein|an)?(?:zeigen|blenden)",
     "Show all columns"),
)  # fmt: skip
_SORT = re.compile(
    rf"^(?:(?:sortiere?n?|ordne?n?){_POLITE}{_IT}(?:\s+bitte)?\s+(?:nach\s+)?(?P<a>.+?)|(?:(?:die |alle )?(?:tabelle|zeilen)\s+)?nach\s+(?P<b>.+?)\s+(?:sortieren|ordnen))$",
    _FLAGS,
)
_KEY = re.compile(
    r"^(?P<column>.+?)(?:,?\s*\(?(?:(?P<down>absteigend|(?:die |das |den )?(?:höchst|größt|neuest|spätest)e[nrs]? zuerst|z bis a|rückwärts)"
    r"|aufsteigend|(?:die |das |den )?(?:niedrigst|kleinst|ältest|frühest)e[nrs]? zuerst|a bis z))?\)?$", _FLAGS,
)  # fmt: skip
_KEYS_END = re.compile(
    r"\s*,?\s+(?:und\s+)?(?:dann|danach)(?:\s+nach)?\s+|\s*,(?!\s*(?:(?:d\w\w )?\w+e[nrs]? zuerst|auf|ab|[az] bis))\s*|\s+und\s+(?:nach\s+)?", _FLAGS,
)  # fmt: skip
_FILTER = re.compile(
    rf"^(?:(?:zeige?n?{_POLITE}\s+(?:bitte\s+)?nur|filtere?n?{_POLITE}(?:\s+nach|\s+auf)?)\s+(?P<a>.+?)(?:\s+an)?|nur\s+(?P<b>.+?)\s+(?:an)?zeigen|nach\s+(?P<c>.+?)\s+filtern)$",
    _FLAGS,
)
_SEARCH = re.compile(rf"^(?:suche?n?{_POLITE}\s+nach\s+(?P<a>.+)|nach\s+(?P<b>.+?)\s+suchen)$", _FLAGS)
_HIDE = re.compile(rf"^(?:(?:blende?n?|verstecke?n?){_POLITE}\s+(?P<a>.+?)(?:\s+aus)?|(?P<b>.+?)\s+(?:ausblenden|verstecken))$", _FLAGS)
_SHOW = re.compile(rf"^(?:blende?n?{_POLITE}\s+(?P<a>.+?)\s+(?:wieder\s+)?ein|(?P<b>.+?)\s+(?:wieder\s+)?einblenden)$", _FLAGS)
_EXPORT = re.compile(
    rf"^(?:(?:exportiere?n?){_POLITE}(?P<all>\s+alle zeilen)?{_IT}|(?P<all2>alle zeilen|(?:die |diese )?tabelle)?\s*(?=.*exportieren))"
    r"(?:\s*(?:als|nach|in)\s+(?:eine? )?(?P<format>csv|excel|xlsx|json)(?:-?datei)?)?(?:\s*exportieren)?$", _FLAGS,
)  # fmt: skip


def about_view(text: str, *, page: Page) -> str:
    """The English wish, "" where this is none about the view."""
    for pattern, english in _FIXED:
        if re.fullmatch(pattern, text, _FLAGS):
            return english
    readers = (_sort, _show, _hide, _filter, _search, _export)
    return next((english for reader in readers if (english := reader(text, page=page))), "")


def _sort(text: str, *, page: Page) -> str:
    found = _SORT.match(text)
    if found is None:
        return ""
    keys = []
    for part in _KEYS_END.split(found["a"] or found["b"]):
        key = _KEY.match(part.strip())
        column = column_said(key["column"], page=page) if key else None
        if key is None or column is None:
            return ""
        keys.append(f"{column.name}{' descending' if key['down'] else ''}")
    return f"Sort by {', then by '.join(keys)}"


def _named(listed: str, *, page: Page) -> str:
    parts = re.split(r"\s*,\s*|\s+und\s+", re.sub(r"^(?:die )?spalten?\s+", "", listed, flags=_FLAGS))
    columns = [column_said(part, page=page) for part in parts]
    return " and ".join(column.name for column in columns if column) if all(columns) else ""


def _show(text: str, *, page: Page) -> str:
    found = _SHOW.match(text)
    named = _named(found["a"] or found["b"], page=page) if found else ""
    return f"Show the {named} columns" if named else ""


def _hide(text: str, *, page: Page) -> str:
    found = _HIDE.match(text)
    named = _named(found["a"] or found["b"], page=page) if found else ""
    return f"Hide {named}" if named else ""


def _filter(text: str, *, page: Page) -> str:
    found = _FILTER.match(text)
    rows = rows_said(found["a"] or found["b"] or found["c"], page=page) if found else None
    return f"Show only {rows}" if rows and rows.startswith("rows where ") else ""


def _search(text: str, *, page: Page) -> str:
    found = _SEARCH.match(text)
    return f"Search for {found['a'] or found['b']}" if found else ""


def _export(text: str, *, page: Page) -> str:
    found = _EXPORT.match(text)
    if found is None:
        return ""
    every = found["all"] or (found["all2"] or "").casefold() == "alle zeilen"
    return f"Export {'all rows' if every else 'the table'} as {(found['format'] or 'csv').casefold()}"
