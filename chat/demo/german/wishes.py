"""German wishes, as the English ones they stand for."""

from __future__ import annotations

import re

from chat.demo.german.about_columns import about_columns
from chat.demo.german.about_proposals import about_proposal
from chat.demo.german.about_rows import about_rows, fill_gaps
from chat.demo.german.about_view import about_view
from chat.demo.german.questions import questions
from chat.demo.german.sentences import plain
from chat.demo.german.words import PHRASES, SUBJECTS
from chat.demo.language.words import squeeze
from chat.demo.page import Page

_FLAGS = re.IGNORECASE
_COUNT = r"\d{1,4}|eine|ein paar|zwei|drei|vier|fünf|sechs|sieben|acht|neun|zehn"
_NUMBERS = {"eine": "1", "ein paar": "some", "zwei": "2", "drei": "3", "vier": "4", "fünf": "5", "sechs": "6",
            "sieben": "7", "acht": "8", "neun": "9", "zehn": "10"}  # fmt: skip
_TABLE = re.compile(
    rf"^(?:\w+\s+){{0,6}}?(?P<subject>{'|'.join(SUBJECTS)})\b(?:\s+(?:verfolgen|festhalten|führen|sammeln|anlegen))?"
    r"(?:\s*(?::|,?\s+mit\b)\s*(?P<columns>.+))?$",
    _FLAGS,
)
_FIXED = (
    (r"wie viele zeilen (?:gibt es|sind es|sind da|hat die tabelle|sind in der tabelle)(?: hier)?|wie groß ist die tabelle", "How many rows are there?"),
    (r"was (?:können sie|kannst du|kann ich|lässt sich)(?: hier)?(?: alles)? (?:tun|machen)?|was ist hier möglich|hilfe|was (?:können sie|kannst du)",
     "What can you do here?"),
    (r"erklär(?:e|en sie)?(?: mir)? (?:diese|die) seite", "Explain this page"),
    (r"was ist (?:ein|der) vorschlag|wie (?:geht|funktioniert) ein vorschlag|was sind vorschläge", "What is a proposal?"),
    (r"wie (?:nehme|mache|kann) ich (?:etwas|das|es|eine änderung|änderungen)(?: wieder)? (?:zurück(?:nehmen)?|rückgängig(?: machen)?)",
     "How do I undo?"),
    (r"welche tabellen (?:habe ich|gibt es)|(?:zeige? (?:mir )?)?(?:alle )?meine tabellen(?: zeigen)?", "What tables do I have?"),
    (r"wie viele tabellen (?:habe ich|gibt es)", "How many tables do I have?"),
    (r"welche (?:text)?spalten könnten auswahlspalten (?:sein|werden)", "Which columns could be select columns?"),
    (r"welche spalten (?:gibt es|hat die tabelle|sind da)(?: hier)?", "What columns are there?"),
    (r"(?:erklär|beschreib)(?:e|en sie)?(?: mir)? (?:diese|die) tabelle|worum geht es (?:hier|in dieser tabelle)|was steht in (?:dieser|der) tabelle", "Explain this table"),
    (r"anbieten, wie es weitergeht", "Offer what to do next"),
    (r"(?:hallo|guten (?:tag|morgen|abend)|grüß gott|moin|servus)", "Hello"),
    (r"(?:danke(?: schön| sehr| dir| ihnen)?|dankeschön|(?:(?:super|prima|toll),? )?vielen dank|super|prima|toll)", "Thanks"),
)  # fmt: skip
_SAMPLES = re.compile(
    rf"(?:füge|gib|erfinde|erzeuge|erstelle|mach|lege|ergänze)?n?(?: sie)?(?: mir)?(?: bitte)?\s*(?:noch\s+)?(?P<count>{_COUNT})?\s*(?:weitere |erfundene )?"
    r"(?:(?:beispiel|test|demo|muster)(?:zeilen?|daten|eintr[aä]ge?n?|s[aä]tze?|\w+)?|beispielen?|erfundene zeilen?)"
    r"(?: (?:hinzu(?:fügen)?|an(?:legen)?|ein(?:fügen)?|erzeugen|erfinden|erstellen))?"
    r"|fülle?n?(?: sie)? die tabelle mit (?:beispiel|test)\w+(?: (?:füllen|auf))?",
    _FLAGS,
)
MOST_CHARACTERS = 600
NOWHERE = Page()


def understood(words: str, *, page: Page = NOWHERE, open_proposal: str = "") -> str:
    """The wish in English, "" where it is not understood. `open_proposal` is the type of one that waits, or nothing."""
    if len(words) > MOST_CHARACTERS or "\n" in words.strip():
        return ""
    asked = re.split(r"(?<=\?)\s+", words.strip())
    if len(asked) > 1:
        each = [understood(one, page=page) for one in asked]
        return " ".join(each) if all(one.endswith("?") for one in each) else ""
    text = plain(words)
    if page.has_table and (filling := fill_gaps(text, page=page)):
        return filling
    bare = squeeze(words).strip(" .!?")
    for pattern, english in _FIXED:
        if re.fullmatch(pattern, text, _FLAGS) or re.fullmatch(pattern, bare, _FLAGS):
            return english
    if samples := _SAMPLES.fullmatch(text):
        count = (samples["count"] or "").casefold()
        return f"Add {_NUMBERS.get(count, count) or 'some'} sample {'row' if count in ('1', 'eine') else 'rows'}"
    if open_proposal and (revised := about_proposal(text, page=page, of_rows=open_proposal == "data_proposal")):
        return revised
    if page.has_table and (english := about_view(text, page=page)):
        return english
    if page.has_table and (english := about_columns(text, page=page) or questions(text, page=page) or about_rows(text, page=page)):
        return english
    return "" if page.has_table else _new_table(text)


def _new_table(text: str) -> str:
    found = _TABLE.match(text)
    if found is None:
        return ""
    wish, _name = SUBJECTS[found["subject"].casefold()]
    columns = [PHRASES.get(each.casefold(), each) for each in _split(found["columns"] or "")]
    return f"{wish} with {', '.join(columns)}" if columns else wish


def _split(listed: str) -> list[str]:
    """The columns of a list; in German no comma stands before its last "und"."""
    return [part.strip() for part in re.split(r",\s*|\s+und\s+", listed) if part.strip()]
