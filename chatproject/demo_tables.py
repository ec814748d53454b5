"""The tables a fresh install starts with: three kinds, and a big one on request; the same everywhere."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

Row = dict[str, Any]
FIRST_DAY = date(2026, 1, 5)


@dataclass(frozen=True, kw_only=True)
class DemoTable:
    """A table's definition as the API takes it, and its rows by column name."""

    name: str
    description: str
    columns: tuple[Row, ...]
    rows: tuple[Row, ...]


def demo_tables() -> Iterator[DemoTable]:
    """Something to follow up, something to count, and something to look through (5,000 rows)."""
    yield job_applications()
    yield pantry()
    yield orders(name="Web shop orders", count=5_000)


def big_table() -> DemoTable:
    """100,000 rows, to see how the product bears them."""
    return orders(name="Web shop orders (big)", count=100_000)


def _column(name: str, kind: str, **more: Any) -> Row:
    return {"name": name, "type": kind, **more}


def _select(name: str, *options: str, display: str = "dropdown", **more: Any) -> Row:
    return _column(name, "select", options=list(options), filterDisplay=display, **more)


def job_applications() -> DemoTable:
    companies = "Northwind Acme Initech Globex Umbra Vandelay Hooli Stark Wayne Cyberdyne Tyrell Aperture".split()
    positions = ("Backend developer", "Data analyst", "Product designer", "Support engineer", "Team lead")
    stages = ("Wishlist", "Applied", "Interview", "Offer", "Rejected")
    chance = random.Random("job applications")
    rows = []
    for number in range(18):
        stage = chance.choice(stages)
        row = {
            "Company": companies[number % len(companies)],
            "Position": chance.choice(positions),
            "Status": stage,
            "Salary": chance.randrange(42, 96) * 1_000,
            "Remote": chance.random() < 0.5,
        }
        if stage != "Wishlist":
            row["Date applied"] = (FIRST_DAY + timedelta(days=chance.randrange(300))).isoformat()
        if stage == "Interview":
            row["Notes"] = chance.choice(("Prepare a small portfolio", "Call back on Monday", "Asked for references"))
        rows.append(row)
    columns = (
        _column("Company", "text", required=True),
        _column("Position", "text", required=True),
        _select("Status", *stages, display="tab", required=True, default="Wishlist"),
        _column("Date applied", "date"),
        _column("Salary", "number"),
        _column("Remote", "boolean"),
        _column("Notes", "text"),
    )
    return DemoTable(
        name="Job applications", description="Where I applied, and how far it went.", columns=columns, rows=tuple(rows)
    )


def pantry() -> DemoTable:
    shelves = {
        "Baking": "Flour, Rye flour, Sugar, Brown sugar, Yeast, Baking powder, Cocoa, Vanilla, Raisins, Oats, Salt",
        "Cans": "Tomatoes, Chickpeas, Kidney beans, Corn, Tuna, Coconut milk, Olives, Peaches, Sardines, Peas, Soup",
        "Dry goods": "Rice, Spaghetti, Penne, Couscous, Bulgur, Red lentils, Polenta, Noodles, Quinoa, Barley, Tea",
        "Freezer": "Spinach, Berries, Peas, Bread, Salmon, Broccoli, Stock, Butter, Dumplings, Ice cream, Herbs, Pizza",
        "Fridge": "Milk, Yoghurt, Cheese, Eggs, Mustard, Pickles, Tofu, Carrots, Lemons, Cream, Jam, Hummus",
    }
    chance = random.Random("pantry")
    rows = []
    for shelf, things in shelves.items():
        for thing in things.split(", "):
            amount = chance.choice((0, 1, 1, 2, 3, 4, 6, 0.5, 1.5))
            row = {"Item": thing, "Shelf": shelf, "Amount": amount, "Running low": amount < 1}
            if shelf in ("Fridge", "Cans"):
                row["Best before"] = (FIRST_DAY + timedelta(days=chance.randrange(320, 700))).isoformat()
            rows.append(row)
    columns = (
        _column("Item", "text", required=True),
        _select("Shelf", *shelves, required=True),
        _column("Amount", "number", default=1),
        _column("Running low", "boolean"),
        _column("Best before", "date"),
    )
    return DemoTable(
        name="Pantry", description="What is in the house, and what to buy.", columns=columns, rows=tuple(rows)
    )


def orders(*, name: str, count: int) -> DemoTable:
    goods = {"Mug": 9.5, "Tote bag": 14, "Notebook": 6.9, "Poster": 19, "T-shirt": 24, "Sticker set": 3.5, "Lamp": 59}
    first = "Ada Grace Alan Edsger Barbara Donald Radia Ken Frances Linus Katherine Tim Margaret Dennis Hedy".split()
    last = "Moss Rivera Okafor Lindqvist Tanaka Novak Haddad Fischer Costa Byrne Petrov Silva Nguyen Weber".split()
    places = ("Austria", "Brazil", "Canada", "Denmark", "France", "Germany", "India", "Japan", "Kenya", "Spain")
    chance = random.Random(name)
    rows = []
    for number in range(count):
        item = chance.choice(tuple(goods))
        quantity = chance.choice((1, 1, 1, 2, 2, 3, 5, 10))
        status = chance.choices(("New", "Paid", "Shipped", "Returned"), weights=(2, 3, 12, 1))[0]
        rows.append(
            {
                "Order": f"W-{100_001 + number}",
                "Customer": f"{chance.choice(first)} {chance.choice(last)}",
                "Country": chance.choice(places),
                "Item": item,
                "Quantity": quantity,
                "Total": round(goods[item] * quantity, 2),
                "Ordered on": (FIRST_DAY + timedelta(days=number * 310 // count)).isoformat(),
                "Status": status,
                "Gift": chance.random() < 0.1,
            }
        )
    columns = (
        _column("Order", "text", required=True),
        _column("Customer", "text", required=True),
        _select("Country", *places),
        _select("Item", *goods),
        _column("Quantity", "number", default=1),
        _column("Total", "number"),
        _column("Ordered on", "date"),
        _select("Status", "New", "Paid", "Shipped", "Returned", display="tab", default="New"),
        _column("Gift", "boolean", default=False),
    )
    description = f"{count:,} made-up orders of a small shop, for looking through, counting and filtering."
    return DemoTable(name=name, description=description, columns=columns, rows=tuple(rows))
