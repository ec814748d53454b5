"""Currencies: codes of ISO 4217, symbols, and decimal places as browsers show them."""
from __future__ import annotations

import unicodedata

from tables.column_types.number_values import SIGNS

# The active codes, without those of funds, metals and tests.
CURRENCIES = tuple(
    """
    AED AFN ALL AMD ANG AOA ARS AUD AWG AZN BAM BBD BDT BGN BHD BIF BMD BND BOB BRL BSD BTN BWP BYN BZD CAD CDF CHF CLP
    CNY COP CRC CUP CVE CZK DJF DKK DOP DZD EGP ERN ETB EUR FJD FKP GBP GEL GHS GIP GMD GNF GTQ GYD HKD HNL HTG HUF IDR
    ILS INR IQD IRR ISK JMD JOD JPY KES KGS KHR KMF KPW KRW KWD KYD KZT LAK LBP LKR LRD LSL LYD MAD MDL MGA MKD MMK MNT
    MOP MRU MUR MVR MWK MXN MYR MZN NAD NGN NIO NOK NPR NZD OMR PAB PEN PGK PHP PKR PLN PYG QAR RON RSD RUB RWF SAR SBD
    SCR SDG SEK SGD SHP SLE SOS SRD SSP STN SVC SYP SZL THB TJS TMT TND TOP TRY TTD TWD TZS UAH UGX USD UYU UZS VED VES
    VND VUV WST XAF XCD XOF XPF YER ZAR ZMW ZWG
    """.split()
)
# Those of CLDR in English. Other currencies are shown with their code.
SYMBOLS = {
    "AUD": "A$", "BRL": "R$", "CAD": "CA$", "CNY": "CN¥", "EUR": "€", "GBP": "£", "HKD": "HK$", "ILS": "₪", "INR": "₹",
    "JPY": "¥", "KRW": "₩", "MXN": "MX$", "NZD": "NZ$", "PHP": "₱", "TWD": "NT$", "USD": "$", "VND": "₫",
}  # fmt: skip
# The usual currency of a sign in files; those of the others that are written with it are not known from it.
CURRENCY_OF_SIGN = {
    "€": "EUR", "£": "GBP", "$": "USD", "¥": "JPY", "₹": "INR", "₩": "KRW", "₪": "ILS", "₫": "VND", "₱": "PHP",
    "₺": "TRY", "₽": "RUB", "₴": "UAH", "₦": "NGN", "₸": "KZT", "₾": "GEL", "฿": "THB", "₲": "PYG", "₡": "CRC",
}  # fmt: skip
# Signs of several currencies with their codes.
CURRENCY_OF_SYMBOL = {symbol: code for code, symbol in SYMBOLS.items()}
# By the language in a number format of a workbook (in hexadecimal), for signs of several currencies.
CURRENCY_OF_LANGUAGE = {
    "$": {
        "409": "USD", "1009": "CAD", "c0c": "CAD", "c09": "AUD", "1409": "NZD", "80a": "MXN", "4809": "SGD",
        "c04": "HKD", "404": "TWD", "340a": "CLP", "240a": "COP", "2c0a": "ARS", "540a": "USD", "300a": "USD",
    },
    "¥": {"411": "JPY", "804": "CNY", "478": "CNY"},
    "£": {"809": "GBP", "452": "GBP"},
}  # fmt: skip
SHARED_SIGNS = {
    "$": frozenset(
        "ARS AUD BBD BMD BND BSD BZD CAD CLP COP CUP DOP FJD GYD HKD JMD KYD LRD MXN NAD NIO NZD SBD SGD SRD TTD TWD"
        " USD UYU XCD".split()
    ),
    "£": frozenset("EGP FKP GBP GIP LBP SDG SHP SSP SYP".split()),
    "¥": frozenset({"CNY", "JPY"}),
}
PLACES = {
    **dict.fromkeys(
        "AFN ALL BIF CLP COP DJF GNF HUF IDR IQD IRR ISK JPY KMF KPW KRW LAK LBP MGA MMK PKR PYG RWF SOS SYP UGX VND"
        " VUV XAF XOF XPF YER".split(),
        0,
    ),
    **dict.fromkeys("BHD JOD KWD LYD OMR TND".split(), 3),
}
USUAL_PLACES = 2


def places_of(currency: str) -> int:
    """Return the number of decimal places in which amounts are shown."""
    return PLACES.get(currency, USUAL_PLACES)


def split_code(text: str) -> tuple[str, str]:
    """Return an amount without the code of a currency before or after it, and the code; "" if it has none."""
    body = text.strip()
    sign = body[:1] if body[:1] in SIGNS else ""
    unsigned = body[len(sign) :].lstrip()
    if unsigned[:3] in CURRENCIES:
        return sign + unsigned[3:].lstrip(), unsigned[:3]
    if body[-3:] in CURRENCIES:
        return body[:-3].rstrip(), body[-3:]
    return text, ""


def is_sign_of(sign: str, currency: str) -> bool:
    """Return whether amounts in this currency may have the sign. Every currency may have one that is not known."""
    return currency in SHARED_SIGNS.get(sign, (CURRENCY_OF_SIGN.get(sign, currency),))


def sign_of(text: str) -> str:
    """Return the first currency sign in a text; "" if it has none."""
    return next((each for each in text if unicodedata.category(each) == "Sc"), "")
