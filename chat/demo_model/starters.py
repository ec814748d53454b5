"""The suggested sentences of the pages, which the interface shows in its own language, read as their English originals.

Everything else is understood in English only.
"""

import gettext
from functools import cache
from pathlib import Path

from chat.demo_model.text import key

LOCALE = Path(__file__).parents[2] / "locale"
# What the pages suggest (PageConfig.starters, and the list of tables to a user who has none yet).
STARTERS = (
    "Track my job applications with company, position, status and date applied",
    "A table for household expenses with amount, category and whether it was paid back",
    "What tables do I have?",
    "Add 8 sample rows",
    "How many rows are there?",
    "What can you do here?",
    "Add a Priority column with High, Medium and Low",
    "Which columns could be select columns?",
    "Track my job applications with company, role, status and follow-up date",
    "Log my expenses with date, amount, category and whether they were paid back",
    "Collect customer feedback: who said it, theme, severity and status",
    "Keep a reading list with title, author, status, rating and finish date",
)


def in_english(words: str) -> str | None:
    """Return the English original of a suggested sentence in another language of the interface, or None."""
    return _originals().get(key(words))


@cache
def _originals() -> dict[str, str]:
    found: dict[str, str] = {}
    for catalogue in sorted(LOCALE.glob("*/LC_MESSAGES/django.mo")):
        with catalogue.open("rb") as file:
            translation = gettext.GNUTranslations(file)
        for starter in STARTERS:
            for said in (translation.gettext(starter), translation.pgettext("assistant", starter)):
                if said != starter:
                    found[key(said)] = starter
    return found
