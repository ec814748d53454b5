"""German wishes that the pages and the demo itself offer, as the English ones they stand for."""

from __future__ import annotations

import re

from chat.demo.german.words import PHRASES, SUBJECTS
from chat.demo.language.words import squeeze

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
    (r"wie viele zeilen (?:gibt es|sind es|sind da|hat die tabelle)(?: hier)?", "How many rows are there?"),
    (r"was (?:können sie|kannst du|kann ich|lässt sich) hier (?:tun|machen)|was ist hier möglich|hilfe",
     "What can you do here?"),
    (r"welche tabellen (?:habe ich|gibt es)", "What tables do I have?"),
    (r"welche spalten könnten auswahlspalten (?:sein|werden)", "Which columns could be select columns?"),
    (r"anbieten, wie es weitergeht", "Offer what to do next"),
    (r"(?:hallo|guten (?:tag|morgen|abend))", "Hello"),
    (r"(?:danke(?: schön| sehr)?|vielen dank)", "Thanks"),
)  # fmt: skip
_SHAPED = (
    (rf"(?:füge |bitte )?(?P<count>{_COUNT})?\s*(?:weitere )?beispielzeilen?(?: hinzu(?:fügen)?)?", "Add {count} sample rows"),
    (r"wie viele (?:zeilen )?je (?P<column>.+)", "How many per {column}?"),
    (r"(?:füge )?eine spalte (?P<column>[^,]+?) mit (?P<options>.+?) hinzu(?:fügen)?", "Add a {column} column with {options}"),
    (r"(?:füge )?eine spalte (?P<column>[^,]+?) hinzu(?:fügen)?", "Add a {column} column"),
    (r"(?P<column>.+?) zur pflichtspalte machen", "Make {column} required"),
    (r"(?P<column>.+?) zur auswahlspalte machen", "Change {column} to a select"),
    (r"(?P<column>.+?) an den anfang verschieben", "Move {column} to the start"),
    (r"die spalte (?P<column>.+?) entfernen", "Remove the {column} column"),
)  # fmt: skip
_GERMAN = re.compile(r"[äöüß]|\b(?:ich|der|die|das|und|nicht|mit|eine?n?|ist|sind|wie|welche|zeilen?|spalten?)\b", _FLAGS)
_TWO = 2


def understood(words: str) -> str:
    """The wish in English, "" where it is not one of these."""
    text = squeeze(words).strip(" .!?")
    for pattern, english in _FIXED:
        if re.fullmatch(pattern, text, _FLAGS):
            return english
    for pattern, english in _SHAPED:
        found = re.fullmatch(pattern, text, _FLAGS)
        if found:
            return english.format(**{name: _in_english(name, said or "") for name, said in found.groupdict().items()})
    return _new_table(text)


def sounds_german(words: str) -> bool:
    """Whether somebody seems to write German: then what was not understood is said in German, too."""
    return len({found.casefold() for found in _GERMAN.findall(words)}) >= _TWO


def _in_english(name: str, said: str) -> str:
    if name == "count":
        return _NUMBERS.get(said.casefold(), said) or "some"
    return re.sub(r"\s+und\s+", ", ", said) if name == "options" else said


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
