"""What is true of things that are made up, so that a row fits together: lentil soup is no dessert, coffee no 190."""

from __future__ import annotations

from random import Random
from typing import Any

Facts = dict[str, Any]
# By the folded name of a column. Two numbers are the least and the most; a select takes what is among its options.
_RECIPES = {
    "Lemon lentil soup": ("Indian", "Lunch", True, (30, 45)), "Mushroom risotto": ("Italian", "Dinner", True, (35, 50)),
    "Chickpea curry": ("Indian", "Dinner", True, (30, 45)), "Baked salmon": ("French", "Dinner", False, (25, 35)),
    "Pumpkin ravioli": ("Italian", "Dinner", True, (50, 75)), "Shakshuka": ("", "Breakfast", True, (25, 35)),
    "Beef tacos": ("Mexican", "Lunch", False, (25, 40)), "Miso noodles": ("Japanese", "Lunch", True, (15, 25)),
    "Ratatouille": ("French", "Dinner", True, (50, 70)), "Apple crumble": ("", "Dessert", True, (45, 60)),
    "Caesar salad": ("", "Lunch", False, (15, 25)), "Pad thai": ("", "Dinner", False, (25, 35)),
    "Spinach quiche": ("French", "Lunch", True, (55, 70)), "Black bean chili": ("Mexican", "Dinner", True, (40, 60)),
}  # fmt: skip
_EXPENSES = {
    "Weekly groceries": ("Groceries", (48, 110)), "Train ticket": ("Transport", (12, 74)),
    "Electricity bill": ("Housing", (55, 95)), "Dinner with friends": ("Eating out", (28, 64)),
    "Gym membership": ("Health", (25, 45)), "Phone bill": ("Other", (15, 35)), "Coffee": ("Eating out", (3, 5)),
    "Dentist": ("Health", (60, 180)), "Bus pass": ("Transport", (45, 70)), "Internet bill": ("Housing", (30, 45)),
    "Lunch": ("Eating out", (9, 16)), "Winter jacket": ("Other", (80, 190)), "Pharmacy": ("Health", (8, 32)),
    "Car repair": ("Transport", (140, 420)), "Cinema": ("Other", (11, 26)), "Bakery": ("Groceries", (4, 12)),
}  # fmt: skip
_FEEDBACK = {
    "Setup took only minutes": ("Positive", "Praise", "Onboarding"), "I cannot find the export": ("Negative", "Question", "Export"),
    "Please add dark mode": ("Neutral", "Feature request", "Appearance"), "Support answered very quickly": ("Positive", "Praise", "Support"),
    "The app is slow in the morning": ("Negative", "Bug", "Speed"), "I love the new dashboard": ("Positive", "Praise", "Dashboard"),
    "Invoices are hard to read": ("Negative", "Feature request", "Invoices"), "Is there a mobile app?": ("Neutral", "Question", "Mobile app"),
    "Search finds what I need": ("Positive", "Praise", "Search"), "Too many e-mails": ("Negative", "Feature request", "Notifications"),
    "The price went up without notice": ("Negative", "Question", "Pricing"), "Sharing with my team works well": ("Positive", "Praise", "Sharing"),
}  # fmt: skip
_SERVICES = {
    "Streamly": ("Entertainment", (8, 15)), "Cloudbox": ("Work", (6, 12)), "Paperboy News": ("News", (9, 20)),
    "Tunebird": ("Entertainment", (9, 12)), "Fitlane": ("Health", (15, 35)), "Mealmate": ("Health", (8, 14)),
    "Notewell": ("Work", (5, 10)), "Framepad": ("Work", (12, 24)), "Langly": ("Entertainment", (7, 13)), "Safekey": ("Work", (3, 6)),
}  # fmt: skip
_ITEMS = {
    "Desk lamp": ("Furniture", (25, 60)), "Standing desk": ("Furniture", (320, 560)), "USB-C cable": ("Electronics", (8, 20)),
    "Office chair": ("Furniture", (120, 340)), "Monitor 27 inch": ("Electronics", (180, 320)), "Whiteboard": ("Office", (40, 110)),
    "Label printer": ("Electronics", (60, 130)), "Webcam": ("Electronics", (40, 95)), "Notebook A5": ("Office", (3, 9)),
    "Cordless drill": ("Tools", (75, 160)), "Extension cord": ("Tools", (9, 24)), "Headset": ("Electronics", (35, 120)),
    "Filing cabinet": ("Furniture", (90, 210)), "Ladder": ("Tools", (55, 140)), "Toolbox": ("Tools", (30, 85)),
    "Paper shredder": ("Office", (45, 120)), "Power adapter": ("Electronics", (15, 45)), "Projector": ("Electronics", (280, 640)),
    "Keyboard": ("Electronics", (30, 110)), "Storage box": ("Office", (6, 18)),
}  # fmt: skip
_EXERCISES = {
    "Easy run": ("Cardio", (5, 9)), "Interval run": ("Cardio", (4, 8)), "Squats": ("Strength", None), "Deadlift": ("Strength", None),
    "Swim": ("Cardio", (1, 2)), "Yoga": ("Mobility", None), "Rowing": ("Cardio", (4, 8)), "Bench press": ("Strength", None),
    "Cycling": ("Cardio", (15, 45)), "Pilates": ("Mobility", None),
}  # fmt: skip
_EVENTS = {
    "Spring design meetup": "Meetup", "Founders breakfast": "Meetup", "Data conference": "Conference", "Team offsite": "Workshop",
    "Product launch": "Party", "Photography workshop": "Workshop", "Charity run": "Meetup", "Open studio day": "Meetup",
    "Book club evening": "Meetup", "Developer summit": "Conference", "Harvest party": "Party", "Writing weekend": "Workshop",
}  # fmt: skip
_BOOKS = {
    "Frankenstein": "Fiction", "Walden": "Non-fiction", "Pride and Prejudice": "Fiction", "Moby-Dick": "Fiction", "Middlemarch": "Fiction",
    "Dracula": "Fiction", "Jane Eyre": "Fiction", "The Time Machine": "Fiction", "Great Expectations": "Fiction", "The Moonstone": "Fiction",
    "Little Women": "Fiction", "Treasure Island": "Fiction", "Anna Karenina": "Fiction", "Heart of Darkness": "Fiction",
    "The Awakening": "Fiction", "Candide": "Fiction",
}  # fmt: skip
_LIGHT = {
    "Monstera": "Half shade", "Basil": "Full sun", "Lavender": "Full sun", "Tomato": "Full sun", "Fern": "Shade", "Rosemary": "Full sun",
    "Aloe": "Full sun", "Peace lily": "Shade", "Snake plant": "Half shade", "Mint": "Half shade",
}  # fmt: skip
FACTS: dict[str, Facts] = {
    **{name: {"cuisine": cuisine, "course": course, "vegetarian": vegetarian, "minutes": minutes} for name, (cuisine, course, vegetarian, minutes) in _RECIPES.items()},
    **{name: {"category": category, "amount": amount, "price": amount, "cost": amount} for name, (category, amount) in _EXPENSES.items()},
    **{name: {"sentiment": sentiment, "category": category, "type": category, "theme": theme, "topic": theme} for name, (sentiment, category, theme) in _FEEDBACK.items()},
    **{name: {"category": category, "price": price, "cost": price, "billing cycle": "Monthly"} for name, (category, price) in _SERVICES.items()},
    **{name: {"category": category, "unit price": price, "price": price} for name, (category, price) in _ITEMS.items()},
    **{name: {"type": kind, "distance": distance} for name, (kind, distance) in _EXERCISES.items()},
    **{name: {"type": kind} for name, kind in _EVENTS.items()},
    **{name: {"genre": genre} for name, genre in _BOOKS.items()},
    **{name: {"light": light} for name, light in _LIGHT.items()},
}  # fmt: skip
# What nobody has come to the end of has no day of its end yet, and no marks.
UNFINISHED = frozenset("to read, reading, to watch, watching, zu lesen, lese ich, idea, to view".split(", "))
OF_THE_END = frozenset("rating, finish date, finished on, watched on, read on, bewertung, enddatum".split(", "))


def fact(thing: str, *, column: str, kind: str, options: tuple[str, ...], rng: Random) -> tuple[Any] | None:
    """The value that a column (its folded name) of this thing has, None where nothing is known of it. A fact may be
    that there is none."""
    known = FACTS.get(thing, {})
    if column not in known:
        return None
    value = known[column]
    if kind == "number":
        halves = rng.randrange(value[0] * 2, value[1] * 2 + 1) if isinstance(value, tuple) else None
        if halves is not None and column == "minutes":
            halves -= halves % 10
        return (None,) if halves is None else (halves / 2 if halves % 2 else halves // 2,)
    if kind == "select":
        return (value,) if value in options else (None,) if value == "" else None
    return (value,) if isinstance(value, bool) == (kind == "boolean") and isinstance(value, bool | str) else None
