"""Cases of cell values for each column type, for tests of all endpoints that accept values."""
from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

MAX_SAFE_INTEGER = 2**53 - 1
OPTIONS = ["To do", "In  progress", "Done", "5", "true"]
TAGS = ["Red", "light blue", "a, b", "5", "__proto__"]
DEFINITIONS: dict[str, dict[str, Any]] = {
    "text": {"name": "Words", "type": "text"},
    "number": {"name": "Amount", "type": "number"},
    "date": {"name": "Day", "type": "date"},
    "boolean": {"name": "Paid", "type": "boolean"},
    "select": {"name": "State", "type": "select", "options": OPTIONS},
    "multi_select": {"name": "Tags", "type": "multi_select", "options": TAGS},
}


@dataclass(frozen=True)
class Refused:
    """The error code of a refused value."""

    code: str


@dataclass(frozen=True)
class Case:
    """A JSON value written to a cell, and the stored values (None: empty) in strict and typecast mode."""

    id: str
    type: str
    given: Any
    strict: Any
    cast: Any

    @property
    def column(self) -> str:
        return str(DEFINITIONS[self.type]["name"])


def both(type_name: str, given: Any, result: Any) -> Case:
    """Return a case with the same result in both modes."""
    return _case(type_name, given, strict=result, cast=result)


def only_cast(type_name: str, given: Any, result: Any) -> Case:
    """Return a case that is refused in strict mode."""
    return _case(type_name, given, strict=Refused(CODES[type_name]), cast=result)


def _case(type_name: str, given: Any, *, strict: Any, cast: Any) -> Case:
    text = repr(given) if len(repr(given)) <= 40 else f"{repr(given)[:12]}… of {len(repr(given))}"
    return Case(f"{type_name} {text}", type_name, given, strict, cast)


CODES = {
    "text": "not_text", "number": "not_a_number", "date": "not_a_date", "boolean": "not_a_boolean",
    "select": "unknown_option", "multi_select": "not_a_list",
}  # fmt: skip


def _empty() -> Iterator[Case]:
    for type_name in DEFINITIONS:
        yield both(type_name, None, None)
        yield both(type_name, "", None)
        for container in ([], {}, ["Done"]) if type_name != "multi_select" else ():
            yield both(type_name, container, Refused(CODES[type_name]))


def _texts() -> Iterator[Case]:
    for text in ("  outer space stays ", " ", "line\nbreak\ttab", "é\u200b\U0001f600", "x" * 65_536, "5", "=1+1"):
        yield both("text", text, text)
    yield both("text", "é" * 32_769, Refused("too_long"))
    for given, text in ((5, "5"), (1.0, "1"), (0.5, "0.5"), (1e21, "1e+21"), (True, "true"), (False, "false")):
        yield only_cast("text", given, text)


def _numbers() -> Iterator[Case]:
    for given, stored in (
        (5, 5), (5.0, 5), (-0.0, 0), (1.5, 1.5), (1e300, 1e300), (1e23, 1e23), (0, 0),
        (MAX_SAFE_INTEGER, MAX_SAFE_INTEGER), (-MAX_SAFE_INTEGER, -MAX_SAFE_INTEGER),
        (0.1, 0.1), (5e-324, 5e-324), (9007199254740992.0, 9007199254740992.0),
    ):  # fmt: skip
        yield both("number", given, stored)
    for given in (MAX_SAFE_INTEGER + 1, -MAX_SAFE_INTEGER - 1, 10**30):
        yield both("number", given, Refused("too_large"))
    yield both("number", True, Refused("not_a_number"))
    for given, stored in (
        ("1200", 1200), ("1,200", 1200), ("1,234.5", 1234.5), ("1.234,5", 1234.5), ("1.234", 1.234), ("0", 0),
        ("1,234,567.25", 1234567.25), ("1.234.567,5", 1234567.5), ("+5", 5), ("-5", -5), ("\u22125", -5), ("-0", 0),
        ("$1,200", 1200), ("-$5", -5), ("$-5", -5), ("5 €", 5), ("£ 5", 5), ("5 %", 5), ("5%", 5), ("  7  ", 7),
        ("\u00a07\u00a0", 7), ("0.50", 0.5), ("10.00", 10), ("9007199254740991", MAX_SAFE_INTEGER),
        ("3.50 €", 3.5), ("$3.5", 3.5), ("0.125 €", 0.125), ("€1234.567", 1234.567), ("3.000,00 €", 3000),
        ("3.000 %", 3), ("3,000 €", 3000), ("$1,234.567", 1234.567),
    ):  # fmt: skip
        yield only_cast("number", given, stored)
    for given in (
        "1,5", "007", "(5)", "1e5", "12abc", "٣", "１２", "1 200", "1'200", "1,20,000", "12,34", "0,123", "01,234",
        "1.234.567", "--5", "+-5", "$$5", "$5€", "5%%", "5-", "-", "$", "%", ".", "5.", ".5", "1_000", "0x10", "NaN",
        "Infinity", "∞", "½", "USD 5", "1,234.5,6", "1.5.5,5", " ", "9" * 401, "true",
        "3.000 €", "€3.000", "-$1.234", "$ -12.500", "999.999 £",
    ):  # fmt: skip
        yield both("number", given, Refused("not_a_number"))
    yield _case("number", "9007199254740992", strict=Refused("not_a_number"), cast=Refused("too_large"))


def _dates() -> Iterator[Case]:
    for day in ("2024-02-29", "0001-01-01", "9999-12-31"):
        yield both("date", day, day)
    for given in (
        "2023-02-29", "2024-13-01", "0000-01-01", "20240315", "2024-W11-5", "2024-3-5", "٢٠٢٤-٠٣-١٥", 20240315, True,
        "03/04/2024", "3.4.2024", "15 March 2024", "tomorrow", "2024-03-15T25:00", "2024-03-15T10:00+25:00",
        "2024-03-15Tx", "2024-02-30T10:00", "2024-03", "2024", " ", "x" * 70,
    ):  # fmt: skip
        yield both("date", given, Refused("not_a_date"))
    for given in (
        " 2024-03-15 ", "2024-03-15T23:30:00Z", "2024-03-15T23:30:00-08:00", "2024-03-15 23:30", "2024-03-15t00:00z",
        "2024-03-15T23:30:00.123456+0100",
    ):
        yield only_cast("date", given, "2024-03-15")


def _booleans() -> Iterator[Case]:
    for truth in (True, False):
        yield both("boolean", truth, truth)
    for given, truth in (("yes", True), (" YES ", True), ("True", True), ("no", False), ("false", False)):
        yield only_cast("boolean", given, truth)
    for given in ("y", "1", "0", "on", "ja", "yes please", 1, 0, 1.0, "x" * 70, " "):
        yield both("boolean", given, Refused("not_a_boolean"))


def _options() -> Iterator[Case]:
    for option in OPTIONS:
        yield both("select", option, option)
    for given, option in (
        ("done", "Done"), (" DONE\n", "Done"), ("in progress", "In  progress"), ("Ｄｏｎｅ", "Done"), (5, "5"),
        (5.0, "5"), (True, "true"),
    ):  # fmt: skip
        yield only_cast("select", given, option)
    for given in ("Dome", "Later", " ", False, 6):
        yield both("select", given, Refused("unknown_option"))


def _lists() -> Iterator[Case]:
    yield both("multi_select", [], None)
    for given, stored in (
        (["Red"], ["Red"]), (["5", "Red"], ["Red", "5"]), (["Red"] * 10_000, ["Red"]), (TAGS, TAGS),
        (["__proto__"], ["__proto__"]),
    ):  # fmt: skip
        yield both("multi_select", given, stored)
    yield _case("multi_select", ["red", 5], strict=Refused("unknown_option"), cast=["Red", "5"])
    for text, stored in (
        ("Red", ["Red"]), ("5; RED", ["Red", "5"]), ("Red\r\nLight  Blue\n", ["Red", "light blue"]),
        ('Red, "a, b"', ["Red", "a, b"]), ("a, b", ["a, b"]), (" ,;\n", None), (5, ["5"]),
    ):  # fmt: skip
        yield only_cast("multi_select", text, stored)
    for given in (["Dead"], [["Red"]], [None], [""], [{}], ["Red", "x" * 10_240], ["Red, 5"], [True]):
        yield both("multi_select", given, Refused("unknown_option"))
    yield _case("multi_select", "Red, Dead", strict=Refused("not_a_list"), cast=Refused("unknown_option"))
    yield _case("multi_select", "x" * 65_537, strict=Refused("not_a_list"), cast=Refused("too_long"))
    yield both("multi_select", {}, Refused("not_a_list"))


CASES: tuple[Case, ...] = (*_empty(), *_texts(), *_numbers(), *_dates(), *_booleans(), *_options(), *_lists())
