"""The demo tables of a new installation, generated with fixed seeds."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date, timedelta
from typing import Any, NamedTuple

from chatproject.startup.floor_plans import floor_plan

Row = dict[str, Any]
FIRST_DAY = date(2026, 1, 5)
SKILLS = ("Python", "SQL", "Design", "Writing", "Leadership")
EUROS = {"format": "currency", "currency": "EUR"}


class DemoFile(NamedTuple):
    """A file to upload and attach to a cell."""

    name: str
    content: bytes


@dataclass(frozen=True, kw_only=True)
class DemoTable:
    """The definition of a table as in the API, and its rows by column name.

    `files` are the files of cells by row index and column name; people in rows are ids. `widths`: pixels by column.
    """

    name: str
    description: str
    columns: tuple[Row, ...]
    rows: tuple[Row, ...]
    files: Mapping[tuple[int, str], DemoFile] = field(default_factory=dict)
    widths: Mapping[str, int] = field(default_factory=dict)


def demo_tables(*, owner_id: int) -> Iterator[DemoTable]:
    """Return the four tables of every new installation, for the user who gets them."""
    yield pantry()
    yield orders(name="Web shop orders", count=5_000)
    yield job_applications()
    yield apartments(owner_id=owner_id)


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


FLATS = """\
14 Harbour Street|Viewing booked|1180|68|4|Balcony,Fitted kitchen|2026-12-03T10:00Z|0.8
3 Mill Lane, 2nd floor|Viewed|1340|81|5|Balcony,Lift,Cellar|2026-11-21T14:30Z|0.95
88 Station Road|Rejected|890|52|2|Fitted kitchen|2026-11-19T09:00Z|0.45
21 Orchard Row|Applied|1265|74|5|Garden,Pets allowed,Cellar|2026-11-14T16:00Z|0.9
7 Chapel Hill|To contact|1090|63|3|Lift||0.65
52 Canal Walk|Viewing booked|1420|92|4|Balcony,Lift,Parking|2026-12-04T17:15Z|0.85
9 Linden Square|Viewed|980|58|3|Fitted kitchen,Pets allowed|2026-11-24T11:30Z|0.7
130 Park Avenue|To contact|1575|104|4|Balcony,Lift,Parking,Fitted kitchen||0.75
2 Weaver’s Yard|Applied|1150|70|4|Garden,Pets allowed|2026-11-12T18:00Z|0.85
41 Bridge Street|Viewing booked|1010|60|3|Lift,Cellar|2026-12-07T08:45Z|0.6
17 Rose Terrace|Rejected|1290|66|2|Fitted kitchen|2026-11-17T15:00Z|0.5
64 Observatory Road|To contact|1225|77|5|Balcony,Cellar,Pets allowed||0.9"""
FLAT_NOTES = (
    "Bright, but the kitchen is small.",
    "Our favourite. Ask about:\n\n- heating costs\n- the date of moving in",
    "Loud: trains until midnight.",
    "Documents sent, answer in two weeks.",
    "",
    "Bring payslips of the last three months.",
    "The bath is new, the windows are not.",
    "",
    "Deposit: two months’ rent.",
    "Key at the bakery next door.",
    "Let to someone else.",
    "Available from March.",
)
FLAT_AGENCIES = ("lettings@harbourhomes.example", "hello@keystone.example", "office@brightrooms.example")
FLAT_WIDTHS = {
    "Address": 176, "Floor plan": 124, "Status": 132, "Assigned to": 132, "Viewing": 176, "Rent": 104, "Rating": 116,
    "Features": 240, "Match": 96, "Size (m²)": 116, "Listing": 256, "Contact": 264, "Notes": 280, "No.": 80,
}  # fmt: skip


def apartments(*, owner_id: int) -> DemoTable:
    stages = ("To contact", "Viewing booked", "Viewed", "Applied", "Rejected")
    features = ("Balcony", "Garden", "Lift", "Fitted kitchen", "Parking", "Cellar", "Pets allowed")
    rows, files = [], {}
    for number, (line, notes) in enumerate(zip(FLATS.splitlines(), FLAT_NOTES, strict=True)):
        address, stage, rent, size, rating, fitted, viewing, match = line.split("|")
        listing = f"https://homes.example/flats/{4_102 + 37 * number}"
        row = {
            "Address": address, "Status": stage, "Rent": int(rent), "Size (m²)": int(size), "Rating": int(rating),
            "Features": fitted.split(","), "Viewing": viewing, "Match": float(match),
            "Assigned to": owner_id if number % 3 != 1 else "", "Listing": listing,
            "Contact": FLAT_AGENCIES[number % len(FLAT_AGENCIES)], "Notes": notes,
        }  # fmt: skip
        rows.append({name: value for name, value in row.items() if value != ""})
        plan = floor_plan(int(size) // 30 - 1, mirrored=number % 2 == 1)
        files[number, "Floor plan"] = DemoFile("Plan.png", plan)
    columns = (
        _column("Address", "text", required=True),
        _column("Floor plan", "attachment"),
        _select("Status", *stages, display="tab", required=True, default="To contact"),
        _column("Assigned to", "person"),
        _column("Viewing", "date", format="datetime"),
        _column("Rent", "number", **EUROS),
        _column("Rating", "number", format="rating"),
        _multi_select("Features", *features),
        _column("Match", "number", format="percent"),
        _column("Size (m²)", "number"),
        _column("Listing", "text", format="url"),
        _column("Contact", "text", format="email"),
        _column("Notes", "text", format="long"),
        _column("No.", "autonumber"),
    )
    return DemoTable(
        name="Apartments", description="Apartments to rent: viewings, floor plans and notes.", columns=columns,
        rows=tuple(rows), files=files, widths=FLAT_WIDTHS,
    )  # fmt: skip


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
