"""The formats of number columns and their settings. A format only changes how values are shown and typed."""
from __future__ import annotations

from typing import Any

from shared.user_messages import declare
from tables.column_types.faults import ValueFault
from tables.column_types.names import did_you_mean
from tables.column_types.settings import Setting, choice_setting, number_setting

UNKNOWN_CURRENCY = declare("unknown_currency", "currency must be the code of a currency, like EUR or USD.{hint}")

# By name, with their labels, in the order in which users are offered them.
NUMBER_FORMATS = {
    "plain": "Plain",
    "decimal": "Decimal places",
    "thousands": "Thousands separators",
    "currency": "Currency",
    "percent": "Percent",
    "rating": "Rating",
    "duration": "Duration",
}
# The active codes of ISO 4217, without those of funds, metals and tests.
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


def _currency(value: Any) -> str:
    code = value.strip().upper() if isinstance(value, str) else value
    if code not in CURRENCIES:
        raise ValueFault("unknown_currency", UNKNOWN_CURRENCY(hint=did_you_mean(code, CURRENCIES, listed=True)))
    return code


NUMBER_SETTINGS = (
    choice_setting(
        NUMBER_FORMATS,
        name="format",
        label="Format",
        default="plain",
        described="how numbers are shown; values stay plain numbers: percent is a fraction (0.05 is 5 %), duration is "
        "in minutes",
    ),
    number_setting(0, 6, name="places", label="Decimal places", default=2, formats=("decimal",)),
    Setting(
        name="currency",
        label="Currency",
        default=None,
        schema={"type": "string", "pattern": "^[A-Z]{3}$", "example": "EUR"},
        check=_currency,
        formats=("currency",),
        described="code of ISO 4217",
    ),
    number_setting(1, 10, name="maximum", label="Stars", default=5, formats=("rating",)),
)
