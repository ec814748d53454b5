"""Language tags of locales whose formats are the same on the server and in browsers, and which of them a user has."""
from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

DEFAULT = "en"
# Regions by language. Other locales have other formats in browsers than in Babel, or none; their language is used.
_REGIONS = {
    "af": "ZA",
    "am": "ET",
    "ar": "001 AE BH DJ DZ EG EH ER IL IQ JO KM KW LB LY MA MR OM PS QA SA SD SS SY TD TN YE",
    "bg": "BG",
    "bn": "BD",
    "ca": "AD ES FR IT",
    "cs": "CZ",
    "da": "DK GL",
    "de": "AT BE CH DE IT LU",
    "el": "CY GR",
    "en": "001 AE AG AI AS AT AU BB BI BM BS BW BZ CA CC CK CM CX CY DG DM ER FJ FK FM GB GD GG GH GI GM GS GU GY HK ID"
    " IE IL IM IN IO JE JM KE KI KN KY LC LR LS MG MH MO MP MS MT MU MW MY NA NF NG NR NU NZ PG PH PK PN PR PW RW SB SC"
    " SD SG SH SL SS SX SZ TC TK TO TT TV TZ UG UM US VC VG VI VU WS ZA ZM ZW",
    "es": "419 BO BR BZ CL CR CU DO EA EC ES GT HN IC MX NI PA PE PH PR PY SV US UY VE",
    "et": "EE",
    "fa": "IR",
    "fi": "FI",
    "fil": "PH",
    "fr": "BE BF BI BJ BL CA CD CF CG CH CI CM DJ DZ FR GA GF GN GP GQ HT KM LU MC MF MG ML MQ MR MU NC NE PF PM RE RW"
    " SC SN SY TD TG TN VU WF YT",
    "gu": "IN",
    "he": "IL",
    "hi": "IN",
    "hr": "BA HR",
    "hu": "HU",
    "id": "ID",
    "it": "CH IT SM VA",
    "ja": "JP",
    "kn": "IN",
    "ko": "KR",
    "lt": "LT",
    "lv": "LV",
    "mr": "IN",
    "ms": "BN ID MY SG",
    "nb": "NO SJ",
    "nl": "AW BE BQ CW NL SR SX",
    "no": "",
    "pl": "PL",
    "pt": "AO BR CH GQ GW LU MO MZ PT ST TL",
    "ro": "MD RO",
    "ru": "BY KG KZ MD RU UA",
    "sk": "SK",
    "sl": "SI",
    "sr": "Cyrl Latn RS",
    "sv": "SE",
    "sw": "CD TZ UG",
    "ta": "IN LK MY SG",
    "te": "IN",
    "th": "TH",
    "tr": "CY TR",
    "uk": "UA",
    "vi": "VN",
    "zh": "CN HK Hans Hant MO SG TW",
}
# In their usual spelling, by lower case.
TAGS = {
    tag.lower(): tag
    for language, regions in _REGIONS.items()
    for tag in (language, *(f"{language}-{region}" for region in regions.split()))
}


@lru_cache(maxsize=1_000)
def known_tag(tag: str) -> str:
    """Return the known locale of a language tag: itself, else without its last parts; "" for other languages."""
    parts = tag.lower().replace("_", "-").split("-")
    return next((TAGS[each] for end in range(len(parts), 0, -1) if (each := "-".join(parts[:end])) in TAGS), "")


# Called for each page, with few different arguments.
@lru_cache(maxsize=1_000)
def choose_tag(*, chosen: str, page: str, accepted: str) -> str:
    """Return the locale of a user's numbers and dates.

    It is the one of the profile (`chosen`), else the first of `Accept-Language` in the language of the page, else that
    language: with an English page, “de-DE, en-GB;q=0.8” is en-GB.
    """
    language = page.split("-")[0].lower()
    in_language = (tag for tag in _accepted(accepted) if tag.split("-")[0].lower() == language)
    return next(filter(None, map(known_tag, (chosen, *in_language, page))), DEFAULT)


def _accepted(header: str) -> Iterable[str]:
    """Yield the tags of the header; browsers send the preferred ones first."""
    for item in header[:500].split(","):
        tag, _, quality = item.partition(";")
        if tag.strip() and quality.strip().replace(" ", "") not in ("q=0", "q=0.0", "q=0.00", "q=0.000"):
            yield tag.strip()
