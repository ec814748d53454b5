"""A German wish without its courtesy, and the verb that it begins or ends with: "Bitte den Status auf Angebot setzen"."""

from __future__ import annotations

import re

from chat.demo.language.words import squeeze

_FLAGS = re.IGNORECASE
_LEAD = re.compile(
    r"^(?:hallo|guten tag|bitte|ok(?:ay)?|gut|danke|dann|und|also|doch|nein|ja|nun|jetzt|mal|"
    r"(?:könnten|können|würden|kannst|könntest|würdest) (?:sie|du|wir)(?: mir)?(?: bitte)?|ich (?:möchte|will|würde)(?: gerne?)?"
    r"|wir (?:möchten|wollen)|lass(?:en sie)? uns)(?:[\s,.!:]+|$)(?=\S)", _FLAGS,
)  # fmt: skip
_TAIL = re.compile(r"[\s,]+(?:bitte|danke|stattdessen|doch|nochmal|für mich)$", _FLAGS)
# How a wish may begin, what ends it then, and the infinitive that ends it otherwise.
_VERBS = {
    "set": (r"setze?n?|stelle?n?|änder[en]+|ändre|trage?n?|mache?n?|schreibe?n?|passe?n?", r"ein|an", r"setzen|stellen|ändern|machen|eintragen|anpassen"),
    "mark": (r"markiere?n?|kennzeichne?n?|hake?n?", r"ab|an", r"markieren|kennzeichnen|abhaken|anhaken"),
    "delete": (r"lösche?n?|entferne?n?|streiche?n?|wirf|werfen|nimm|nehmen", r"raus|heraus|weg|hinaus", r"löschen|entfernen|streichen|rauswerfen|herausnehmen|wegnehmen"),
    "leave": (r"lass(?:e|en)?", r"weg|aus", r"weglassen|auslassen"),
    "add": (r"füge?n?|ergänze?n?|lege?n?|erstelle?n?|erzeuge?n?|trage?n?|nimm|nehmen|erfinde?n?|gib|geben|schreibe?n?",
            r"hinzu|an|ein|auf|dazu", r"hinzufügen|ergänzen|anlegen|erstellen|erzeugen|eintragen|einfügen|aufnehmen|erfinden"),
    "rename": (r"benenne?n?|nenne?n?", r"um", r"umbenennen|nennen"),
    "move": (r"verschiebe?n?|stelle?n?|setze?n?|rücke?n?|schiebe?n?|bringe?n?", r"", r"verschieben|stellen|setzen|rücken|schieben"),
    "make": (r"mache?n?|wandle?|wandeln|ändere|ändern", r"um", r"machen|umwandeln|ändern"),
    "clear": (r"leere?n?", r"", r"leeren"),
    "replace": (r"ersetze?n?|tausche?n?", r"aus", r"ersetzen|austauschen"),
    "fill": (r"fülle?n?|ergänze?n?|befülle?n?", r"aus|auf", r"füllen|ausfüllen|auffüllen|befüllen|ergänzen"),
    "show": (r"zeige?n?|liste?n?|nenne?n?|finde?n?|suche?n?|filtere?n?", r"auf|an|nach", r"zeigen|anzeigen|auflisten|finden|suchen|filtern"),
    "keep": (r"behalte?n?|lass(?:e|en)?", r"stehen|übrig", r"behalten"),
}  # fmt: skip
_WHO = r"(?:\s+(?:sie|du|mir|uns|bitte|mal|nun|jetzt|noch))*"
_FORMS = {
    verb: (
        re.compile(rf"^(?:{begins}){_WHO}\s+(?P<body>.+?)(?P<part>\s+(?:{part}))?$" if part else rf"^(?:{begins}){_WHO}\s+(?P<body>.+?)(?P<part>)$", _FLAGS | re.DOTALL),
        re.compile(rf"^(?P<body>.+?)\s+(?:zu\s+)?(?:{ends})$", _FLAGS | re.DOTALL),
    )
    for verb, (begins, part, ends) in _VERBS.items()
}  # fmt: skip

# What follows the end of the verb: the values of a row, or a clause.
_AFTER = re.compile(r":\s|,\s(?=(?:wo|wenn|falls|sofern|bei|deren|die|was|in)\s)", _FLAGS)


def plain(words: str) -> str:
    """The wish on one line, without greeting, courtesy and what ends it."""
    text = re.sub(r"\s+stattdessen\b", "", squeeze(words), flags=_FLAGS).strip(" .!?,")
    while (shorter := _TAIL.sub("", _LEAD.sub("", text)).strip(" .!?,")) != text:
        text = shorter
    return text


def said_with(verb: str, text: str) -> str:
    """What a wish says beside this verb, "" where it has another. A part that goes with the verb ("um") may stand before
    what follows a colon: "Füge eine Zeile hinzu: Acme"."""
    begins, ends = _FORMS[verb]
    after = _AFTER.search(text)
    head, rest = (text[: after.start()], text[after.start() :]) if after else (text, "")
    found = ends.match(head) or begins.match(head)
    return f"{found['body']}{rest}" if found else ""
