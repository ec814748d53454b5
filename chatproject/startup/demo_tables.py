"""The demo tables of a new installation, generated with fixed seeds."""

from __future__ import annotations

import random
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import date, timedelta
from typing import Any

Row = dict[str, Any]
FIRST_DAY = date(2026, 1, 5)
SKILLS = ("Python", "SQL", "Design", "Writing", "Leadership")
EUROS = {"format": "currency", "currency": "EUR"}


@dataclass(frozen=True, kw_only=True)
class DemoTable:
    """The definition of a table as in the API, and its rows by column name."""

    name: str
    description: str
    columns: tuple[Row, ...]
    rows: tuple[Row, ...]


def demo_tables() -> Iterator[DemoTable]:
    """Return the three tables of every new installation."""
    yield job_applications()
    yield pantry()
    yield orders(name="Web shop orders", count=5_000)


def big_table() -> DemoTable:
    """Return a table of 100,000 rows."""
    return orders(name="Web shop orders (big)", count=100_000)


def _column(name: str, column_type: str, **options: Any) -> Row:
    return {"name": name, "type": column_type, **options}


def _multi_select(name: str, *choices: str, **options: Any) -> Row:
    return _column(name, "multi_select", options=list(choices), **options)


def _select(name: str, *choices: str, display: str = "dropdown", **options: Any) -> Row:
    return _column(name, "select", options=list(choices), filterDisplay=display, **options)


def job_applications() -> DemoTable:
    companies = "Northwind Acme Initech Globex Umbra Vandelay Hooli Stark Wayne Cyberdyne Tyrell Aperture".split()
    positions = ("Backend developer", "Data analyst", "Product designer", "Support engineer", "Team lead")
    stages = ("Wishlist", "Applied", "Interview", "Offer", "Rejected")
    rng, stars, skills = random.Random("job applications"), random.Random("ratings"), random.Random("skills")
    rows = []
    for number in range(18):
        stage = rng.choice(stages)
        row = {
            "Company": companies[number % len(companies)],
            "Position": rng.choice(positions),
            "Status": stage,
            "Salary": rng.randrange(42, 96) * 1_000,
            "Remote": rng.random() < 0.5,
            "Interest": stars.randrange(2, 6),
            "Skills": [skill for skill in SKILLS if skills.random() < 0.4],
        }
        if stage != "Wishlist":
            row["Date applied"] = (FIRST_DAY + timedelta(days=rng.randrange(300))).isoformat()
        if stage == "Interview":
            row["Notes"] = rng.choice(("Prepare a small portfolio", "Call back on Monday", "Asked for references"))
        rows.append(row)
    columns = (
        _column("Company", "text", required=True),
        _column("Position", "text", required=True),
        _select("Status", *stages, display="tab", required=True, default="Wishlist"),
        _column("Date applied", "date"),
        _column("Salary", "number", **EUROS),
        _column("Remote", "boolean"),
        _column("Interest", "number", format="rating"),
        _multi_select("Skills", *SKILLS),
        _column("Notes", "text"),
    )
    return DemoTable(
        name="Job applications", description="Applications, their status and notes.", columns=columns, rows=tuple(rows)
    )


def pantry() -> DemoTable:
    shelves = {
        "Baking": "Flour, Rye flour, Sugar, Brown sugar, Yeast, Baking powder, Cocoa, Vanilla, Raisins, Oats, Salt",
        "Cans": "Tomatoes, Chickpeas, Kidney beans, Corn, Tuna, Coconut milk, Olives, Peaches, Sardines, Peas, Soup",
        "Dry goods": "Rice, Spaghetti, Penne, Couscous, Bulgur, Red lentils, Polenta, Noodles, Quinoa, Barley, Tea",
        "Freezer": "Spinach, Berries, Peas, Bread, Salmon, Broccoli, Stock, Butter, Dumplings, Ice cream, Herbs, Pizza",
        "Fridge": "Milk, Yoghurt, Cheese, Eggs, Mustard, Pickles, Tofu, Carrots, Lemons, Cream, Jam, Hummus",
    }
    rng = random.Random("pantry")
    rows = []
    for shelf, things in shelves.items():
        for thing in things.split(", "):
            amount = rng.choice((0, 1, 1, 2, 3, 4, 6, 0.5, 1.5))
            row = {"Item": thing, "Shelf": shelf, "Amount": amount, "Running low": amount < 1}
            if shelf in ("Fridge", "Cans"):
                row["Best before"] = (FIRST_DAY + timedelta(days=rng.randrange(320, 700))).isoformat()
            rows.append(row)
    columns = (
        _column("Item", "text", required=True),
        _select("Shelf", *shelves, required=True),
        _column("Amount", "number", default=1),
        _column("Running low", "boolean"),
        _column("Best before", "date"),
    )
    return DemoTable(
        name="Pantry", description="Groceries at home and what to buy.", columns=columns, rows=tuple(rows)
    )


def orders(*, name: str, count: int) -> DemoTable:
    goods = {"Mug": 9.5, "Tote bag": 14, "Notebook": 6.9, "Poster": 19, "T-shirt": 24, "Sticker set": 3.5, "Lamp": 59}
    first = "Ada Grace Alan Edsger Barbara Donald Radia Ken Frances Linus Katherine Tim Margaret Dennis Hedy".split()
    last = "Moss Rivera Okafor Lindqvist Tanaka Novak Haddad Fischer Costa Byrne Petrov Silva Nguyen Weber".split()
    countries = ("Austria", "Brazil", "Canada", "Denmark", "France", "Germany", "India", "Japan", "Kenya", "Spain")
    rng = random.Random(name)
    rows = []
    for number in range(count):
        item = rng.choice(tuple(goods))
        quantity = rng.choice((1, 1, 1, 2, 2, 3, 5, 10))
        status = rng.choices(("New", "Paid", "Shipped", "Returned"), weights=(2, 3, 12, 1))[0]
        rows.append(
            {
                "Order": f"W-{100_001 + number}",
                "Customer": f"{rng.choice(first)} {rng.choice(last)}",
                "Country": rng.choice(countries),
                "Item": item,
                "Quantity": quantity,
                "Total": round(goods[item] * quantity, 2),
                "Ordered on": (FIRST_DAY + timedelta(days=number * 310 // count)).isoformat(),
                "Status": status,
                "Gift": rng.random() < 0.1,
            }
        )
    columns = (
        _column("Order", "text", required=True),
        _column("Customer", "text", required=True),
        _select("Country", *countries),
        _select("Item", *goods),
        _column("Quantity", "number", default=1),
        _column("Total", "number", **EUROS),
        _column("Ordered on", "date"),
        _select("Status", "New", "Paid", "Shipped", "Returned", display="tab", default="New"),
        _column("Gift", "boolean", default=False),
    )
    description = f"{count:,} sample orders of a small shop."
    return DemoTable(name=name, description=description, columns=columns, rows=tuple(rows))
