"""Which language a message is in, by its common words. The names and options of the page's table do not count."""

from __future__ import annotations

import re

from chat.demo.page import Page

GERMAN, ENGLISH = "de", "en"
_FLAGS = re.IGNORECASE
_MOST_CHARACTERS = 600
_QUOTED = re.compile(r"“[^”]*”|„[^“”]*[“”]|\"[^\"]*\"|«[^»]*»")
_WORD = re.compile(r"[^\W\d_]+")
_GERMAN = re.compile(
    r"\w*[äöüß]\w*|\w{3,}(?:ungen|ieren|keit|heit|schaft)"
    r"|ich|du|sie|er|es|wir|mich|dich|uns|mir|dir|ihr|ihre[nmrs]?|mein(?:e[nmrs]?)?|de[rnms]|die|das|diese[nmrs]?|und|oder|aber|nicht|nichts|kein(?:e[nmrs]?)?"
    r"|mit|ohne|von|vom|zu|zum|zur|nach|auf|aus|bei|beim|im|ins|eine?[nmrs]?|ein|ist|sind|wird|werden|haben|gibt|wie|wieviele?|wo|wer|wen|wem|was|wann|warum"
    r"|welche[nmrs]?|wenn|dann|nun|noch|mehr|schon|nur|alle[nsr]?|jede[nmrs]?|viele?n?|letzten?|heute|hier|ja|nein|weiter|bitte|danke\w*|dank|hallo|hilfe"
    r"|guten?|servus|moin|prima|toll|deutsch|zeilen?|spalten?|tabellen?|zellen?|optionen|duplikate?|beispielen?|beispielzeilen?|zeige?n?|setze?n?|stelle?n?"
    r"|mache?n?|erstelle?n?|lege?n?|suche?n?|finden|fasse?n?|zusammen\w*|sortiere?n?|markiere?n?|entferne?n?|ersetze?n?|leere?n?|nenne?n?|umbenennen"
    r"|kann|kannst|soll|sollen|summe|durchschnitt", _FLAGS,
)  # fmt: skip
_ENGLISH = re.compile(
    r"i|you|he|she|it|we|they|me|us|them|my|your|our|their|its|the|an?|this|that|these|those|and|or|but|not|nothing|anything|something|with|without|of|to|for"
    r"|from|by|on|at|into|about|is|are|be|do|does|has|have|there|how|what|where|who|when|why|which|if|then|more|only|all|any|every|each|many|much|last|today"
    r"|here|yes|no|please|thanks?|hello|hi|hey|help|good|rows?|columns?|tables?|cells?|options|duplicates?|samples?|show|set|make|create|add|delete|remove"
    r"|find|list|count|sort|mark|replace|clear|rename|move|change|update|fill|keep|track|can|could|should|want|need|like|empty|sum|average", _FLAGS,
)  # fmt: skip


def language_of(words: str, *, page: Page) -> str:
    """GERMAN or ENGLISH, whichever has more words in the message; "" where it has as many of both, or none of either.

    Of several lines the first one counts, if it says enough: those below it are mostly what was pasted.
    """
    text = words.strip()[:_MOST_CHARACTERS]
    return _language(text.partition("\n")[0], page=page) or _language(text, page=page)


def _language(text: str, *, page: Page) -> str:
    text = _QUOTED.sub(" ", text)
    names = {page.table_name, *(name for column in page.columns for name in (column.name, *column.options))}
    named = sorted((re.escape(name) for name in names if name.strip()), key=len, reverse=True)
    if named:
        text = re.sub(rf"(?<!\w)(?:{'|'.join(named)})(?!\w)", " ", text)
    said = {word.casefold() for word in _WORD.findall(text)}
    german = sum(1 for word in said if _GERMAN.fullmatch(word))
    english = sum(1 for word in said if _ENGLISH.fullmatch(word))
    return "" if german == english else GERMAN if german > english else ENGLISH
