"""Words: cleaning, comparing, splitting and casing English text."""

from __future__ import annotations

import re
import unicodedata

_SPACES = re.compile(r"\s+")
_QUOTES = "\"'“”„‚‘’«»`"
_LEAD = re.compile(
    r"^(?:(?:hi|hello|hey)(?: there)?|ok(?:ay)?|please|pls|now|then|so|well|great|thanks|thank you|also|next"
    r"|kindly|just|actually"
    r"|(?:could|can|would|will) (?:you|we|i)(?: please)?|i(?:'d| would| ?’d) (?:like|love|prefer)(?: you)? to"
    r"|i(?: want| need| wish| have|'m trying| am trying)(?: you)? to|let(?:'|’)?s|let us|go ahead and|help me(?: to)?"
    r"|you (?:can|should|may)|be so kind and|i(?:'m| am) (?:going|looking) to)(?![\w’'-])[\s,.!:…-]*",
    re.IGNORECASE,
)
_TAIL = re.compile(
    r"[\s,.!?…]*(?:\b(?:please|pls|thanks|thank you|thx|for me|right now|if you can|if possible|would you|will "
    r"you)\b)?[\s.!?…]*$",
    re.IGNORECASE,
)
_IRREGULAR = {
    "people": "person",
    "children": "child",
    "men": "man",
    "women": "woman",
    "criteria": "criterion",
    "leaves": "leave",
    "statuses": "status",
    "addresses": "address",
    "diagnoses": "diagnosis",
}
_IRREGULAR |= {word + "s": word for word in "movie cookie expense course house purchase invoice warehouse".split()}
_IRREGULAR |= {word + "s": word for word in "license licence database phase case nurse horse".split()}
_IRREGULAR |= {
    word: word for word in "series news status bus business address progress always species previous".split()
}
_IRREGULAR_PLURAL = {
    "person": "people",
    "child": "children",
    "feedback": "feedback",
    "inventory": "inventory",
    "series": "series",
}
_SMALL = {"of", "and", "the", "to", "in", "for", "a", "an", "on", "at", "by", "or", "with", "per", "vs", "from"}
_ACRONYMS = {
    word: word.upper() for word in "id url vat cv hr isbn doi ip sku api os usd eur gbp crm kpi pr rsvp tv".split()
}
_ACRONYMS |= {word: word.upper() for word in "dob pdf qa ceo okr eta it".split()} | {
    "linkedin": "LinkedIn",
    "github": "GitHub",
}


def squeeze(text: str) -> str:
    """One line, single spaces, no outer space."""
    return _SPACES.sub(" ", text).strip()


def key(text: str) -> str:
    """What two spellings of one name share."""
    return squeeze(unicodedata.normalize("NFKC", unquote(text))).casefold()


def unquote(text: str) -> str:
    """Without one layer of quotation marks around the whole."""
    text = text.strip()
    if len(text) >= 2 and text[0] in _QUOTES and text[-1] in _QUOTES:
        return text[1:-1].strip()
    return text


def tokens(text: str) -> list[str]:
    """Its words, folded and in the singular."""
    return [singular(word) for word in re.findall(r"[^\W_]+", key(text).replace("'s", "").replace("’s", ""))]


def bare(text: str) -> str:
    """The wish without greeting, courtesy and closing punctuation; the text itself if nothing else is left."""
    text = text.replace("’", "'").strip()
    rest = text
    while (shorter := _LEAD.sub("", rest, count=1)) != rest:
        rest = shorter
    while (shorter := _TAIL.sub("", rest)) != rest:
        rest = shorter
    return rest.strip() or text


def singular(word: str) -> str:
    """The singular of a lower-case noun, by rule; words that are no plural come back as they are."""
    if word in _IRREGULAR:
        return _IRREGULAR[word]
    if len(word) > 3 and word.endswith("ies"):
        return word[:-3] + "y"
    if len(word) > 4 and word.endswith(("sses", "shes", "ches", "xes", "zes")):
        return word[:-2]
    if len(word) > 3 and word.endswith("s") and not word.endswith(("ss", "us", "is")):
        return word[:-1]
    return word


def plural(word: str) -> str:
    """The plural of a noun, by rule."""
    low = word.casefold()
    if low in _IRREGULAR_PLURAL:
        return _IRREGULAR_PLURAL[low]
    if singular(low) != low:
        return word
    if low.endswith("y") and low[-2:-1] not in "aeiou":
        return word[:-1] + "ies"
    if low.endswith(("s", "x", "z", "ch", "sh")):
        return word + "es"
    return word + "s"


def plural_phrase(phrase: str) -> str:
    """The phrase with its last word in the plural."""
    head, _, last = phrase.rpartition(" ")
    return f"{head} {plural(last)}".strip()


def singular_phrase(phrase: str) -> str:
    """The phrase with its last word in the singular, its case kept."""
    head, _, last = phrase.rpartition(" ")
    one = singular(last.casefold())
    last = last if one == last.casefold() else last[: len(one)] if last.casefold().startswith(one) else one
    return f"{head} {last}".strip()


def title(text: str) -> str:
    """Title Case that leaves words with capitals of their own as they are."""
    words = squeeze(unquote(text)).split(" ")
    return " ".join(_title_word(word, first=index in (0, len(words) - 1)) for index, word in enumerate(words))


def _title_word(word: str, *, first: bool) -> str:
    if any(letter.isupper() for letter in word):
        return word
    low = word.casefold()
    if low in _ACRONYMS:
        return _ACRONYMS[low]
    if low in _SMALL and not first:
        return low
    return word[:1].upper() + word[1:]


def split_list(text: str) -> list[str]:
    """The items of "a, b (x, y) and c", outside brackets and quotation marks, without empty ones."""
    items, start = [], 0
    for found in _SEPARATOR.finditer(text):
        if found["stop"]:
            items.append(text[start : found.start()])
            start = found.end()
    items.append(text[start:])
    return [item for item in (squeeze(part).strip(" .;,") for part in items) if item]


_SEPARATOR = re.compile(
    r"\([^)]*\)|\[[^\]]*\]|\"[^\"]*\"|“[^”]*”"
    r"|(?P<stop>\s*[,;\n]\s*(?:(?:and|or|plus|as well as|und)\s+|&\s*)?|\s+(?:and also|and|plus|as well as|&|\+)\s+)",
    re.IGNORECASE,
)


def and_list(items: list[str]) -> str:
    """ "a, b and c"."""
    return items[0] if len(items) == 1 else f"{', '.join(items[:-1])} and {items[-1]}" if items else ""


def shown(value: object, *, limit: int = 80) -> str:
    """Foreign text as it may stand in a sentence: one line, bounded, no Markdown, nothing that opens an element."""
    text = re.sub(r"[`*\[\]{}<>|#\\]", " ", squeeze(str(value)))
    text = squeeze(text)
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def linked(name: str, *, kind: str, to: object) -> str:
    """A name that may stand in a sentence as a link to what it names; as it is where there is no id."""
    return f"[{name}]({kind}:{to})" if name and to else name
