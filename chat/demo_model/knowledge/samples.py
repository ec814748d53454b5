"""Made-up values by the name and the type of a column; the same request gives the same values."""

import re
from collections.abc import Sequence
from datetime import date, timedelta
from random import Random
from typing import Any

from chat.demo_model.page import Column
from chat.demo_model.text import key

Json = dict[str, Any]
_HEADS = "Northwind Halden Cobalt Arbor Polar Lumen Quarry Juniper Meridian Ember Vela Cedar Atlas Marlow".split()
_TAILS = "Labs Robotics Freight Bank Maps Health Studio Systems Foods Energy".split()
_FIRST = "Maya Jonas Priya Tom Elena Samir Grace Luca Nora Kofi Ines Daniel Aiko Peter Leila Oscar Hannah Mateo".split()
_LAST = "Okafor Lindqvist Sharma Becker Moreau Haddad Kim Rossi Novak Mensah Silva Fischer Tanaka Larsen Cohen".split()
# Values for a column whose name has one of the words; the first column of a table takes those of the table's name.
_POOLS = """
note|comment|remark = Looks promising, Ask for details, Waiting for an answer, Compare with others, Call back on Monday
position|role|job title = Product Designer, Software Engineer, Data Analyst, UX Researcher, Technical Writer
author = Jane Austen, Mary Shelley, Herman Melville, George Eliot, Bram Stoker, Charlotte Brontë, H. G. Wells
city|destination|town|venue|trip = Berlin, Lisbon, Toronto, Dublin, Copenhagen, Oslo, Barcelona, Vienna, Seattle
book|reading|librar = Pride and Prejudice, Frankenstein, Moby-Dick, Middlemarch, Dracula, Jane Eyre, The Time Machine
expense = Weekly groceries, Train ticket, Electricity bill, Dinner with friends, Phone bill, Coffee, Bus pass, Cinema
task|to-?do|project = Draft the plan, Review the budget, Book the venue, Update the website, Prepare the slides
"""
_RANGES = """
salary|income|wage = 42000 120000 500
rating|stars|room|bed = 1 5 1
value|revenue|budget = 1500 48000 250
price|cost|amount|fee|total = 4.5 320 0.5
"""
_AHEAD = re.compile(r"due|deadline|follow|next|renew|expir|event|view|start|end|finish")


def made_up_rows(columns: Sequence[Column], *, table: str, many: int, today: date, seed: int) -> list[Json]:
    """Return that many rows of made-up values by column name."""
    rows: list[Json] = [{} for _ in range(many)]
    for at, row in enumerate(rows):
        for one in columns:
            value = _value(one, table=table if one is columns[0] else "", at=at, today=today, seed=seed)
            row |= {} if value is None else {one.name: value}
    return rows


def _value(column: Column, *, table: str, at: int, today: date, seed: int) -> Any:
    name = key(column.name)
    chance = Random(f"{seed} {at} {name}")
    if column.type == "select":
        return chance.choice(column.options) if column.options else None
    if column.type == "boolean":
        return chance.random() < 0.5
    if column.type == "date":
        days = at * 3 + chance.randrange(1, 4)
        return (today + timedelta(days=days if _AHEAD.search(name) else -days)).isoformat()
    if column.type != "number":
        return _text(name, table=key(table), at=at, seed=seed % 89)
    low, high, step = map(float, (_found(_RANGES, name) or "1 100 1").split(" "))
    number = low + step * chance.randrange(int((high - low) / step) + 1)
    return int(number) if number == int(number) else number


def _text(name: str, *, table: str, at: int, seed: int) -> str | None:
    place = at + seed
    person = f"{_FIRST[place % len(_FIRST)]} {_LAST[(place * 4 + place // len(_FIRST)) % len(_LAST)]}"
    company = f"{_HEADS[place % len(_HEADS)]} {_TAILS[(place + place // len(_HEADS)) % len(_TAILS)]}"
    for pattern, value in (
        (r"e-?mail", f"{person.casefold().replace(' ', '.')}@example.com"),
        (r"phone|mobile", f"+1 555 01{place % 100:02d}"),
        (r"url|link|website", f"https://{company.casefold().replace(' ', '-')}.example"),
        (r"company|vendor|supplier|employer|brand", company),
        (r"person|contact|customer|client|owner|assignee|\bby$|student|employee|(?:first|last|full) name|who", person),
    ):
        if re.search(pattern, name):
            return value
    if pool := _found(_POOLS, name) or _found(_POOLS, table):
        values = pool.split(", ")
        return values[place % len(values)] + (f" ({at // len(values) + 1})" if table and at >= len(values) else "")
    return person if "name" in name else f"Example {at + 1}" if table else None


def _found(lines: str, name: str) -> str:
    """Return what the first line whose words are in a name says, or ""."""
    pairs = (line.split(" = ") for line in lines.strip().split("\n"))
    return next((value for pattern, value in pairs if name and re.search(pattern, name)), "")
